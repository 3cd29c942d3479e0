//! Schedules whose fields were set by hand: none makes anything panic, and none that is accepted leaves its tensors.

use super::*;
use bico_einsum::Einsum;
use fastrand::Rng;
use proptest::prelude::*;

/// A product with some of its fields changed.
fn changed(change: impl FnOnce(&mut Schedule)) -> Vec<String> {
    let mut schedule = product(2, 3, 4);
    change(&mut schedule);
    let error = schedule.validate().unwrap_err();
    // Whatever is done with it, the same is said.
    assert_eq!(schedule.verify(), Err(error.clone()));
    assert_eq!(evaluate(&schedule, &[]), Err(error.clone()));
    assert_eq!(schedule.clone().make_executable(), Err(error.clone()));
    assert_eq!(schedule.fuse_dims(0, 1), Err(error.clone()));
    error.messages
}

#[test]
fn lists_that_do_not_fit_each_other() {
    assert_eq!(
        changed(|s| s.dim_types = vec![M]),
        [
            "exec_types has length 3, but dim_types 1: give one entry per dimension",
            "dim_sizes has length 3, but dim_types 1: give one entry per dimension",
            "names has length 3, but dim_types 1: give one entry per dimension",
            "strides[0] has length 3, but dim_types 1: give one entry per dimension",
            "strides[1] has length 3, but dim_types 1: give one entry per dimension",
            "strides[2] has length 3, but dim_types 1: give one entry per dimension",
        ]
    );
    assert_eq!(
        changed(|s| s.prim_last = LastTouch::ElementwiseMul),
        [
            "strides has length 3, but with the last touch ElementwiseMul there are 4 tensors",
            "elements has length 3, but with the last touch ElementwiseMul there are 4 tensors",
        ]
    );
}

#[test]
fn sizes_names_and_strides_that_mean_nothing() {
    assert_eq!(
        changed(|s| s.dim_sizes = vec![0, 4, 3]),
        ["`m` has size 0: sizes are at least 1"]
    );
    assert_eq!(
        changed(|s| s.dim_sizes = vec![u64::MAX, 4, 3]),
        ["the product of all sizes is 2^64 or more: use smaller sizes"]
    );
    assert_eq!(
        changed(|s| s.names = ["m", "m", "n;"].map(String::from).to_vec()),
        [
            "two dimensions are called `m`: give each a name of its own",
            "`n;` is no name of a dimension: use letters, digits and `_`, no digit first",
        ]
    );
    assert_eq!(
        changed(|s| s.strides = [[4, 1, 0], [0, 3, 1], [0, 1, 1]].map(Vec::from).to_vec()),
        [
            "`m` (M) has stride 0 in the output (C): its iterations would write over each other",
            "`k` (K) has stride 1 in the output (C), which has no dimensions of that type: it must be 0",
        ]
    );
}

#[test]
fn loops_that_leave_a_tensor() {
    assert_eq!(
        changed(|s| s.elements = vec![8, 11, 6]),
        ["the dimensions reach element 11 of the second input (B), which has 11"]
    );
    let huge = [[1u64 << 63, 1u64 << 63, 0], [0, 3, 1], [3, 0, 1]];
    assert_eq!(
        changed(|s| s.strides = huge.map(Vec::from).to_vec()),
        ["the dimensions reach element 2^64 of the first input (A), which has 8"]
    );
}

#[test]
fn bounds_that_mean_nothing() {
    let bound = |limit: u64, terms: &[(usize, u64)]| {
        let terms = terms.to_vec();
        changed(|s| s.bounds = vec![Bound { limit, terms }])
    };
    assert_eq!(
        bound(0, &[]),
        [
            "bounds[0] has limit 0, which nothing fulfils: limits are at least 1",
            "bounds[0] has no terms: leave it out",
        ]
    );
    assert_eq!(
        bound(1, &[(3, 1)]),
        ["bounds[0] names dimension 3, but there are 3"]
    );
    assert_eq!(
        bound(1, &[(0, 1), (0, 1)]),
        ["bounds[0] must name each dimension once, in their order"]
    );
    assert_eq!(
        bound(1, &[(0, 1), (1, 1)]),
        ["bounds[0] has dimensions of different types"]
    );
    assert_eq!(
        bound(1, &[(1, u64::MAX)]),
        ["bounds[0] reaches 2^64 or more: use smaller factors"]
    );
}

