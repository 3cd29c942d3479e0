use super::{compare, served, stream, upload, values};
use bico::{Config, Error};
use bico_kernels::{glu, glu_f16, glu_f16_tunable, glu_f16_with, glu_tunable, glu_with};
use half::f16;

const SIZES: [(usize, usize, usize); 9] = [
    (1, 1, 1),
    (7, 5, 3),
    (0, 5, 3),
    (7, 0, 3),
    (7, 5, 0),
    (1, 131, 2),
    (17, 40, 31),
    (97, 65, 67),
    (64, 64, 64),
];

/// (x W) * act(x V) in double precision.
fn expected(act: &str, [x, w, v]: [&[f32]; 3], (m, n, k): (usize, usize, usize)) -> Vec<f32> {
    let activate = |v: f64| match act {
        "sigmoid" => 1.0 / (1.0 + (-v).exp()),
        "silu" => v / (1.0 + (-v).exp()),
        _ => v * normal(v),
    };
    let product = |weights: &[f32], i: usize, j: usize| -> f64 {
        let terms = (0..k).map(|p| f64::from(x[i * k + p]) * f64::from(weights[p * n + j]));
        terms.sum()
    };
    let at = |i, j| (product(w, i, j) * activate(product(v, i, j))) as f32;
    (0..m * n).map(|i| at(i / n, i % n)).collect()
}

/// The normal distribution's function, as the sum of its series (Marsaglia, "Evaluating the Normal Distribution",
/// 2004). There is no error function in `std`.
fn normal(v: f64) -> f64 {
    if v.abs() > 8.0 {
        return if v > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut i) = (v, v, 1.0);
    while f64::abs(term) > 1e-18 {
        i += 2.0;
        term *= v * v / i;
        sum += term;
    }
    0.5 + sum * (-0.5 * v * v).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// The values of all elements, with those of V small enough that activations are bent there.
fn inputs((m, n, k): (usize, usize, usize)) -> [Vec<f32>; 3] {
    let v = values(k * n, 3).iter().map(|value| value / 16.0).collect();
    [values(m * k, 1), values(k * n, 2), v]
}

macro_rules! all_candidates {
    ($test:ident, $element:ty, $from:expr, $tunable:ident, $call:ident, $with:ident, $tolerance:expr) => {
        #[test]
        fn $test() {
            let tunable = $tunable();
            let Some(stream) = stream(tunable, &[1, 1, 1]) else {
                return;
            };
            for act in ["sigmoid", "silu", "gelu"] {
                let mut tried = 0;
                for sizes in SIZES {
                    let inputs = inputs(sizes);
                    let expected = expected(act, [&inputs[0], &inputs[1], &inputs[2]], sizes);
                    let [x, w, v] = inputs.map(|input| {
                        let input: Vec<$element> = input.into_iter().map($from).collect();
                        upload(&stream, &input)
                    });
                    let (m, n, k) = (sizes.0 as u32, sizes.1 as u32, sizes.2 as u32);
                    let poison = vec![<$element>::NAN; sizes.0 * sizes.1];
                    let mut run = |config: Option<&Config>| {
                        let mut y = upload(&stream, &poison);
                        let done = match config {
                            None => $call(&stream, act, &mut y, &x, &w, &v, m, n, k),
                            Some(config) => {
                                $with(config, &stream, act, &mut y, &x, &w, &v, m, n, k)
                            }
                        };
                        match done {
                            // It was compiled for another activation.
                            Err(Error::UnknownConfig { .. }) if config.is_some() => return,
                            done if config.is_some() && !served(done.clone()) => return,
                            done => done.unwrap(),
                        }
                        let out = stream.clone_dtoh(&y).unwrap();
                        let out: Vec<f32> = out.into_iter().map(f32::from).collect();
                        let what = config.map_or("the dispatcher's".into(), Config::to_string);
                        compare(
                            &out,
                            &expected,
                            $tolerance,
                            &format!("{act} {sizes:?} {what}"),
                        );
                        tried += 1;
                    };
                    run(None);
                    for config in tunable.candidates() {
                        run(Some(&config));
                    }
                }
                assert!(tried > SIZES.len(), "no candidate for {act}");
            }
        }
    };
}

all_candidates!(in_fp32, f32, |x| x, glu_tunable, glu, glu_with, 1e-3);
all_candidates!(
    in_fp16,
    f16,
    f16::from_f32,
    glu_f16_tunable,
    glu_f16,
    glu_f16_with,
    2e-3
);

#[test]
fn another_activation_is_no_problem_of_ours() {
    let Some(stream) = stream(glu_tunable(), &[1, 1, 1]) else {
        return;
    };
    let input = stream.clone_htod(&[1.0f32]).unwrap();
    let mut y = stream.clone_htod(&[1.0f32]).unwrap();
    let error = glu(&stream, "relu", &mut y, &input, &input, &input, 1, 1, 1).unwrap_err();
    assert!(matches!(error, Error::NoProblem(_)), "{error}");
}
