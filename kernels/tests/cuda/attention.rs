use super::{compare, served, stream, upload, values};
use bico::Error;
use bico_kernels::{attention_f16, attention_f16_tunable, attention_f16_with};
use half::f16;

/// Heads, those of K and V, rows and columns: also fewer columns than rows, and none.
const SIZES: [[usize; 4]; 8] = [
    [1, 1, 1, 1],
    [2, 1, 70, 130],
    [2, 2, 65, 63],
    [1, 1, 130, 33],
    [6, 2, 5, 300],
    [1, 1, 0, 7],
    [1, 1, 7, 0],
    [0, 1, 7, 7],
];

/// Exactly, of what FP16 has.
fn attention(
    [q, k, v]: [&[f32]; 3],
    [heads, kv_heads, m, n]: [usize; 4],
    head: usize,
    causal: bool,
) -> Vec<f32> {
    let mut o = vec![0.0; heads * m * head];
    for row in 0..heads * m {
        let first = row / m / (heads / kv_heads) * n;
        let seen = if causal {
            (row % m + n + 1).saturating_sub(m)
        } else {
            n
        };
        let score = |column: usize| -> f64 {
            let products = (0..head)
                .map(|d| f64::from(q[row * head + d]) * f64::from(k[(first + column) * head + d]));
            products.sum::<f64>() * 0.125
        };
        let scores: Vec<f64> = (0..seen).map(score).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        for d in 0..head {
            let products = weights.iter().zip(first..);
            let products = products.map(|(weight, at)| weight * f64::from(v[at * head + d]));
            if seen > 0 {
                o[row * head + d] = (products.sum::<f64>() / sum) as f32;
            }
        }
    }
    o
}

#[test]
fn all_candidates_at_awkward_sizes() {
    let tunable = attention_f16_tunable();
    let Some(stream) = stream(tunable, &[1; 4]) else {
        return;
    };
    for (head, causal) in [(64, false), (64, true), (128, false), (128, true)] {
        for size in SIZES {
            let [heads, kv_heads, m, n] = size;
            let quarter = |len: usize, seed: usize| -> Vec<f32> {
                values(len, seed).iter().map(|value| value / 4.0).collect()
            };
            let q = quarter(heads * m * head, 1);
            let [k, v] = [2, 3].map(|seed| quarter(kv_heads * n * head, seed));
            let expected = attention([&q, &k, &v], size, head, causal);
            let [q, k, v] = [q, k, v].map(|of| {
                let halves: Vec<f16> = of.into_iter().map(f16::from_f32).collect();
                upload(&stream, &halves)
            });
            let poison = vec![f16::NAN; (heads * m * head).max(1)];
            let mut o = upload(&stream, &poison);
            let [heads, kv_heads, m, n] = size.map(|size| size as u32);
            let width = head as u32;
            let sizes = (heads, kv_heads, m, n);
            attention_f16(
                &stream, width, causal, &mut o, &q, &k, &v, heads, kv_heads, m, n, 0.125,
            )
            .unwrap();
            let floats = |o: Vec<f16>| -> Vec<f32> { o.into_iter().map(f32::from).collect() };
            let out = floats(stream.clone_dtoh(&o).unwrap());
            compare(
                &out,
                &expected,
                3e-3,
                &format!("the dispatcher's, {head} {causal} {sizes:?}"),
            );
            let mut tried = 0;
            for config in tunable.candidates() {
                stream.memcpy_htod(&poison, &mut o).unwrap();
                let called = attention_f16_with(
                    &config, &stream, width, causal, &mut o, &q, &k, &v, heads, kv_heads, m, n,
                    0.125,
                );
                match called {
                    // It was compiled for heads of another size, or for other rows.
                    Err(Error::UnknownConfig { .. }) => continue,
                    called if served(called.clone()) => tried += 1,
                    _ => continue,
                }
                let out = floats(stream.clone_dtoh(&o).unwrap());
                compare(&out, &expected, 3e-3, &config.to_string());
            }
            assert!(tried > 0, "no candidate for {head} {causal}");
        }
    }
}