const NUMBERS: [u64; 8] = [0, 1, 2, 3, 7, 1 << 32, 1 << 63, u64::MAX];

fn any<T: Clone>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.usize(0..choices.len())].clone()
}

/// Changes one element or the length of a list.
fn disturb<T: Clone>(rng: &mut Rng, list: &mut Vec<T>, choices: &[T]) {
    let new = any(rng, choices);
    match rng.u8(0..12) {
        0 => {
            list.pop();
        }
        1 => list.push(new),
        _ if list.is_empty() => list.push(new),
        _ => {
            let place = rng.usize(0..list.len());
            list[place] = new;
        }
    }
}

/// Changes something somewhere in a schedule.
fn change(rng: &mut Rng, schedule: &mut Schedule) {
    let Schedule {
        strides, bounds, ..
    } = schedule;
    match rng.u8(0..9) {
        0 => disturb(rng, &mut schedule.dim_types, &[M, N, K, C]),
        1 => disturb(rng, &mut schedule.exec_types, &[Seq, Par, Prim]),
        2 => disturb(rng, &mut schedule.dim_sizes, &NUMBERS),
        3 => disturb(rng, &mut schedule.elements, &NUMBERS),
        4 => {
            let names = ["m", "", "x y", "é", "M", "N"].map(String::from);
            disturb(rng, &mut schedule.names, &names);
        }
        5 => {
            let lists = [vec![], strides.first().cloned().unwrap_or_default()];
            disturb(rng, strides, &lists);
        }
        6 if !strides.is_empty() => {
            let tensor = rng.usize(0..strides.len());
            disturb(rng, &mut strides[tensor], &NUMBERS);
        }
        7 if !bounds.is_empty() => {
            let place = rng.usize(0..bounds.len());
            let (dim, factor) = (any(rng, &[0, 1, 2, 7, usize::MAX]), any(rng, &NUMBERS));
            match rng.bool() {
                true => bounds[place].limit = factor,
                false => disturb(rng, &mut bounds[place].terms, &[(dim, factor)]),
            }
        }
        8 => schedule.prim_last = any(rng, &[LastTouch::None, LastTouch::ElementwiseMul]),
        _ => {
            let (limit, factor) = (any(rng, &NUMBERS), any(rng, &NUMBERS));
            let terms = vec![(rng.usize(0..5), factor)];
            disturb(rng, bounds, &[Bound { limit, terms }]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(seed: u64) {
        let rng = &mut Rng::with_seed(seed);
        let mut schedule = random::schedule(rng, 60);
        for _ in 0..rng.usize(1..=3) {
            change(rng, &mut schedule);
        }
        prop_assert!(!schedule.to_string().is_empty());
        let _ = schedule.verify();
        let _ = schedule.clone().make_executable();
        let _ = schedule.clone().split_dim(0, 1, 2);
        let _ = schedule.clone().split_dim(0, 1, 1);
        let _ = schedule.clone().fuse_dims(0, 1);
        let _ = schedule.clone().fuse_dims(1, 0);
        let _ = schedule.clone().pad_dim(0, 1 << 40);
        let _ = schedule.clone().permute_dims(&[0, 1, 2]);
        let product = schedule.dim_sizes.iter().try_fold(1u64, |product, size| product.checked_mul(*size));
        let elements = schedule.elements.iter().max().copied().unwrap_or(0);
        // What is valid stays within its tensors: else indexing would panic here.
        if product.is_some_and(|product| product < 10_000) && elements < 10_000 {
            let inputs = random::inputs(rng, &schedule);
            let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(evaluate(&schedule, &inputs).is_ok(), schedule.validate().is_ok());
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[a-d ,>é.-]{0,12}|[a-c]{0,3},[a-c]{0,3}(,[a-c]{0,2})?->[a-c]{0,3}") {
        match Einsum::parse(&text) {
            Ok(einsum) => {
                let letters: usize = einsum.plan().groups.iter().map(|group| group.letters.len()).sum();
                prop_assert_eq!(letters, einsum.letters().len());
                let again = Einsum::parse(&einsum.to_string()).unwrap();
                prop_assert_eq!((again.inputs, again.output), (einsum.inputs, einsum.output));
            }
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    prop_assert!(text.get(error.range.clone()).is_some(), "{:?}", error);
                    prop_assert!(!error.render(&text).is_empty());
                }
            }
        }
    }
}
