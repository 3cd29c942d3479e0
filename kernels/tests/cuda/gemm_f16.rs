use super::{compare, served, stream, upload, values};
use bico_kernels::{
    gemm_bf16, gemm_bf16_tunable, gemm_bf16_with, gemm_f16, gemm_f16_f32, gemm_f16_f32_tunable,
    gemm_f16_f32_with, gemm_f16_tunable, gemm_f16_with,
};
use half::{bf16, f16};

/// Sizes off every tile, and multiples of 8, for which copies and stores have 16 bytes.
const SIZES: [[usize; 3]; 11] = [
    [1, 1, 1],
    [7, 5, 3],
    [0, 5, 3],
    [7, 0, 3],
    [7, 5, 0],
    [13, 49, 31],
    [1, 131, 2],
    [97, 65, 67],
    [64, 64, 64],
    [33, 72, 40],
    [129, 264, 200],
];

/// The product of what 16 bits have of both matrices, exactly.
fn product(a: &[f32], b: &[f32], [m, n, k]: [usize; 3]) -> Vec<f32> {
    let mut expected = vec![0.0; m * n];
    for i in 0..m {
        for j in 0..n {
            let products = (0..k).map(|p| f64::from(a[i * k + p]) * f64::from(b[p * n + j]));
            expected[i * n + j] = products.sum::<f64>() as f32;
        }
    }
    expected
}

macro_rules! all_candidates_at_awkward_sizes {
    ($test:ident, $gemm:ident, $with:ident, $tunable:ident, $In:ty, $Out:ty, $floats:expr, $nan:expr, $rtol:expr) => {
        #[test]
        fn $test() {
            let tunable = $tunable();
            let Some(stream) = stream(tunable, &[1, 1, 1]) else {
                return;
            };
            for size in SIZES {
                let [m, n, k] = size;
                let (a, b) = (values(m * k, 1), values(k * n, 2));
                let expected = product(&a, &b, size);
                let halves =
                    |of: &[f32]| -> Vec<$In> { of.iter().map(|x| <$In>::from_f32(*x)).collect() };
                let (a, b) = (upload(&stream, &halves(&a)), upload(&stream, &halves(&b)));
                let poison: Vec<$Out> = vec![$nan; m * n];
                let mut c = upload(&stream, &poison);
                let [rows, columns, depth] = size.map(|size| size as u32);
                let floats: fn(Vec<$Out>) -> Vec<f32> = $floats;
                $gemm(&stream, &mut c, &a, &b, rows, columns, depth).unwrap();
                let out = floats(stream.clone_dtoh(&c).unwrap());
                compare(&out, &expected, $rtol, "the dispatcher's");
                let mut tried = 0;
                for config in tunable.candidates() {
                    stream.memcpy_htod(&poison, &mut c).unwrap();
                    let called = $with(&config, &stream, &mut c, &a, &b, rows, columns, depth);
                    if !served(called) {
                        continue;
                    }
                    let out = floats(stream.clone_dtoh(&c).unwrap());
                    compare(&out, &expected, $rtol, &config.to_string());
                    tried += 1;
                }
                assert!(tried > 0);
            }
        }
    };
}

all_candidates_at_awkward_sizes!(
    to_f16,
    gemm_f16,
    gemm_f16_with,
    gemm_f16_tunable,
    f16,
    f16,
    |c| c.into_iter().map(f32::from).collect(),
    f16::NAN,
    2e-3
);
all_candidates_at_awkward_sizes!(
    to_f32,
    gemm_f16_f32,
    gemm_f16_f32_with,
    gemm_f16_f32_tunable,
    f16,
    f32,
    std::convert::identity,
    f32::NAN,
    1e-4
);
all_candidates_at_awkward_sizes!(
    to_bf16,
    gemm_bf16,
    gemm_bf16_with,
    gemm_bf16_tunable,
    bf16,
    bf16,
    |c| c.into_iter().map(f32::from).collect(),
    bf16::NAN,
    1e-2
);
