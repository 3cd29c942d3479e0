//! The checks of the exercise that this module follows, with its numbers.

use super::*;

#[test]
fn the_basic_schedule() {
    let schedule = batched();
    assert_eq!(schedule.names, ["c", "m", "k", "n"]);
    assert_eq!(schedule.dim_types, [C, M, K, N]);
    assert_eq!(schedule.exec_types, [Seq; 4]);
    assert_eq!(schedule.dim_sizes, [4, 4096, 4096, 4096]);
    let (m, n, k) = (4096, 4096, 4096);
    assert_eq!(
        schedule.strides,
        [[m * k, k, 1, 0], [k * n, 0, n, 1], [m * n, n, 0, 1]]
    );
    assert_eq!(schedule.elements, [4 * m * k, 4 * k * n, 4 * m * n]);
    assert_eq!(schedule.data_type, DataType::F16);
    assert_eq!(schedule.prim_main, PrimType::Gemm);
    assert_eq!(schedule.prim_last, LastTouch::None);
}

#[test]
fn splits() {
    let schedule = batched().split_dim("m", 64, 64).unwrap();
    assert_eq!(schedule.names, ["c", "m0", "m1", "k", "n"]);
    assert_eq!(schedule.dim_types, [C, M, M, K, N]);
    assert_eq!(schedule.dim_sizes, [4, 64, 64, 4096, 4096]);
    assert_eq!(schedule.strides[0], [4096 * 4096, 64 * 4096, 4096, 1, 0]);
    assert_eq!(schedule.strides[1], [4096 * 4096, 0, 0, 4096, 1]);
    assert_eq!(schedule.strides[2], [4096 * 4096, 64 * 4096, 4096, 0, 1]);

    assert_eq!(
        message(batched().split_dim("m", 64, 63)),
        "`m` (M) has size 4096, but 64 * 63 is 4032: pad_dim(\"m\", 4158) first, then split_dim(\"m\", 66, 63)"
    );
    assert_eq!(
        message(batched().split_dim("k", 16, 128)),
        "`k` (K) has size 4096, but 16 * 128 is 2048: split_dim(\"k\", 32, 128) would do"
    );
}

#[test]
fn fuses() {
    let schedule = batched().split_dim("m", 64, 64).unwrap();
    let fused = schedule.clone().fuse_dims("m0", "m1").unwrap();
    assert_eq!(fused.names, ["c", "m0_m1", "k", "n"]);
    assert_eq!(fused.dim_sizes, batched().dim_sizes);
    assert_eq!(fused.strides, batched().strides);
    // The other way round, and by number.
    let reversed = schedule.fuse_dims(2, 1).unwrap();
    assert_eq!(reversed.strides, batched().strides);

    assert_eq!(
        message(batched().fuse_dims("m", "n")),
        "`m` (M) and `n` (N) cannot be fused: their types differ, so no one index of the tensors could replace them"
    );
    // Neighbours in A, apart in the output.
    let apart =
        Schedule::from_einsum("abk, kn -> anb", &[&[3, 5, 7], &[7, 11]], DataType::F32).unwrap();
    assert_eq!(
        message(apart.fuse_dims("a", "b")),
        "`a` (M) and `b` (M) cannot be fused: in the output (C) `a` has stride 55, which is not the stride 1 of `b` times its size 5; keep them apart"
    );
}

#[test]
fn a_summed_dimension_must_not_be_parallel() {
    let schedule = batched().make_executable().unwrap();
    assert_eq!(schedule.exec_types, [Par, Prim, Prim, Prim]);
    let schedule = (schedule.split_dim("k", 32, 128).unwrap())
        .set_execs(&[Par, Prim, Par, Prim, Prim])
        .unwrap();
    let error = schedule.verify().unwrap_err();
    assert_eq!(
        error.messages,
        [
            "`k0` (K) is Par, but it is summed over: its iterations would add to the same elements at once; set_exec(\"k0\", ExecType::Seq)",
            "`m` (M) is Prim, but not rightmost: `k0` (K) right of it is Par; move `k0` left of all Prim dimensions with permute_dims",
        ]
    );
}

