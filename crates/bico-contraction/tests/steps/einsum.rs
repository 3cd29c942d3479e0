//! What `from_einsum` refuses.

use super::*;

fn refused(einsum: &str, shapes: &[&[u64]]) -> Vec<String> {
    Schedule::from_einsum(einsum, shapes, DataType::F32)
        .unwrap_err()
        .messages
}

#[test]
fn mistakes_of_the_einsum_with_their_places() {
    assert_eq!(
        refused("mkk, kn -> mx", &[]),
        [
            "`k` is twice in the first input (A)\n  mkk, kn -> mx\n    ^\n  diagonals are not supported: give each index of a tensor a letter of its own",
            "`n` is only in the second input (B)\n  mkk, kn -> mx\n        ^\n  it must also be in the other input (to be summed over) or in the output; sum `n` away beforehand otherwise",
            "`x` is only in the output (C)\n  mkk, kn -> mx\n              ^\n  an input must have `x`, too",
        ]
    );
}

#[test]
fn missing_shapes() {
    assert_eq!(
        refused("mk, kn -> mn", &[&[2, 3]]),
        [
            "`mk, kn -> mn` needs 2 shapes, got 1: give one per input, with a size for each of its letters"
        ]
    );
    assert_eq!(refused("mk, kn, mn -> mn", &[&[2, 3], &[3, 4]]).len(), 1);
    assert_eq!(
        refused("mk, kn -> mn", &[&[2, 3], &[3, 4], &[2, 4]]).len(),
        1
    );
}

#[test]
fn wrong_ranks() {
    assert_eq!(
        refused("mk, kn, nm -> mn", &[&[2, 3, 4], &[3], &[]]),
        [
            "the first input (A) has 2 indices (`mk`), but its shape [2, 3, 4] has 3: give one size per letter",
            "the second input (B) has 2 indices (`kn`), but its shape [3] has 1: give one size per letter",
            "the third input (D) has 2 indices (`nm`), but its shape [] has 0: give one size per letter",
        ]
    );
}

#[test]
fn sizes_that_disagree() {
    assert_eq!(
        refused("mk, kn, mn -> mn", &[&[2, 3], &[4, 5], &[2, 6]]),
        [
            "`k` is 3 in the first input (A), but 4 in the second input (B): an index has one size",
            "`n` is 5 in the second input (B), but 6 in the third input (D): an index has one size",
        ]
    );
}

#[test]
fn sizes_of_zero() {
    assert_eq!(
        refused("mk, kn -> mn", &[&[0, 3], &[3, 5]]),
        ["`m` has size 0 in the first input (A): sizes are at least 1"]
    );
}

#[test]
fn sizes_beyond_64_bits() {
    let big = 1 << 22;
    assert_eq!(
        refused("mk, kn -> mn", &[&[big, big], &[big, big]]),
        [
            "`mk, kn -> mn` has more than 2^64 multiplications with m = 4194304, k = 4194304, n = 4194304: use smaller sizes"
        ]
    );
    refused("mk, kn -> mn", &[&[u64::MAX, 2], &[2, 1]]);
    // Just within.
    Schedule::from_einsum("mk, kn -> mn", &[&[u64::MAX, 1], &[1, 1]], DataType::F32).unwrap();
}

#[test]
fn a_third_input_sets_the_last_touch() {
    let schedule = Schedule::from_einsum(
        "mk, kn, nm -> mn",
        &[&[2, 3], &[3, 5], &[5, 2]],
        DataType::F32,
    )
    .unwrap();
    assert_eq!(schedule.prim_last, LastTouch::ElementwiseMul);
    assert_eq!(schedule.names, ["m", "k", "n"]);
    assert_eq!(schedule.strides[2..], [[5, 0, 1], [1, 0, 2]]);
    assert_eq!(schedule.elements, [6, 15, 10, 10]);
}

#[test]
fn a_contraction_without_one_of_the_types_cannot_be_executed() {
    let schedule = Schedule::from_einsum("mk, k -> m", &[&[2, 3], &[3]], DataType::F32).unwrap();
    assert_eq!(
        evaluate(&schedule, &[&[1., 2., 3., 4., 5., 6.], &[1., 10., 100.]]).unwrap(),
        [321., 654.]
    );
    assert_eq!(
        message(schedule.clone().make_executable()),
        "the contraction has no dimension of type N (an index that is in the second input and the output only), but the inner product needs one each of M, N and K: add one of size 1 to the einsum"
    );
    let verified = schedule.set_execs(&[Prim, Prim]).unwrap().verify();
    assert!(message(verified).starts_with("the contraction has no dimension of type N"));
}

#[test]
fn an_einsum_that_no_text_gives() {
    use bico_einsum::Einsum;
    let einsum = |inputs: &[&str], output: &str| Einsum {
        text: String::new(),
        inputs: inputs.iter().map(|input| input.chars().collect()).collect(),
        output: output.chars().collect(),
    };
    for (wrong, shapes) in [
        (einsum(&[], ""), &[][..]),
        (einsum(&["mk"], "m"), &[&[2, 3][..]]),
        (einsum(&["mkx", "kn"], "mn"), &[&[2, 3, u64::MAX], &[3, 4]]),
        (einsum(&["m,", ",n"], "mn"), &[&[2, 3], &[3, 4]]),
    ] {
        assert!(naive(&wrong, shapes, &[]).is_err());
    }
}
