use super::{compare, served, stream, upload, values};
use bico_kernels::{transpose_cuda, transpose_cuda_tunable, transpose_cuda_with};

#[test]
fn all_candidates_at_awkward_sizes() {
    let tunable = transpose_cuda_tunable();
    let Some(stream) = stream(tunable, &[1, 1]) else {
        return;
    };
    for (rows, cols) in [
        (1, 1),
        (0, 5),
        (7, 0),
        (1, 131),
        (127, 1),
        (31, 33),
        (64, 128),
        (129, 68),
        (132, 259),
    ] {
        let input = values(rows * cols, 1);
        let mut expected = vec![0.0; rows * cols];
        for r in 0..rows {
            for c in 0..cols {
                expected[c * rows + r] = input[r * cols + c];
            }
        }
        let input = upload(&stream, &input);
        let poison = vec![f32::NAN; rows * cols];
        let mut out = upload(&stream, &poison);
        let (height, width) = (rows as u32, cols as u32);
        transpose_cuda(&stream, &mut out, &input, height, width).unwrap();
        let result = stream.clone_dtoh(&out).unwrap();
        compare(&result, &expected, 0.0, "the dispatcher's");
        let mut tried = 0;
        for config in tunable.candidates() {
            stream.memcpy_htod(&poison, &mut out).unwrap();
            let called = transpose_cuda_with(&config, &stream, &mut out, &input, height, width);
            if !served(called) {
                continue;
            }
            let result = stream.clone_dtoh(&out).unwrap();
            compare(&result, &expected, 0.0, &config.to_string());
            tried += 1;
        }
        assert!(tried > 0);
    }
}
