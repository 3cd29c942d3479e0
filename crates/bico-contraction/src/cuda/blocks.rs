//! From the number of a block to the indices of the parallel loops.

use crate::ExecType;
use crate::nest::{self, Loop, Nest, Term};

/// Statements that declare the indices of all parallel loops.
pub(super) fn place(nest: &Nest) -> String {
    let mut out = String::new();
    let is_tile = |at: usize| nest.swap.is_some_and(|(m, n)| at == m || at == n);
    let loops = nest.loops.iter().enumerate();
    let parallel = loops.filter(|(at, l)| l.exec == ExecType::Par && !is_tile(*at));
    let parallel: Vec<&Loop> = parallel.map(|(_, l)| l).collect();
    let mut block = "blockIdx.x";
    if let Some((m, n)) = nest.swap {
        let mut tile = "blockIdx.x";
        if !parallel.is_empty() {
            tile = "blockIdx.x % (tiles_m * tiles_n)";
            block = "blockIdx.x / (tiles_m * tiles_n)";
        }
        let (m, n) = (&nest.loops[m], &nest.loops[n]);
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
    use crate::{DataType, Schedule};

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
        assert_eq!(total(&nest), Some(3 * 2 * 3));
        assert_eq!(
            place(&nest),
            "// Parallel loops: the last one is fastest.\nunsigned block = blockIdx.x;\n\
             const unsigned i_n0 = block % 3;\nblock /= 3;\n\
             const unsigned i_m0 = block % 2;\nblock /= 2;\n\
             const unsigned i_c = block;\n"
        );
    }
}
