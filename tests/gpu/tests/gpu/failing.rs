//! The driver and the compiler refuse.

use bico::Error;
use bico::cudarc::driver::{CudaContext, CudaStream};
use bico_gpu_tests as kernels;
use std::sync::Arc;

fn shift(stream: &Arc<CudaStream>) -> bico::Result<()> {
    let x = stream.alloc_zeros::<f32>(1000).unwrap();
    let mut y = stream.alloc_zeros::<f32>(1000).unwrap();
    kernels::shift(stream, &mut y, &x, 1000, 1.0)
}

fn driver(error: Error, name: &str) -> String {
    let text = error.to_string();
    let Error::Driver(failure) = error else {
        panic!("{text}");
    };
    assert!(failure.error.starts_with(name), "{text}");
    assert_eq!(failure.tunable, "shift");
    text
}

pub(crate) fn compiling() {
    let stream = CudaContext::new(0).unwrap().default_stream();
    let error = shift(&stream).unwrap_err();
    let Error::NoConfig(details) = &error else {
        panic!("{error}");
    };
    assert_eq!(details.tried.len(), 4);
    assert!(
        error.to_string().contains("its source does not serve: "),
        "{error}"
    );
}

pub(crate) fn resources() {
    let stream = CudaContext::new(0).unwrap().default_stream();
    for _ in 0..2 {
        let text = driver(
            shift(&stream).unwrap_err(),
            "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: ",
        );
        assert!(
            text.starts_with("shift: the launch of TILE=128, KIB=4 (grid [8, 1, 1], block [128, 1, 1], 4096 bytes of shared memory) failed: "),
            "{text}"
        );
    }
}

pub(crate) fn sticky() {
    let stream = CudaContext::new(0).unwrap().default_stream();
    let x = stream.alloc_zeros::<f32>(1000).unwrap();
    let mut y = stream.alloc_zeros::<f32>(1000).unwrap();
    // The launch itself may still succeed; from then on the context is broken.
    let first = kernels::shift(&stream, &mut y, &x, 1000, 1.0);
    let _ = stream.synchronize();
    let second = kernels::shift(&stream, &mut y, &x, 1000, 1.0);
    driver(second.unwrap_err(), "CUDA_ERROR_ILLEGAL_ADDRESS: ");
    if let Err(error) = first {
        driver(error, "CUDA_ERROR_ILLEGAL_ADDRESS: ");
    }
}

pub(crate) fn memory() {
    let stream = CudaContext::new(0).unwrap().default_stream();
    let n = 50_000u32;
    let x = stream.alloc_zeros::<i32>(n as usize).unwrap();
    let mut y = stream.alloc_zeros::<i32>(n as usize).unwrap();
    let error = kernels::squares(&stream, &mut y, &x.as_view(), n).unwrap_err();
    assert_eq!(
        error.to_string(),
        "squares: no memory for 600000 bytes of scratch"
    );
    // Less than that is there.
    kernels::squares(&stream, &mut y, &x.as_view(), 1000).unwrap();
    stream.synchronize().unwrap();
}
