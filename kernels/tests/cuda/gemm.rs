use super::{compare, product, served, stream, upload, values};
use bico_kernels::{gemm_cuda, gemm_cuda_tunable, gemm_cuda_with};

#[test]
fn all_candidates_at_awkward_sizes() {
    let tunable = gemm_cuda_tunable();
    let Some(stream) = stream(tunable, &[1, 1, 1]) else {
        return;
    };
    for (m, n, k) in [
        (1, 1, 1),
        (7, 5, 3),
        (0, 5, 3),
        (7, 0, 3),
        (7, 5, 0),
        (13, 49, 31),
        (1, 131, 2),
        (97, 65, 67),
        (64, 64, 64),
    ] {
        let (a, b) = (values(m * k, 1), values(k * n, 2));
        let expected = product(&a, &b, [m, n, k]);
        let (a, b) = (upload(&stream, &a), upload(&stream, &b));
        let poison = vec![f32::NAN; m * n];
        let mut c = upload(&stream, &poison);
        let [rows, columns, depth] = [m, n, k].map(|size| size as u32);
        gemm_cuda(&stream, &mut c, &a, &b, rows, columns, depth).unwrap();
        let out = stream.clone_dtoh(&c).unwrap();
        compare(&out, &expected, 1e-3, "the dispatcher's");
        let mut tried = 0;
        for config in tunable.candidates() {
            stream.memcpy_htod(&poison, &mut c).unwrap();
            let called = gemm_cuda_with(&config, &stream, &mut c, &a, &b, rows, columns, depth);
            if !served(called) {
                continue;
            }
            let out = stream.clone_dtoh(&c).unwrap();
            compare(&out, &expected, 1e-3, &config.to_string());
            tried += 1;
        }
        assert!(tried > 0);
    }
}
