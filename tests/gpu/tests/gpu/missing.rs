//! No driver, no GPU, a driver that does not work: errors that say so, never a panic.

use bico::Error;
use bico_gpu_tests::shift_tunable;

/// What all questions are answered with.
fn why() -> String {
    let tunable = shift_tunable();
    let error = tunable.config_of(&[1000]).unwrap_err();
    assert_eq!(bico::config_of(tunable, &[1000]), Err(error.clone()));
    assert_eq!(tunable.device_key(), Err(error.clone()));
    // What needs no GPU is known all the same.
    assert_eq!(tunable.candidates().count(), 4);
    assert_eq!(
        tunable.first_valid(&[1000]).unwrap().to_string(),
        "TILE=64, KIB=4"
    );
    let Error::NoDevice { why } = error else {
        panic!("{error}");
    };
    why.to_string()
}

pub(crate) fn no_driver() {
    let why = why();
    assert!(why.contains("libcuda.so.1") || cfg!(not(unix)), "{why}");
}

pub(crate) fn no_gpu() {
    let why = why();
    assert!(
        why.contains("GPU") || why.contains("CUDA_ERROR_NO_DEVICE"),
        "{why}"
    );
}

pub(crate) fn old() {
    let why = why();
    assert!(why.contains("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"), "{why}");
}
