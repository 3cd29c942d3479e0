//! Random einsums, sizes and chains: accepted steps change nothing, and what would change something is refused.

use super::*;
use fastrand::Rng;
use proptest::prelude::*;

fn same(schedule: &Schedule, expected: &[f64], inputs: &[&[f64]]) {
    assert_eq!(evaluate(schedule, inputs).unwrap(), expected, "{schedule}");
}

/// A random chain that starts at a random einsum, at most `steps` long.
fn chain(rng: &mut Rng, steps: usize, max_elements: u64) -> Schedule {
    let einsum = random::einsum(rng);
    let shapes = random::shapes(rng, &einsum, max_elements / 4);
    let shapes: Vec<&[u64]> = shapes.iter().map(Vec::as_slice).collect();
    let schedule = Schedule::from_einsum(&einsum.text, &shapes, DataType::F32).unwrap();
    random::chain(rng, schedule, steps, max_elements)
}

/// Whether one index of one dimension can replace those of `outer` and `inner`: found by trying all, not by a formula.
fn can_follow(schedule: &Schedule, outer: usize, inner: usize) -> bool {
    let size = schedule.dim_sizes[inner];
    let all: Vec<(u64, u64)> = (0..schedule.dim_sizes[outer])
        .flat_map(|o| (0..size).map(move |i| (o, i)))
        .collect();
    let linear = |of_outer: u64, of_inner: u64| {
        let address = |(o, i): (u64, u64)| o * of_outer + i * of_inner;
        let unit = all.get(1).map_or(0, |second| address(*second));
        (0..)
            .zip(&all)
            .all(|(fused, pair)| address(*pair) == fused * unit)
    };
    let factor = |bound: &Bound, dim| {
        let term = bound.terms.iter().find(|(own, _)| *own == dim);
        term.map_or(0, |(_, factor)| *factor)
    };
    (schedule.strides.iter()).all(|strides| linear(strides[outer], strides[inner]))
        && (schedule.bounds.iter()).all(|bound| linear(factor(bound, outer), factor(bound, inner)))
}