#[test]
fn a_sequential_dimension_right_of_prim() {
    let schedule = product(64, 64, 64).split_dim("k", 4, 16).unwrap();
    // m, k0, k1, n
    let schedule = schedule.set_execs(&[Prim, Seq, Prim, Prim]).unwrap();
    assert_eq!(
        message(schedule.verify()),
        "`k0` (K) is Seq and right of `m` (M), which is Prim: move `k0` left of all Prim dimensions with permute_dims"
    );
    schedule
        .permute_dims(&["k0", "m", "k1", "n"])
        .unwrap()
        .verify()
        .unwrap();
}

#[test]
fn a_parallel_dimension_right_of_seq() {
    let schedule = batched()
        .split_dim("k", 32, 128)
        .unwrap()
        .permute_dims(&["k0", "c", "m", "n", "k1"])
        .unwrap()
        .set_execs(&[Seq, Par, Prim, Prim, Prim])
        .unwrap();
    assert_eq!(
        message(schedule.verify()),
        "`c` (C) is Par and right of `k0` (K), which is Seq: move `c` left of all Seq dimensions with permute_dims"
    );
}

#[test]
fn prim_is_rightmost_and_has_m_n_and_k() {
    let schedule = batched()
        .permute_dims(&["m", "n", "k", "c"])
        .unwrap()
        .set_execs(&[Prim, Prim, Prim, Par])
        .unwrap();
    assert_eq!(
        message(schedule.verify()),
        "`k` (K) is Prim, but not rightmost: `c` (C) right of it is Par; move `c` left of all Prim dimensions with permute_dims"
    );
    let lacking = batched().set_exec("m", Prim).unwrap().verify().unwrap_err();
    assert_eq!(
        lacking.messages,
        [
            "`k` (K) is Seq and right of `m` (M), which is Prim: move `k` left of all Prim dimensions with permute_dims",
            "`n` (N) is Seq and right of `m` (M), which is Prim: move `n` left of all Prim dimensions with permute_dims",
            "no dimension of type N is Prim, but the inner product needs one each of M, N and K: split_dim(\"n\", ..) and make its inner part Prim with set_exec",
            "no dimension of type K is Prim, but the inner product needs one each of M, N and K: split_dim(\"k\", ..) and make its inner part Prim with set_exec",
        ]
    );
}

#[test]
fn all_violations_are_told_at_once() {
    let schedule = batched()
        .split_dim("k", 32, 128)
        .unwrap()
        .permute_dims(&["k0", "m", "c", "n", "k1"])
        .unwrap()
        .set_execs(&[Par, Prim, Prim, Seq, Par])
        .unwrap();
    let messages = schedule.verify().unwrap_err().messages;
    let found = |text: &str| messages.iter().filter(|own| own.contains(text)).count();
    assert_eq!(found("is summed over"), 2, "{messages:#?}");
    assert_eq!(found("is Seq and right of `c` (C), which is Prim"), 1);
    assert_eq!(
        found("`k1` (K) is Par and right of `n` (N), which is Seq"),
        1
    );
    assert_eq!(found("`c` (C) is Prim, but not rightmost: `k1`"), 1);
    assert_eq!(found("no dimension of type N is Prim"), 1);
    assert_eq!(found("no dimension of type K is Prim"), 1);
    assert_eq!(found("the inner product is Gemm, which has no batch"), 1);
    assert_eq!(messages.len(), 8, "{messages:#?}");
}

