//! Kernels of single schedules: random einsums, sizes and chains of steps.

use super::harness::{Case, Text, check};
use bico_contraction::{DataType, Nest, Param, Schedule, Signature, c};
use bico_contraction_tests::{evaluate, random};
use fastrand::Rng;

const MAX_ELEMENTS: u64 = 40_000;

/// The kernel of a schedule and a call of it.
fn case(rng: &mut Rng, schedule: &Schedule, at: usize) -> (Text, Case) {
    let nest = Nest::of_schedule(schedule).unwrap();
    let mut parameters: Vec<Param> = (0..schedule.elements.len()).map(Param::Tensor).collect();
    parameters.extend([Param::Scratch(0), Param::Scratch(1)]);
    rng.shuffle(&mut parameters);
    let signature = Signature {
        entry: format!("kernel_{at}"),
        parameters,
        reference: Some(format!("reference_{at}")),
    };
    let tiling = match rng.bool() {
        true => c::Tiling::of(&nest),
        false => any_tiling(rng, &nest),
    };
    let kernel = c::kernel(&nest, &signature, &tiling).unwrap();
    let inputs = random::inputs(rng, schedule);
    let slices: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let expected = evaluate(schedule, &slices).unwrap();
    let length = |tensor: usize| schedule.elements.get(tensor).map_or(0, |e| *e as usize);
    let case = Case {
        label: format!("{schedule}{tiling:?}"),
        text: at,
        sizes: Vec::new(),
        lengths: [0, 1, 2, 3].map(length),
        scratch: kernel.scratch.map(|length| length as usize),
        inputs,
        expected,
        reference: false,
    };
    let text = Text {
        source: kernel.source,
        signature,
        flags: Vec::new(),
    };
    (text, case)
}

/// One that leaves edges wherever it can.
fn any_tiling(rng: &mut Rng, nest: &Nest) -> c::Tiling {
    let vector = [4, 8][rng.usize(0..2)];
    let wide = vector * rng.u64(1..=2);
    let narrow = rng.u64(1..=5);
    let swapped = nest.tile[0].strides[2].is(1) && !nest.tile[1].strides[2].is(1);
    c::Tiling {
        vector,
        register: if swapped {
            [wide, narrow]
        } else {
            [narrow, wide]
        },
        unroll: rng.u64(1..=3),
        prefetch: rng.u64(0..=1) * 8,
    }
}

fn random_schedules(seed: u64, count: usize, compiler: &[&str]) {
    let mut rng = Rng::with_seed(seed);
    let mut start = 0;
    // Programs of some hundred kernels: the compiler's output is looked at piece by piece.
    while start < count {
        let here = (count - start).min(100);
        let (mut texts, mut cases) = (Vec::new(), Vec::new());
        for at in 0..here {
            let mut schedule = random::schedule(&mut rng, MAX_ELEMENTS);
            schedule.data_type = DataType::F32;
            let (text, case) = case(&mut rng, &schedule, at);
            let reference = Case {
                label: format!("the reference of {}", case.label),
                reference: true,
                inputs: case.inputs.clone(),
                expected: case.expected.clone(),
                sizes: Vec::new(),
                ..case
            };
            texts.push(text);
            cases.extend([case, reference]);
        }
        check(compiler, &texts, &cases);
        start += here;
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn fifty_random_schedules_agree_with_the_reference() {
    random_schedules(7, 50, super::CC);
}

#[test]
#[ignore = "minutes, a thousand compilations: `scripts/full c-configs`"]
fn a_thousand_random_schedules_agree_with_the_reference() {
    random_schedules(8, 1000, super::CC);
}

#[test]
#[ignore = "needs the sanitizers' libraries: .ci/run runs it"]
fn few_sanitized_schedules_touch_only_what_is_theirs() {
    random_schedules(9, 10, super::SANITIZED);
}

#[test]
#[ignore = "minutes, and needs the sanitizers' libraries: `scripts/full c-sanitized`"]
fn all_sanitized_schedules_touch_only_what_is_theirs() {
    random_schedules(9, 100, super::SANITIZED);
}
