use super::*;
use crate::{PrimType, Schedule};
use bico_einsum::Einsum;

fn plan(text: &str, target: Target) -> Nest {
    let einsum = Einsum::parse(text).unwrap();
    Nest::of_plan(&einsum, DataType::F32, DataType::F32, target)
}

fn strides(strides: &[Term; 4]) -> [&str; 4] {
    [0, 1, 2, 3].map(|tensor| strides[tensor].text.as_str())
}

#[test]
fn a_batched_product_in_c() {
    let nest = plan("cmk, ckn -> cmn", Target::C);
    let names: Vec<&str> = nest.loops.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["c", "m_out", "k_out", "n_out"]);
    assert_eq!(nest.swap, Some((1, 3)));
    assert_eq!(
        strides(&nest.loops[0].strides),
        ["size_m * size_k", "size_n * size_k", "size_m * size_n", "0"]
    );
    assert_eq!(
        strides(&nest.loops[1].strides),
        ["size_k * M_PRIM", "0", "size_n * M_PRIM", "0"]
    );
    assert_eq!(nest.loops[3].extent.text, "(size_n + N_PRIM - 1) / N_PRIM");
    assert_eq!(
        strides(&nest.tile[0].strides),
        ["size_k", "0", "size_n", "0"]
    );
    assert_eq!(strides(&nest.tile[1].strides), ["0", "1", "1", "0"]);
    assert_eq!(strides(&nest.tile[2].strides), ["1", "size_n", "0", "0"]);
    assert_eq!(nest.bounds.len(), 3);
    assert_eq!(nest.bounds[1].limit.text, "size_k");
    assert_eq!(nest.bounds[1].tile, Some((2, Term::known(1))));
}

#[test]
fn blocks_of_cuda_are_tiles() {
    let nest = plan("cmk, ckn -> cmn", Target::Cuda);
    let names: Vec<&str> = nest.loops.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["c", "m_tile", "n_tile", "k_out"]);
    assert_eq!(nest.swap, Some((1, 2)));
    assert_eq!(nest.loops[1].extent.text, "(size_m + M_PRIM - 1) / M_PRIM");
    // Each bound has its one loop.
    let loops: Vec<Vec<usize>> = (nest.bounds.iter())
        .map(|bound| bound.loops.iter().map(|(l, _)| *l).collect())
        .collect();
    assert_eq!(loops, [[1], [2], [3]]);
}

#[test]
fn fused_and_untiled_letters() {
    let nest = plan("abk, kn -> abn", Target::C);
    assert_eq!(nest.tile[0].name, "ab_prim");
    let size = nest.sizes.iter().find(|size| size.name == "size_ab");
    assert_eq!(size.unwrap().letters, ['a', 'b']);

    // Attention's first product: a batch and a head that are no neighbours in the inputs.
    let nest = plan("bqhd, bkhd -> bhqk", Target::C);
    let names: Vec<&str> = nest.loops.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["b", "h", "q_out", "d_out", "k_out"]);
    assert_eq!(strides(&nest.loops[1].strides)[0], "size_d");
    assert_eq!(strides(&nest.tile[0].strides)[0], "size_h * size_d");
}

/// Two M, two K and a batch in the inner product; what is one in memory becomes one.
#[test]
fn prim_dimensions_are_fused_and_the_rest_are_loops() {
    let shapes: [&[u64]; 2] = [&[3, 24, 10], &[3, 10, 16]];
    let schedule = Schedule::from_einsum("cmk, ckn -> cmn", &shapes, DataType::F32)
        .unwrap()
        .set_prim_main(PrimType::Bgemm)
        .unwrap()
        .split_dim("m", 6, 4)
        .unwrap()
        .pad_dim("k", 12)
        .unwrap()
        .split_dim("k", 4, 3)
        .unwrap()
        // Not in the order of memory, with a hole between m0 and m1.
        .permute_dims(&["k0", "c", "n", "m1", "k1", "m0"])
        .unwrap();
    let execs: Vec<ExecType> = schedule
        .names
        .iter()
        .map(|name| match name.as_str() {
            "k0" => ExecType::Seq,
            _ => ExecType::Prim,
        })
        .collect();
    let nest = Nest::of_schedule(&schedule.set_execs(&execs).unwrap()).unwrap();
    let names: Vec<&str> = nest.loops.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["k0", "c"]);
    assert_eq!(nest.tile[0].name, "m0_m1");
    assert!(nest.tile[0].extent.is(24) && nest.tile[1].extent.is(16) && nest.tile[2].extent.is(3));
    assert_eq!(
        nest.bounds,
        [Bound {
            limit: Term::known(10),
            loops: vec![(0, Term::known(3))],
            tile: Some((2, Term::known(1))),
        }]
    );
    assert_eq!(nest.plain.len(), 6);
    assert_eq!(nest.plain_bounds.len(), 1);
}

#[test]
fn a_schedule_that_is_not_executable_is_refused() {
    let schedule =
        Schedule::from_einsum("mk, kn -> mn", &[&[4, 4], &[4, 4]], DataType::F32).unwrap();
    let error = Nest::of_schedule(&schedule).unwrap_err();
    assert_eq!(Err(error), schedule.verify());
}
