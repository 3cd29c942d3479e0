use super::{compare, stream, upload, values};
use bico::Error;
use bico::cudarc::driver::CudaStream;
use bico_kernels::{softmax, softmax_tunable, softmax_with};
use std::sync::Arc;

/// In double.
fn expected(x: &[f32], columns: usize) -> Vec<f32> {
    let mut out = Vec::new();
    for row in x.chunks(columns.max(1)) {
        let maximum = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let exponential = |value: &f32| (f64::from(*value) - f64::from(maximum)).exp();
        let sum: f64 = row.iter().map(exponential).sum();
        out.extend(row.iter().map(|value| (exponential(value) / sum) as f32));
    }
    out
}

/// The dispatcher's choice and every candidate that takes rows of this length.
fn outputs(
    stream: &Arc<CudaStream>,
    x: &[f32],
    [rows, columns]: [usize; 2],
) -> Vec<(String, Vec<f32>)> {
    let (rows, columns) = (rows as u32, columns as u32);
    let x = upload(stream, x);
    let poison = vec![-1.0; x.len()];
    let mut y = upload(stream, &poison);
    softmax(stream, &mut y, &x, rows, columns).unwrap();
    let mut outputs = vec![("the dispatcher's".into(), stream.clone_dtoh(&y).unwrap())];
    for config in softmax_tunable().candidates() {
        stream.memcpy_htod(&poison, &mut y).unwrap();
        match softmax_with(&config, stream, &mut y, &x, rows, columns) {
            // Made for shorter rows.
            Err(Error::NoConfig(_)) => continue,
            result => result.unwrap(),
        }
        outputs.push((config.to_string(), stream.clone_dtoh(&y).unwrap()));
    }
    assert!(outputs.len() > 1);
    outputs
}

#[test]
fn all_candidates_at_awkward_sizes() {
    let Some(stream) = stream(softmax_tunable(), &[1, 1]) else {
        return;
    };
    for (rows, columns) in [
        (1, 1),
        (67, 1),
        (0, 5),
        (7, 0),
        (5, 3),
        (129, 31),
        (33, 64),
        (9, 130),
        (3, 4099),
        (2, 33001),
    ] {
        let x = values(rows * columns, 1);
        let expected = expected(&x, columns);
        for (config, out) in outputs(&stream, &x, [rows, columns]) {
            compare(&out, &expected, 1e-5, &config);
        }
    }
}

#[test]
fn infinities_and_large_values() {
    let Some(stream) = stream(softmax_tunable(), &[1, 1]) else {
        return;
    };
    for columns in [5, 64, 259] {
        let mut x = values(8 * columns, 3);
        let mut rows = x.chunks_mut(columns);
        let mut next = || rows.next().unwrap();
        next().fill(-1e30);
        next().iter_mut().for_each(|value| *value *= 1e37);
        // All but the last element, the first half, and every second one are masked.
        next()[..columns - 1].fill(f32::NEG_INFINITY);
        next()[..columns / 2].fill(f32::NEG_INFINITY);
        let masked = next().iter_mut().step_by(2);
        masked.for_each(|value| *value = f32::NEG_INFINITY);
        // From here on there is nothing but NaNs.
        next().fill(f32::NEG_INFINITY);
        next()[columns / 2] = f32::INFINITY;
        next()[columns - 1] = f32::NAN;
        let expected = expected(&x, columns);
        let numbers = 5 * columns;
        for (config, out) in outputs(&stream, &x, [8, columns]) {
            compare(&out[..numbers], &expected[..numbers], 1e-5, &config);
            let not_numbers = out[numbers..].iter().all(|value| value.is_nan());
            assert!(not_numbers, "{config}: {:?}", &out[numbers..]);
        }
    }
}
