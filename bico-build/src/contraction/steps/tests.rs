use crate::contraction::{Config, DataType};

#[test]
fn chain() {
    let c = Config::from_einsum(
        "cmk, ckn -> cmn",
        &[&[4, 4096, 4096], &[4, 4096, 4096]],
        DataType::F16,
    )
    .unwrap()
    .split_dim("m", ("m_out", 64), ("m_prim", 64))
    .unwrap()
    .split_dim("n", 64, 64)
    .unwrap()
    .split_dim(3, 32, 128)
    .unwrap();
    let c = c
        .permute_dims(&[0, 1, 3, 5, 2, 4, 6])
        .unwrap()
        .make_executable()
        .unwrap();
    c.verify().unwrap();
    println!("{c}");
}
