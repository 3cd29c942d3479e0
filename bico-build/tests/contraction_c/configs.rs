//! Kernels of single configs: random einsums, sizes and chains of steps.

use super::harness::{Case, Text, check};
use bico_build::contraction::{Config, DataType, Nest, Param, Signature, c, random};
use fastrand::Rng;

const MAX_ELEMENTS: u64 = 40_000;

/// The kernel of a config and a call of it.
fn case(rng: &mut Rng, config: &Config, at: usize) -> (Text, Case) {
    let nest = Nest::of_config(config).unwrap();
    let mut parameters: Vec<Param> = (0..config.elements.len()).map(Param::Tensor).collect();
    parameters.extend([Param::Scratch(0), Param::Scratch(1)]);
    rng.shuffle(&mut parameters);
    let signature = Signature {
        entry: format!("kernel_{at}"),
        parameters,
        reference: Some(format!("reference_{at}")),
    };
    let schedule = match rng.bool() {
        true => c::Schedule::of(&nest),
        false => any_schedule(rng, &nest),
    };
    let kernel = c::kernel(&nest, &signature, &schedule).unwrap();
    let inputs = random::inputs(rng, config);
    let slices: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let expected = config.evaluate(&slices).unwrap();
    let length = |tensor: usize| config.elements.get(tensor).map_or(0, |e| *e as usize);
    let case = Case {
        label: format!("{config}{schedule:?}"),
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
fn any_schedule(rng: &mut Rng, nest: &Nest) -> c::Schedule {
    let vector = [4, 8][rng.usize(0..2)];
    let wide = vector * rng.u64(1..=2);
    let narrow = rng.u64(1..=5);
    let swapped = nest.tile[0].strides[2].is(1) && !nest.tile[1].strides[2].is(1);
    c::Schedule {
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

fn random_configs(seed: u64, count: usize, compiler: &[&str]) {
    let mut rng = Rng::with_seed(seed);
    let mut start = 0;
    // Programs of some hundred kernels: the compiler's output is looked at piece by piece.
    while start < count {
        let here = (count - start).min(100);
        let (mut texts, mut cases) = (Vec::new(), Vec::new());
        for at in 0..here {
            let mut config = random::config(&mut rng, MAX_ELEMENTS);
            config.data_type = DataType::F32;
            let (text, case) = case(&mut rng, &config, at);
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
fn fifty_random_configs_agree_with_the_reference() {
    random_configs(7, 50, super::CC);
}

#[test]
#[ignore = "minutes: a thousand compilations"]
fn a_thousand_random_configs_agree_with_the_reference() {
    random_configs(8, 1000, super::CC);
}

#[test]
#[ignore = "needs the sanitizers' libraries"]
fn random_configs_touch_only_what_is_theirs() {
    random_configs(9, 100, super::SANITIZED);
}
