//! The extents of a launch, and what a GPU can launch at all.

use crate::bind::{Expression, SpaceError};
use crate::tensor::{accelerated, binary};
use crate::{BinaryOp, Expr, ExprKind, Launch};
use bico_core::device::{Dims, MOST_OF_CLUSTER};
use bico_core::{Lists, Set, Value, model};

/// The expressions of a `launch(..)`.
#[derive(Debug, Clone)]
pub(crate) struct Extents {
    grid: Vec<Expression>,
    block: Vec<Expression>,
    cluster: Vec<Expression>,
    shared: Option<Expression>,
    dependent: Option<Expression>,
}

impl Extents {
    pub(crate) fn new(
        launch: &Launch,
        compile: &dyn Fn(&Expr) -> Result<Expression, SpaceError>,
    ) -> Result<Extents, SpaceError> {
        Ok(Extents {
            grid: launch.grid.iter().map(compile).try_collect_vec()?,
            block: launch.block.iter().map(compile).try_collect_vec()?,
            cluster: launch.cluster.iter().map(compile).try_collect_vec()?,
            shared: launch.shared.as_ref().map(compile).transpose()?,
            dependent: launch.dependent.as_ref().map(compile).transpose()?,
        })
    }

    /// The parameters that it depends on.
    #[inline]
    pub(crate) fn depends(&self) -> Set<usize> {
        let mut depends = Set::default();
        let extents = self.grid.iter().chain(&self.block).chain(&self.cluster);
        for expression in extents.chain(&self.shared).chain(&self.dependent) {
            depends.extend(expression.depends().iter().copied());
        }
        depends
    }

    /// The extents for a config.
    #[inline]
    pub(crate) fn dims(&self, values: &[Value]) -> Result<Dims, SpaceError> {
        let extents = |list: &[Expression]| -> Result<[u32; 3], SpaceError> {
            let mut extents = [1; 3];
            for (extent, expression) in extents.iter_mut().zip(list) {
                *extent = number(expression, values)?;
            }
            Ok(extents)
        };
        let shared = self.shared.as_ref().map(|shared| number(shared, values));
        let dependent = self.dependent.as_ref().map(|of| of.test(values));
        Ok(Dims {
            grid: extents(&self.grid)?,
            block: extents(&self.block)?,
            cluster: extents(&self.cluster)?,
            shared: shared.transpose()?.unwrap_or(0),
            dependent: dependent.transpose()?.unwrap_or(false),
        })
    }

    /// The launch as the performance model sees it: also where it is more than a launch can have.
    #[inline]
    pub(crate) fn model(&self, values: &[Value]) -> Result<model::Launch, SpaceError> {
        let counts = |list: &[Expression]| -> Result<Vec<u64>, SpaceError> {
            list.iter()
                .map(|extent| extent.count(values))
                .try_collect_vec()
        };
        let (grid, block) = (counts(&self.grid)?, counts(&self.block)?);
        let shared = self.shared.as_ref().map(|shared| shared.count(values));
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        Ok(model::Launch {
            blocks: grid.iter().map(|extent| *extent as f64).product(),
            grid_width: grid.first().map(|extent| *extent as f64),
            threads: count(block.iter().fold(1, |all, one| all.saturating_mul(*one))),
            width: count(block.first().copied().unwrap_or(1)),
            shared_bytes: count(shared.transpose()?.unwrap_or(0)),
            ..model::Launch::default()
        })
    }
}

#[inline]
fn number(expression: &Expression, values: &[Value]) -> Result<u32, SpaceError> {
    let count = expression.count(values)?;
    u32::try_from(count).map_err(|_| {
        let text = expression.text();
        let message = format!("`{text}` is {count}, more than a launch can have");
        SpaceError::new(expression.span(), message)
    })
}

/// What a GPU can launch at all, as conditions of the space: a config that breaks them would only cost a trial. The
/// author need not write them, and they make nothing stale.
pub(crate) fn limits(launch: &Launch) -> Vec<Expr> {
    let product = |list: &[Expr]| {
        let extents = list.iter().cloned();
        extents.reduce(|a, b| binary(BinaryOp::Mul, a, b))
    };
    let threads = product(&launch.block);
    let threads = threads.map(|threads| at_most(threads, "max_threads_per_block"));
    let shared = launch.shared.clone();
    let shared = shared.map(|shared| at_most(shared, "shared_memory_per_block_optin"));
    let cluster = product(&launch.cluster).map(of_cluster);
    threads
        .into_iter()
        .chain(shared)
        .chain(cluster)
        .collect_vec()
}

/// `blocks <= if device.compute_capability >= 90 { 8 } else { 1 }`
fn of_cluster(blocks: Expr) -> Expr {
    let span = blocks.span;
    let number = |value: i64| Expr::new(ExprKind::Int(value), span);
    let parts = [accelerated(span), number(MOST_OF_CLUSTER as i64), number(1)];
    let [newer, some, one] = parts.map(Box::new);
    let most = Expr::new(ExprKind::If(newer, some, one), span);
    binary(BinaryOp::Le, blocks, most)
}

fn at_most(amount: Expr, field: &str) -> Expr {
    let (kind, span) = (ExprKind::Device(field.to_string()), amount.span);
    binary(BinaryOp::Le, amount, Expr { kind, span })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_shared_memory_are_limited() {
        let attribute = "source = \"k.cu\", space(X in [8, 64], Y in [8, 64]), \
            launch(grid = n, block = (X, Y, 2), cluster = (X, Y), shared = 4 * X), problem(n = 64)";
        let item = "fn f(s: &Arc<CudaStream>, #[len(n)] c: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;";
        let parsed = crate::parse(attribute.parse().unwrap(), item.parse().unwrap());
        let spec = parsed.unwrap_or_else(|errors| panic!("{errors}")).spec;
        let limits = limits(spec.kernels[0].launches().next().unwrap());
        let texts: Vec<String> = limits.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "X * Y * 2 <= device.max_threads_per_block",
                "4 * X <= device.shared_memory_per_block_optin",
                "X * Y <= (if device.compute_capability >= 90 { 8 } else { 1 })"
            ]
        );
    }
}
