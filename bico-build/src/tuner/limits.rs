//! What a GPU can launch at all, as conditions of the space: a config that breaks them would only cost
//! a trial. The author need not write them.

use bico_syntax::{BinaryOp, Expr, ExprKind, TunableSpec};

/// Adds them to a CUDA tunable's `require`. They make nothing stale: hashes are taken before.
pub(super) fn add(spec: &mut TunableSpec) {
    let Some(launch) = &spec.launch else {
        return;
    };
    let mut extents = launch.block.iter().cloned();
    let Some(first) = extents.next() else {
        return;
    };
    let threads = extents.fold(first, |a, b| binary(BinaryOp::Mul, a, b));
    let mut conditions = vec![at_most(threads, "max_threads_per_block")];
    if let Some(shared) = &launch.shared {
        conditions.push(at_most(shared.clone(), "shared_memory_per_block_optin"));
    }
    spec.require.extend(conditions);
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
        let mut spec = parsed.unwrap_or_else(|errors| panic!("{errors}")).spec;
        add(&mut spec);
        let texts: Vec<String> = spec.require.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "X * Y * 2 <= device.max_threads_per_block",
                "4 * X <= device.shared_memory_per_block_optin"
            ]
        );
    }
}
