use super::{compare, stream, upload, values};
use bico::Error;
use bico_kernels::{reduce, reduce_tunable, reduce_with};

#[test]
fn all_candidates_at_awkward_sizes() {
    let tunable = reduce_tunable();
    let Some(stream) = stream(tunable, &[1, 1]) else {
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
        (3, 4099),
        (1, 70001),
    ] {
        let x = values(rows * columns, 1);
        let row = |r: usize| x[r * columns..][..columns].iter();
        let expected: Vec<f32> = (0..rows)
            .map(|r| row(r).map(|value| f64::from(*value)).sum::<f64>() as f32)
            .collect();
        let x = upload(&stream, &x);
        let poison = vec![f32::NAN; rows];
        let mut y = upload(&stream, &poison);
        let (height, width) = (rows as u32, columns as u32);
        reduce(&stream, &mut y, &x, height, width).unwrap();
        let out = stream.clone_dtoh(&y).unwrap();
        compare(&out, &expected, 1e-5, "the dispatcher's");
        let mut tried = 0;
        for config in tunable.candidates() {
            stream.memcpy_htod(&poison, &mut y).unwrap();
            match reduce_with(&config, &stream, &mut y, &x, height, width) {
                // Made for shorter rows.
                Err(Error::NoConfig(_)) => continue,
                result => result.unwrap(),
            }
            let out = stream.clone_dtoh(&y).unwrap();
            compare(&out, &expected, 1e-5, &config.to_string());
            tried += 1;
        }
        assert!(tried > 0);
    }
}
