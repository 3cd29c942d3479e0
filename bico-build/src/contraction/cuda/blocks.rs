//! From the number of a block to the indices of the parallel loops.

use crate::contraction::ExecType;
use crate::contraction::nest::{Loop, Nest, Term};
use std::fmt::Write;

/// The loops over tiles of M and of N, by number, where groups of `M_L2` x `N_L2` of them come one after the
/// other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiles {
    pub(super) m: usize,
    pub(super) n: usize,
}

/// Puts one loop over tiles in the place of a loop over groups and one in a group: groups are cut at
/// the edges, so that no block is idle.
pub(super) fn tiles(nest: &Nest) -> (Nest, Option<Tiles>) {
    let group = |name: &str| {
        let in_group = |l: &Loop| l.exec == ExecType::Par && l.extent == Term::named(name);
        nest.loops.iter().position(in_group)
    };
    let (Some(m), Some(n)) = (group("M_L2"), group("N_L2")) else {
        return (nest.clone(), None);
    };
    let mut nest = nest.clone();
    let mut gone = Vec::new();
    for (at, macro_name) in [(m, "M_PRIM"), (n, "N_PRIM")] {
        let Some(bound) = nest
            .bounds
            .iter_mut()
            .find(|bound| bound.loops.iter().any(|(l, _)| *l == at))
        else {
            continue;
        };
        gone.extend(bound.loops.iter().map(|(l, _)| *l).filter(|l| *l != at));
        bound.loops.retain(|(l, _)| *l == at);
        nest.loops[at].extent = bound.limit.div_ceil(&Term::named(macro_name));
        let name = &mut nest.loops[at].name;
        *name = format!("{}_tile", name.strip_suffix("_l2").unwrap_or(name));
    }
    let place = |at: usize| at - gone.iter().filter(|other| **other < at).count();
    for bound in &mut nest.bounds {
        bound.loops.iter_mut().for_each(|(l, _)| *l = place(*l));
    }
    let mut at = 0;
    nest.loops.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
    let tiles = Tiles {
        m: place(m),
        n: place(n),
    };
    (nest, Some(tiles))
}

/// The name of a loop's index.
pub(super) fn index(of: &Loop) -> String {
    format!("i_{}", of.name)
}

/// Statements that declare the indices of all parallel loops.
pub(super) fn place(nest: &Nest, tiles: Option<Tiles>) -> String {
    let mut out = String::new();
    let mut parallel: Vec<&Loop> = Vec::new();
    for (at, l) in nest.loops.iter().enumerate() {
        if l.exec == ExecType::Par && tiles.is_none_or(|tiles| at != tiles.m && at != tiles.n) {
            parallel.push(l);
        }
    }
    let mut block = "blockIdx.x".to_string();
    if let Some(tiles) = tiles {
        let [m, n] = [&nest.loops[tiles.m], &nest.loops[tiles.n]];
        let (i_m, i_n) = (index(m), index(n));
        let _ = writeln!(out, "// The tile of this block.");
        let _ = writeln!(
            out,
            "const unsigned tiles_m = {};\nconst unsigned tiles_n = {};",
            count(&m.extent),
            count(&n.extent)
        );
        if parallel.is_empty() {
            let _ = writeln!(out, "const unsigned tile = blockIdx.x;");
        } else {
            let _ = writeln!(
                out,
                "const unsigned tile = blockIdx.x % (tiles_m * tiles_n);"
            );
            block = "blockIdx.x / (tiles_m * tiles_n)".to_string();
        }
        let _ = write!(
            out,
            "unsigned {i_m}, {i_n};\nif (ORDER == mn)\n  place<M_L2, N_L2>(tile, tiles_m, tiles_n, {i_m}, {i_n});\nelse\n  place<N_L2, M_L2>(tile, tiles_n, tiles_m, {i_n}, {i_m});\n"
        );
    }
    match &parallel[..] {
        [] => {}
        [only] => {
            let _ = writeln!(out, "const unsigned {} = {block};", index(only));
        }
        [first, others @ ..] => {
            let _ = writeln!(
                out,
                "// Parallel loops: the last one is fastest.\nunsigned block = {block};"
            );
            for l in others.iter().rev() {
                let i = index(l);
                let _ = writeln!(
                    out,
                    "const unsigned {i} = block % {0};\nblock /= {0};",
                    count(&l.extent)
                );
            }
            let _ = writeln!(out, "const unsigned {} = block;", index(first));
        }
    }
    out
}

/// How often a loop runs, as `unsigned`.
pub(super) fn count(extent: &Term) -> String {
    match extent.value {
        Some(_) => extent.text.clone(),
        None if extent.text.contains(' ') => format!("(unsigned)({extent})"),
        None => format!("(unsigned){extent}"),
    }
}

/// How many blocks there are, where all parallel loops are known.
pub(super) fn total(nest: &Nest) -> Option<u64> {
    let parallel = nest.loops.iter().filter(|l| l.exec == ExecType::Par);
    parallel
        .map(|l| l.extent.value)
        .try_fold(1u64, |product, extent| product.checked_mul(extent?))
}