/// What [`Schedule::verify`] asks for, said another way.
fn executable(schedule: &Schedule) -> bool {
    let order: String = (schedule.exec_types.iter())
        .map(|exec| match exec {
            Par => 'a',
            Seq => 'b',
            Prim => 'c',
        })
        .collect();
    let mut sorted: Vec<char> = order.chars().collect();
    sorted.sort_unstable();
    let dims = || schedule.dim_types.iter().zip(&schedule.exec_types);
    sorted.into_iter().eq(order.chars())
        && [M, N, K]
            .iter()
            .all(|kind| dims().any(|dim| dim == (kind, &Prim)))
        && !dims().any(|dim| dim == (&K, &Par))
        && (schedule.prim_main == PrimType::Bgemm || !dims().any(|dim| dim == (&C, &Prim)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_chain_of_accepted_steps_computes_the_einsum(seed: u64) {
        let rng = &mut Rng::with_seed(seed);
        let einsum = random::einsum(rng);
        let shapes = random::shapes(rng, &einsum, 800);
        let shapes: Vec<&[u64]> = shapes.iter().map(Vec::as_slice).collect();
        let schedule = Schedule::from_einsum(&einsum.text, &shapes, DataType::F32).unwrap();
        let inputs = random::inputs(rng, &schedule);
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        let expected = naive(&einsum, &shapes, &inputs).unwrap();
        same(&schedule, &expected, &inputs);
        let schedule = random::chain(rng, schedule, 12, 2500);
        same(&schedule, &expected, &inputs);
        let schedule = schedule.make_executable().unwrap();
        schedule.verify().unwrap();
        same(&schedule, &expected, &inputs);
    }

    #[test]
    fn random_executable_schedules_compute_the_einsum(seed: u64) {
        let rng = &mut Rng::with_seed(seed);
        let einsum = random::einsum(rng);
        let shapes = random::shapes(rng, &einsum, 500);
        let schedule = random::executable(rng, &einsum, &shapes, 2000);
        schedule.verify().unwrap();
        let inputs = random::inputs(rng, &schedule);
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        let shapes: Vec<&[u64]> = shapes.iter().map(Vec::as_slice).collect();
        same(&schedule, &naive(&einsum, &shapes, &inputs).unwrap(), &inputs);
    }

    #[test]
    fn dimensions_fuse_where_one_index_can_replace_two(seed: u64) {
        let rng = &mut Rng::with_seed(seed);
        let schedule = chain(rng, 8, 1000);
        let schedule = (schedule.clone()).set_execs(&vec![Seq; schedule.dim_types.len()]).unwrap();
        for a in 0..schedule.dim_types.len() {
            for b in (0..schedule.dim_types.len()).filter(|b| *b != a) {
                let allowed = schedule.dim_types[a] == schedule.dim_types[b]
                    && (can_follow(&schedule, a, b) || can_follow(&schedule, b, a));
                let fused = schedule.clone().fuse_dims(a, b);
                prop_assert_eq!(fused.is_ok(), allowed, "{} and {} of\n{}", a, b, schedule);
            }
        }
    }

    #[test]
    fn splits_are_exact_and_fusing_undoes_them(seed: u64) {
        let rng = &mut Rng::with_seed(seed);
        let schedule = chain(rng, 6, 1000);
        let dim = rng.usize(0..schedule.dim_types.len());
        let size = schedule.dim_sizes[dim];
        for outer in 0..=size + 1 {
            for inner in 0..=size + 1 {
                let split = schedule.clone().split_dim(dim, outer, inner);
                prop_assert_eq!(split.is_ok(), outer * inner == size);
                if let Ok(split) = split {
                    let mut fused = split.fuse_dims(dim, dim + 1).unwrap();
                    fused.names.clone_from(&schedule.names);
                    fused.steps.clone_from(&schedule.steps);
                    prop_assert_eq!(&fused, &schedule);
                }
            }
        }
    }

    #[test]
    fn permutations_are_those_of_the_dimensions(seed: u64) {
        let rng = &mut Rng::with_seed(seed);
        let schedule = chain(rng, 6, 1000);
        let dims = schedule.dim_types.len();
        let order: Vec<usize> = (0..dims - rng.usize(0..2)).map(|_| rng.usize(0..dims)).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let permuted = schedule.clone().permute_dims(&order);
        prop_assert_eq!(permuted.is_ok(), sorted.into_iter().eq(0..dims));
        let mut order: Vec<usize> = (0..dims).collect();
        rng.shuffle(&mut order);
        let permuted = schedule.clone().permute_dims(&order).unwrap();
        for (new, old) in order.iter().enumerate() {
            prop_assert_eq!(&permuted.names[new], &schedule.names[*old]);
        }
        // By name, and back.
        let names: Vec<&str> = schedule.names.iter().map(String::as_str).collect();
        let mut back = permuted.permute_dims(&names).unwrap();
        back.steps.clone_from(&schedule.steps);
        prop_assert_eq!(back, schedule);
    }

    #[test]
    fn verify_accepts_exactly_what_can_be_executed(seed: u64) {
        let rng = &mut Rng::with_seed(seed);
        let mut schedule = chain(rng, 4, 1000);
        if rng.bool() {
            schedule = schedule.make_executable().unwrap();
        }
        if rng.bool() {
            schedule = schedule.set_prim_main(PrimType::Bgemm).unwrap();
        }
        for _ in 0..rng.usize(0..4) {
            let dim = rng.usize(0..schedule.dim_types.len());
            let exec = [Par, Seq, Prim][rng.usize(0..3)];
            schedule = schedule.set_exec(dim, exec).unwrap();
        }
        prop_assert_eq!(schedule.verify().is_ok(), executable(&schedule), "{}", schedule);
        let schedule = schedule.make_executable().unwrap();
        prop_assert!(schedule.verify().is_ok() && executable(&schedule), "{}", schedule);
    }
}

/// The properties above say something only if chains hold what they are about.
#[test]
fn random_chains_hold_every_step() {
    let mut found = std::collections::BTreeMap::new();
    let (mut both, mut padded_fuse, mut refused) = (0, 0, 0);
    for seed in 0..1000 {
        let rng = &mut Rng::with_seed(seed);
        let schedule = chain(rng, 12, 6000);
        for step in &schedule.steps {
            let name = step.split('(').next().unwrap_or_default().to_owned();
            *found.entry(name).or_insert(0) += 1;
        }
        both += usize::from(schedule.prim_last == LastTouch::ElementwiseMul);
        let place = |step: &str| schedule.steps.iter().position(|own| own.starts_with(step));
        let pad_then_fuse = place("pad").is_some_and(|pad| {
            let later = &schedule.steps[pad..];
            later.iter().any(|step| step.starts_with("fuse"))
        });
        padded_fuse += usize::from(pad_then_fuse && !schedule.bounds.is_empty());
        refused += usize::from(random::step(rng, schedule).is_err());
    }
    for step in [
        "split_dim",
        "fuse_dims",
        "permute_dims",
        "pad_dim",
        "set_exec",
        "make_executable",
    ] {
        let count = found.get(step).copied().unwrap_or(0);
        assert!(count >= 200, "{step} {count} times: {found:?}");
    }
    assert!(both >= 150, "{both} with a third input");
    assert!(padded_fuse >= 30, "{padded_fuse} fused after padding");
    assert!(refused >= 150, "{refused} steps refused");
}

/// And those that the generators are tested with are of all kinds, too.
#[test]
fn random_executable_schedules_are_of_all_kinds() {
    let (mut batches, mut padded, mut factors, mut several) = (0, 0, 0, 0);
    for seed in 0..1000 {
        let schedule = random::schedule(&mut Rng::with_seed(seed), 2000);
        let prim = |kind| {
            let dims = schedule.dim_types.iter().zip(&schedule.exec_types);
            dims.filter(|dim| *dim == (&kind, &Prim)).count()
        };
        batches += usize::from(prim(C) > 0);
        padded += usize::from(!schedule.bounds.is_empty());
        factors += usize::from(schedule.prim_last == LastTouch::ElementwiseMul);
        several += usize::from([M, N, K].iter().any(|kind| prim(*kind) > 1));
    }
    let found = [batches, padded, factors, several];
    assert!(found.iter().all(|count| *count >= 100), "{found:?}");
}
