//! What each step refuses, and its corners.

use super::*;

#[test]
fn dimensions_that_there_are_not() {
    assert_eq!(
        message(product(2, 3, 4).split_dim("x", 1, 2)),
        "there is no dimension `x`: they are 0 `m`, 1 `k`, 2 `n`."
    );
    let schedule = product(64, 3, 4)
        .split_dim("m", ("m_out", 2), ("m_prim", 32))
        .unwrap();
    assert_eq!(
        message(schedule.set_exec("m_pirm", Prim)),
        "there is no dimension `m_pirm`: they are 0 `m_out`, 1 `m_prim`, 2 `k`, 3 `n`. Did you mean `m_prim`?"
    );
    assert!(message(product(2, 3, 4).set_exec(3, Par)).starts_with("there is no dimension 3:"));
}

#[test]
fn parts_need_free_names_and_sizes_of_at_least_one() {
    let schedule = product(12, 3, 4);
    let split = |outer, inner| message(product(12, 3, 4).split_dim("m", outer, inner));
    assert_eq!(
        split(("n", 3), ("x", 4)),
        "`m` cannot be split: two dimensions would be called `n`; choose another name"
    );
    assert!(split(("x", 3), ("x", 4)).contains("two dimensions would be called `x`"));
    assert_eq!(
        split(("2m", 3), ("x", 4)),
        "`2m` is no name of a dimension: use letters, digits and `_`, no digit first"
    );
    assert_eq!(
        message(product(12, 3, 4).split_dim("m", 0, 12)),
        "`m` cannot be split into 0 * 12: sizes are at least 1"
    );
    assert_eq!(
        message(product(12, 3, 4).split_dim("m", u64::MAX, 2)),
        "`m` (M) has size 12, but 18446744073709551615 * 2 is 2^64 or more: split_dim(\"m\", 6, 2) would do"
    );
    // A part may take the old name, and a default name steps aside.
    let schedule = schedule
        .split_dim("m", ("m0", 3), ("m", 4))
        .unwrap()
        .split_dim("m", 2, 2)
        .unwrap();
    assert_eq!(schedule.names, ["m0", "m1", "m2", "k", "n"]);
    let mixed = product(12, 3, 4).split_dim("m", ("m0", 3), 4).unwrap();
    assert_eq!(mixed.names, ["m0", "m1", "k", "n"]);
}

#[test]
fn splits_end_where_nobody_can_nest_the_loops() {
    let mut schedule = product(2, 3, 4);
    while schedule.dim_types.len() < 64 {
        schedule = schedule.split_dim("m", ("m", 2), 1).unwrap();
    }
    assert_eq!(
        message(schedule.split_dim("m", ("m", 2), 1)),
        "there are 65 dimensions: fuse some, 64 are the most"
    );
}

#[test]
fn a_dimension_fuses_with_neither_itself_nor_another_execution() {
    assert_eq!(
        message(product(2, 3, 4).fuse_dims("m", 0)),
        "`m` cannot be fused with itself"
    );
    let schedule = product(4, 3, 4)
        .split_dim("m", 2, 2)
        .unwrap()
        .set_exec("m1", Prim)
        .unwrap();
    assert_eq!(
        message(schedule.fuse_dims("m0", "m1")),
        "`m0` (M) and `m1` (M) cannot be fused: one is Seq, the other Prim; make them alike with set_exec first"
    );
}

#[test]
fn fusing_needs_the_same_order_in_every_tensor() {
    // `ab` in A, `ba` in the output: each has its own order, no common one.
    let schedule =
        Schedule::from_einsum("abk, kn -> nba", &[&[3, 5, 7], &[7, 2]], DataType::F32).unwrap();
    let text = message(schedule.fuse_dims("a", "b"));
    assert!(
        text.contains("in the output (C) `a` has stride 1"),
        "{text}"
    );
    // With a third input.
    let shapes: [&[u64]; 3] = [&[3, 5, 7], &[7, 2], &[3, 2, 5]];
    let schedule = Schedule::from_einsum("abk, kn, anb -> abn", &shapes, DataType::F32).unwrap();
    let text = message(schedule.fuse_dims("a", "b"));
    assert!(text.contains("in the third input (D) `a`"), "{text}");
}

#[test]
fn dimensions_of_size_one_fuse_with_any_of_their_type() {
    let schedule =
        Schedule::from_einsum("akb, kn -> bna", &[&[1, 7, 5], &[7, 2]], DataType::F32).unwrap();
    for (first, second) in [("a", "b"), ("b", "a")] {
        let fused = schedule.clone().fuse_dims(first, second).unwrap();
        let dim = fused.dim_types.iter().position(|kind| *kind == M).unwrap();
        assert_eq!(fused.names[dim], format!("{first}{second}"));
        assert_eq!(fused.dim_sizes[dim], 5);
        assert_eq!([fused.strides[0][dim], fused.strides[2][dim]], [1, 2]);
    }
}

