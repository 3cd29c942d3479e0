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
