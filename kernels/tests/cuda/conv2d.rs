use super::{compare, stream, upload, values};
use bico_kernels::{conv2d_cuda, conv2d_cuda_tunable, conv2d_cuda_with};

/// h, w, f: also filters that only the general configs serve.
const SIZES: [(usize, usize, usize); 12] = [
    (1, 1, 1),
    (1, 1, 3),
    (7, 5, 2),
    (0, 5, 3),
    (7, 0, 9),
    (13, 49, 3),
    (31, 33, 9),
    (32, 32, 9),
    (65, 127, 15),
    (1, 257, 15),
    (97, 3, 4),
    (20, 40, 21),
];

#[test]
fn all_candidates_at_awkward_sizes() {
    let tunable = conv2d_cuda_tunable();
    let Some(stream) = stream(tunable, &[1, 1, 3]) else {
        return;
    };
    let mut tried = 0;
    for (h, w, f) in SIZES {
        let length = w + f - 1;
        let (input, filter) = (values((h + f - 1) * length, 1), values(f * f, 2));
        let mut expected = vec![0.0; h * w];
        for y in 0..h {
            for x in 0..w {
                let terms = (0..f * f).map(|i| filter[i] * input[(y + i / f) * length + x + i % f]);
                expected[y * w + x] = terms.sum();
            }
        }
        let (input, filter) = (upload(&stream, &input), upload(&stream, &filter));
        let poison = vec![f32::NAN; h * w];
        let mut out = upload(&stream, &poison);
        let [rows, columns, size] = [h, w, f].map(|size| size as u32);
        conv2d_cuda(&stream, &mut out, &input, &filter, rows, columns, size).unwrap();
        let result = stream.clone_dtoh(&out).unwrap();
        compare(&result, &expected, 1e-3, "the dispatcher's");
        for config in tunable.candidates() {
            stream.memcpy_htod(&poison, &mut out).unwrap();
            let called = conv2d_cuda_with(
                &config, &stream, &mut out, &input, &filter, rows, columns, size,
            );
            // A config with code for another filter says so.
            let own = config.get("FILTER");
            if let Err(error) = called {
                assert!(
                    matches!(error, bico::Error::NoConfig { .. })
                        && own != Some(bico::Value::Int(0))
                        && own != Some(bico::Value::Int(f as i64)),
                    "{config}: {error}"
                );
                continue;
            }
            let result = stream.clone_dtoh(&out).unwrap();
            compare(&result, &expected, 1e-3, &config.to_string());
            tried += 1;
        }
    }
    assert!(tried > 0);
}