#[test]
fn a_permutation_names_each_dimension_once() {
    let permute = |order: &[&str]| product(2, 3, 4).permute_dims(order).unwrap_err().messages;
    let all = "permute_dims names each dimension once:";
    assert_eq!(permute(&["m", "n"]), [format!("{all} `k` is missing")]);
    assert_eq!(
        permute(&["m", "n", "m", "k"]),
        [format!("{all} `m` is named twice")]
    );
    assert_eq!(
        permute(&["m", "x", "m"]),
        [
            format!("{all} there is no dimension `x`: they are 0 `m`, 1 `k`, 2 `n`."),
            format!("{all} `m` is named twice"),
        ]
    );
    let schedule = product(2, 3, 4).permute_dims(&[2, 0, 1]).unwrap();
    assert_eq!(schedule.names, ["n", "m", "k"]);
    assert_eq!(schedule.dim_sizes, [3, 2, 4]);
    assert_eq!(schedule.strides[0], [0, 4, 1]);
}

#[test]
fn padding_only_grows_and_keeps_to_the_tensors() -> Result<(), ContractionError> {
    assert_eq!(
        message(product(7, 3, 4).pad_dim("m", 6)),
        "`m` (M) has size 7 and cannot be padded to 6: give a size of at least 7"
    );
    assert!(message(product(7, 3, 4).pad_dim("m", u64::MAX)).contains("2^64"));
    assert!(product(7, 3, 4).pad_dim("m", 7)?.bounds.is_empty());

    let padded = product(7, 3, 4)
        .pad_dim("m", 8)?
        .split_dim("m", 4, 2)?
        .split_dim("m0", 2, 2)?;
    assert_eq!(
        padded.bounds,
        [Bound {
            limit: 7,
            terms: vec![(0, 4), (1, 2), (2, 1)]
        }]
    );
    let permuted = padded.clone().permute_dims(&[4, 2, 0, 3, 1])?;
    assert_eq!(
        permuted.bounds,
        [Bound {
            limit: 7,
            terms: vec![(1, 1), (2, 4), (4, 2)]
        }]
    );
    // Back again; names aside.
    let fused = padded.fuse_dims(1, 2)?.fuse_dims(1, 0)?;
    assert_eq!(
        fused.bounds,
        [Bound {
            limit: 7,
            terms: vec![(0, 1)]
        }]
    );
    assert_eq!(fused.strides, product(7, 3, 4).strides);
    assert_eq!(fused.dim_sizes, [8, 4, 3]);
    Ok(())
}

#[test]
fn a_padded_dimension_fuses_only_with_what_was_padded_with_it() -> Result<(), ContractionError> {
    // m0 of 2 x m1 of 3, and m1 padded to 4: row 3 of a block is row 0 of the next.
    let inner = product(6, 3, 4).split_dim("m", 2, 3)?.pad_dim("m1", 4)?;
    assert!(
        message(inner.fuse_dims("m0", "m1"))
            .contains("is not the stride 4 of `m1` times its size 4")
    );
    let outer = product(6, 3, 4).split_dim("m", 2, 3)?.pad_dim("m0", 4)?;
    assert_eq!(
        message(outer.fuse_dims("m0", "m1")),
        "`m0` (M) and `m1` (M) cannot be fused: padding goes through one of them only (a limit of 2); keep them apart"
    );
    Ok(())
}

#[test]
fn the_default_execution_keeps_what_is_prim() -> Result<(), ContractionError> {
    let schedule = batched()
        .split_dim("m", 64, 64)?
        .set_exec("m0", Prim)?
        .set_exec("k", Par)?
        .set_exec("c", Prim)?
        .make_executable()?;
    schedule.verify()?;
    assert_eq!(schedule.names, ["c", "m1", "m0", "k", "n"]);
    assert_eq!(schedule.exec_types, [Par, Par, Prim, Prim, Prim]);

    let batch = batched()
        .set_prim_main(PrimType::Bgemm)?
        .set_exec("c", Prim)?
        .make_executable()?;
    batch.verify()?;
    assert_eq!(batch.exec_types, [Prim; 4]);
    assert_eq!(
        message(batch.set_prim_main(PrimType::Gemm)?.verify()),
        "`c` (C) is Prim, but the inner product is Gemm, which has no batch: set_prim_main(PrimType::Bgemm), or set_exec(\"c\", ExecType::Par)"
    );
    Ok(())
}

#[test]
fn executions_are_set_one_per_dimension() {
    assert_eq!(
        message(product(2, 3, 4).set_execs(&[Par])),
        "set_execs got a list of length 1 for the dimensions m, k, n: give one per dimension"
    );
}

#[test]
fn inputs_must_be_as_long_as_their_tensors() {
    let schedule = product(2, 3, 4);
    let (a, b) = ([1.0; 8], [1.0; 12]);
    assert_eq!(
        message(evaluate(&schedule, &[&a])),
        "the contraction needs 2 inputs, got 1"
    );
    assert_eq!(
        message(evaluate(&schedule, &[&a, &a])),
        "the second input (B) has 12 elements, but 8 were given"
    );
    assert_eq!(evaluate(&schedule, &[&a, &b]).unwrap(), [4.0; 6]);
    let wide = Schedule::from_einsum(
        "mk, kn -> mn",
        &[&[1 << 31, 1], &[1, 1 << 31]],
        DataType::F32,
    );
    assert!(wide.is_ok(), "data as such does not need memory");
}
