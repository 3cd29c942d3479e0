use super::*;
use bico_syntax::einsum::Einsum;

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
fn blocks_of_cuda_are_grouped() {
    let nest = plan("cmk, ckn -> cmn", Target::Cuda);
    let names: Vec<&str> = nest.loops.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["c", "m_out", "n_out", "m_l2", "n_l2", "k_out"]);
    assert_eq!(
        nest.loops[1].extent.text,
        "(size_m + M_PRIM * M_L2 - 1) / (M_PRIM * M_L2)"
    );
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