/// `[c, m_out, n_out, m_l2, n_l2 | k_out | m_prim, n_prim, k_prim]` with groups of 32 x 16 blocks.
#[test]
fn the_l2_form() -> Result<(), ContractionError> {
    let schedule = batched()
        .split_dim("m", ("m_out", 2), ("m", 2048))?
        .split_dim("m", ("m_l2", 32), ("m_prim", 64))?
        .split_dim("n", ("n_out", 4), ("n", 1024))?
        .split_dim("n", ("n_l2", 16), ("n_prim", 64))?
        .split_dim("k", ("k_out", 32), ("k_prim", 128))?
        .permute_dims(&[
            "c", "m_out", "n_out", "m_l2", "n_l2", "k_out", "m_prim", "n_prim", "k_prim",
        ])?
        .set_execs(&[Par, Par, Par, Par, Par, Seq, Prim, Prim, Prim])?;
    schedule.verify()?;
    assert_eq!(schedule.dim_types, [C, M, N, M, N, K, M, N, K]);
    assert_eq!(schedule.dim_sizes, [4, 2, 4, 32, 16, 32, 64, 64, 128]);
    let row = 4096;
    assert_eq!(
        schedule.strides,
        [
            [row * row, 2048 * row, 0, 64 * row, 0, 128, row, 0, 1],
            [row * row, 0, 1024, 0, 64, 128 * row, 0, 1, row],
            [row * row, 2048 * row, 1024, 64 * row, 64, 0, row, 1, 0],
        ]
    );
    assert_eq!(schedule.steps.len(), 8);
    // The default comes to the same: in each type the innermost is Prim, K outside of it Seq.
    let mut default = schedule.clone().set_execs(&[Seq; 9])?.make_executable()?;
    default.steps.clone_from(&schedule.steps);
    assert_eq!(default, schedule);
    Ok(())
}

/// Groups of 24 x 24 blocks do not divide 64 x 64 blocks: padded, they do.
#[test]
fn the_l2_form_with_groups_that_do_not_divide() -> Result<(), ContractionError> {
    let schedule = batched()
        .split_dim("m", ("m", 64), ("m_prim", 64))?
        .pad_dim("m", 72)?
        .split_dim("m", ("m_out", 3), ("m_l2", 24))?
        .split_dim("n", ("n", 64), ("n_prim", 64))?
        .pad_dim("n", 72)?
        .split_dim("n", ("n_out", 3), ("n_l2", 24))?
        .split_dim("k", ("k_out", 32), ("k_prim", 128))?
        .permute_dims(&[
            "c", "m_out", "n_out", "m_l2", "n_l2", "k_out", "m_prim", "n_prim", "k_prim",
        ])?
        .make_executable()?;
    schedule.verify()?;
    assert_eq!(
        schedule.exec_types,
        [Par, Par, Par, Par, Par, Seq, Prim, Prim, Prim]
    );
    assert_eq!(
        schedule.bounds,
        [
            Bound {
                limit: 64,
                terms: vec![(1, 24), (3, 1)]
            },
            Bound {
                limit: 64,
                terms: vec![(2, 24), (4, 1)]
            },
        ]
    );
    Ok(())
}

#[test]
fn what_is_printed() -> Result<(), ContractionError> {
    let schedule = batched()
        .pad_dim("m", 4160)?
        .split_dim("m", ("m_out", 52), ("m_prim", 80))?
        .split_dim("k", 32, 128)?
        .make_executable()?;
    assert_eq!(
        schedule.to_string(),
        "\
Gemm of F16, first touch Zero, last touch None
exec  dim     type  size  stride A  stride B  stride C
Par   c       C        4  16777216  16777216  16777216
      m_out   M       52    327680         -    327680
Seq   k0      K       32       128    524288         -
Prim  m_prim  M       80      4096         -      4096
      k1      K      128         1      4096         -
      n       N     4096         -         1         1
where m_out * 80 + m_prim < 4096
from_einsum(\"cmk, ckn -> cmn\", &[&[4, 4096, 4096], &[4, 4096, 4096]], F16)
  .pad_dim(\"m\", 4160)
  .split_dim(\"m\", (\"m_out\", 52), (\"m_prim\", 80))
  .split_dim(\"k\", 32, 128)
  .make_executable()
"
    );
    Ok(())
}
