use super::{compare, product, served, stream, upload, values};
use bico_kernels::{gemm_regtile, gemm_regtile_tunable, gemm_regtile_with};

/// Rows that 16 bytes divide and rows that they do not, off every tile; k of one step and of many.
const SIZES: [[usize; 3]; 10] = [
    [1, 1, 1],
    [7, 5, 3],
    [0, 5, 3],
    [7, 0, 3],
    [7, 5, 0],
    [13, 49, 31],
    [1, 132, 2],
    [97, 65, 67],
    [64, 64, 64],
    [129, 260, 204],
];

#[test]
fn all_candidates_at_awkward_sizes() {
    let tunable = gemm_regtile_tunable();
    let Some(stream) = stream(tunable, &[1, 1, 1]) else {
        return;
    };
    for [m, n, k] in SIZES {
        let (a, b) = (values(m * k, 1), values(k * n, 2));
        let expected = product(&a, &b, [m, n, k]);
        let (a, b) = (upload(&stream, &a), upload(&stream, &b));
        let poison = vec![f32::NAN; m * n];
        let mut c = upload(&stream, &poison);
        let [rows, columns, depth] = [m, n, k].map(|size| size as u32);
        gemm_regtile(&stream, &mut c, &a, &b, rows, columns, depth).unwrap();
        let out = stream.clone_dtoh(&c).unwrap();
        compare(&out, &expected, 1e-3, "the dispatcher's");
        let mut tried = 0;
        for config in tunable.candidates() {
            // The second call finds the locks as the first one left them, and sums in the same order.
            let [first, second] = [(); 2].map(|()| {
                stream.memcpy_htod(&poison, &mut c).unwrap();
                let called =
                    gemm_regtile_with(&config, &stream, &mut c, &a, &b, rows, columns, depth);
                served(called).then(|| stream.clone_dtoh(&c).unwrap())
            });
            let Some(first) = first else { continue };
            let second = second.unwrap();
            compare(&first, &expected, 1e-3, &config.to_string());
            assert_eq!(first, second, "{config}");
            tried += 1;
        }
        assert!(tried > 0);
    }
}
