//! From the number of a block to the indices of the parallel loops.

use crate::ExecType;
use crate::nest::{self, Bound, Loop, Nest, Term};

/// The loops over tiles of M and of N, by number, where groups of `M_L2` x `N_L2` of them come one after the
/// other.
pub(super) type Tiles = [usize; 2];

/// Puts one loop over tiles in the place of a loop over groups and one in a group: groups are cut at
/// the edges, so that no block is idle.
pub(super) fn tiles(nest: &Nest) -> (Nest, Option<Tiles>) {
    let group = |name: &str| {
        let in_group = |l: &Loop| l.exec == ExecType::Par && l.extent == Term::named(name);
        nest.loops.iter().position(in_group)
    };
    let mut nest = nest.clone();
    let (Some(m), Some(n)) = (group("M_L2"), group("N_L2")) else {
        return (nest, None);
    };
    let mut gone = Vec::new();
    for (at, macro_name) in [(m, "M_PRIM"), (n, "N_PRIM")] {
        let is_own = |bound: &&mut Bound| bound.loops.iter().any(|(l, _)| *l == at);
        let Some(bound) = nest.bounds.iter_mut().find(is_own) else {
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
    let mut numbers = 0..;
    nest.loops
        .retain(|_| !numbers.next().is_some_and(|at| gone.contains(&at)));
    (nest, Some([place(m), place(n)]))
}

/// Statements that declare the indices of all parallel loops.
pub(super) fn place(nest: &Nest, tiles: Option<Tiles>) -> String {
    let mut out = String::new();
    let is_tile = |at: &usize| tiles.is_some_and(|tiles| tiles.contains(at));
    let loops = nest.loops.iter().enumerate();
    let parallel = loops.filter(|(at, l)| l.exec == ExecType::Par && !is_tile(at));
    let parallel: Vec<&Loop> = parallel.map(|(_, l)| l).collect();
    let mut block = "blockIdx.x";
    if let Some(tiles) = tiles {
        let mut tile = "blockIdx.x";
        if !parallel.is_empty() {
            tile = "blockIdx.x % (tiles_m * tiles_n)";
            block = "blockIdx.x / (tiles_m * tiles_n)";
        }
        let [m, n] = tiles.map(|at| &nest.loops[at]);
        let (i_m, i_n) = (m.index(), n.index());
        out += "// The tile of this block.\n";
        out += &format!("const unsigned tiles_m = {};\n", count(&m.extent));
        out += &format!("const unsigned tiles_n = {};\n", count(&n.extent));
        out += &format!("const unsigned tile = {tile};\nunsigned {i_m}, {i_n};\n");
        out += &format!("place_of_block(tile, tiles_m, tiles_n, {i_m}, {i_n});\n");
    }
    if let [first, others @ ..] = &parallel[..] {
        if !others.is_empty() {
            out += "// Parallel loops: the last one is fastest.\n";
            out += &format!("unsigned block = {block};\n");
            block = "block";
        }
        for l in others.iter().rev() {
            let (i, count) = (l.index(), count(&l.extent));
            out += &format!("const unsigned {i} = block % {count};\nblock /= {count};\n");
        }
        out += &format!("const unsigned {} = {block};\n", first.index());
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
    nest::product(parallel.map(|l| &l.extent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataType, Schedule, Target};
    use bico_einsum::Einsum;

    #[test]
    fn groups_of_tiles_become_tiles() {
        let einsum = Einsum::parse("cmk, ckn -> cmn").unwrap();
        let nest = Nest::of_plan(&einsum, DataType::F16, DataType::F16, Target::Cuda);
        let (nest, tiles) = tiles(&nest);
        let names: Vec<&str> = nest.loops.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, ["c", "m_tile", "n_tile", "k_out"]);
        assert_eq!(tiles, Some([1, 2]));
        assert_eq!(nest.loops[1].extent.text, "(size_m + M_PRIM - 1) / M_PRIM");
        // Each bound has the one loop that is left, by its new number.
        let loops: Vec<Vec<usize>> = (nest.bounds.iter())
            .map(|bound| bound.loops.iter().map(|(l, _)| *l).collect())
            .collect();
        assert_eq!(loops, [[1], [2], [3]]);
        assert_eq!(total(&nest), None);
    }

    #[test]
    fn parallel_loops_of_a_schedule_are_counted_and_placed() {
        let schedule = Schedule::from_einsum(
            "cmk, ckn -> cmn",
            &[&[3, 64, 8], &[3, 8, 96]],
            DataType::F32,
        )
        .and_then(|schedule| schedule.split_dim("m", 2, 32))
        .and_then(|schedule| schedule.split_dim("n", 3, 32))
        .and_then(|schedule| schedule.make_executable())
        .unwrap();
        let nest = Nest::of_schedule(&schedule).unwrap();
        assert!(tiles(&nest).1.is_none());
        assert_eq!(total(&nest), Some(3 * 2 * 3));
        assert_eq!(
            place(&nest, None),
            "// Parallel loops: the last one is fastest.\nunsigned block = blockIdx.x;\n\
             const unsigned i_n0 = block % 3;\nblock /= 3;\n\
             const unsigned i_m0 = block % 2;\nblock /= 2;\n\
             const unsigned i_c = block;\n"
        );
    }
}
