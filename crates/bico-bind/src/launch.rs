//! The extents of a launch, and what a GPU can launch at all.

use crate::{Expression, SpaceError};
use bico_core::device::Dims;
use bico_core::{Value, model};
use bico_syntax::{BinaryOp, Expr, ExprKind, Launch};

/// The expressions of a `launch(..)`.
#[derive(Debug, Clone)]
pub(crate) struct Extents {
    grid: Vec<Expression>,
    block: Vec<Expression>,
    shared: Option<Expression>,
}

impl Extents {
    pub(crate) fn new(
        launch: &Launch,
        compile: &impl Fn(&Expr) -> Result<Expression, SpaceError>,
    ) -> Result<Extents, SpaceError> {
        Ok(Extents {
            grid: launch.grid.iter().map(compile).collect::<Result<_, _>>()?,
            block: launch.block.iter().map(compile).collect::<Result<_, _>>()?,
            shared: launch.shared.as_ref().map(compile).transpose()?,
        })
    }

    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.grid.iter().chain(&self.block).chain(&self.shared)
    }

    /// The extents for a config.
    pub(crate) fn dims(&self, values: &[Value]) -> Result<Dims, SpaceError> {
        let extents = |list: &[Expression]| -> Result<[u32; 3], SpaceError> {
            let mut extents = [1; 3];
            for (extent, expression) in extents.iter_mut().zip(list) {
                *extent = number(expression, values)?;
            }
            Ok(extents)
        };
        Ok(Dims {
            grid: extents(&self.grid)?,
            block: extents(&self.block)?,
            shared: match &self.shared {
                Some(shared) => number(shared, values)?,
                None => 0,
            },
        })
    }

    /// The launch as the performance model sees it: also where it is more than a launch can have.
    pub(crate) fn model(&self, values: &[Value]) -> Result<model::Launch, SpaceError> {
        let mut blocks = 1.0;
        let mut grid_width = None;
        for extent in &self.grid {
            let extent = extent.count(values)? as f64;
            grid_width = grid_width.or(Some(extent));
            blocks *= extent;
        }
        let mut threads = 1u64;
        for extent in &self.block {
            threads = threads.saturating_mul(extent.count(values)?);
        }
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let first = self.block.first().map(|width| width.count(values));
        let shared = self.shared.as_ref().map(|shared| shared.count(values));
        Ok(model::Launch {
            blocks,
            grid_width,
            threads: count(threads),
            width: count(first.transpose()?.unwrap_or(1)),
            shared_bytes: count(shared.transpose()?.unwrap_or(0)),
            ..model::Launch::default()
        })
    }
}

fn number(expression: &Expression, values: &[Value]) -> Result<u32, SpaceError> {
    let count = expression.count(values)?;
    u32::try_from(count).map_err(|_| {
        SpaceError::new(
            expression.span(),
            format!(
                "`{}` is {count}, more than a launch can have",
                expression.text()
            ),
        )
    })
}

/// What a GPU can launch at all, as conditions of the space: a config that breaks them would only cost a trial. The
/// author need not write them, and they make nothing stale.
pub(crate) fn limits(launch: &Launch) -> Vec<Expr> {
    let mut extents = launch.block.iter().cloned();
    let Some(first) = extents.next() else {
        return Vec::new();
    };
    let threads = extents.fold(first, |a, b| binary(BinaryOp::Mul, a, b));
    let mut conditions = vec![at_most(threads, "max_threads_per_block")];
    if let Some(shared) = &launch.shared {
        conditions.push(at_most(shared.clone(), "shared_memory_per_block_optin"));
    }
    conditions
}

fn at_most(amount: Expr, field: &str) -> Expr {
    let limit = Expr {
        kind: ExprKind::Device(field.to_string()),
        span: amount.span,
    };
    binary(BinaryOp::Le, amount, limit)
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    Expr {
        span: a.span,
        kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_shared_memory_are_limited() {
        let attribute = "source = \"k.cu\", space(X in [8, 64], Y in [8, 64]), \
            launch(grid = n, block = (X, Y, 2), shared = 4 * X), problem(n = 64)";
        let item = "fn f(s: &Arc<CudaStream>, #[len(n)] c: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;";
        let parsed = bico_syntax::parse(attribute.parse().unwrap(), item.parse().unwrap());
        let spec = parsed.unwrap_or_else(|errors| panic!("{errors}")).spec;
        let limits = limits(spec.launch.as_ref().unwrap());
        let texts: Vec<String> = limits.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "X * Y * 2 <= device.max_threads_per_block",
                "4 * X <= device.shared_memory_per_block_optin"
            ]
        );
    }
}
