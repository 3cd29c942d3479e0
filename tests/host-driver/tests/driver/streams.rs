//! Streams, events, copies.

use cudarc::driver::{CudaContext, PushKernelArg, sys};

use crate::child::on;
use crate::kernels::{line, load, plain};
use crate::nvrtc::kernels;

#[test]
fn two_streams_and_events() {
    on("RTX 2080 Ti", "", || {
        let context = CudaContext::new(0).unwrap();
        let kernel = plain(&context).load_function("scale").unwrap();
        let one = context.new_stream().unwrap();
        let other = one.fork().unwrap();
        let timed = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let mut x = one.clone_htod(&[1.0f32; 100]).unwrap();
        let start = one.record_event(timed).unwrap();
        for stream in [&one, &other] {
            let mut launch = stream.launch_builder(&kernel);
            launch.arg(&mut x).arg(&3f32).arg(&100i32);
            // SAFETY: the kernel checks its index.
            unsafe { launch.launch(line(1, 128)) }.unwrap();
        }
        one.join(&other).unwrap();
        let end = one.record_event(timed).unwrap();
        end.synchronize().unwrap();
        assert!(end.is_complete());
        assert!(start.elapsed_ms(&end).unwrap() > 0.0);
        assert!(end.elapsed_ms(&start).unwrap() < 0.0);
        assert_eq!(one.clone_dtoh(&x).unwrap(), [9.0; 100]);
        let untimed = one.record_event(None).unwrap();
        assert_eq!(
            start.elapsed_ms(&untimed).unwrap_err().0,
            sys::CUresult::CUDA_ERROR_INVALID_HANDLE
        );
    });
}

#[test]
fn copies_and_settings() {
    on("H100", "", || {
        let context = CudaContext::new(0).unwrap();
        let stream = context.new_stream().unwrap();
        let x = stream.clone_htod(&[1u32, 2, 3, 4, 5]).unwrap();
        let mut y = stream.alloc_zeros::<u32>(5).unwrap();
        stream
            .memcpy_dtod(&x.slice(1..4), &mut y.slice_mut(2..))
            .unwrap();
        assert_eq!(stream.clone_dtoh(&y).unwrap(), [0, 0, 2, 3, 4]);
        stream.memset_zeros(&mut y.slice_mut(3..)).unwrap();
        assert_eq!(stream.clone_dtoh(&y).unwrap(), [0, 0, 2, 0, 0]);
        // SAFETY: read as numbers, of which every pattern is one.
        let fresh = unsafe { stream.alloc::<f32>(4) }.unwrap();
        assert!(
            stream
                .clone_dtoh(&fresh)
                .unwrap()
                .iter()
                .all(|it| it.is_nan())
        );
        stream.synchronize().unwrap();
        context.synchronize().unwrap();
    });
}

/// Barriers, warps and shared memory of several launches at once do not mix.
#[test]
fn threads_that_launch_at_once() {
    on("A100", "", || {
        let compiled = kernels(&["-arch=sm_80"], &["sums"]).good();
        let context = CudaContext::new(0).unwrap();
        let kernel = load(&context, compiled.cubin)
            .load_function(&compiled.lowered[0])
            .unwrap();
        std::thread::scope(|scope| {
            for number in 1..=4 {
                let (context, kernel) = (&context, &kernel);
                scope.spawn(move || {
                    let stream = context.new_stream().unwrap();
                    let x = stream.clone_htod(&vec![number as f32; 1000]).unwrap();
                    for threads in [32u32, 96, 512, 1024] {
                        let mut out = stream.alloc_zeros::<f32>(1).unwrap();
                        let mut launch = stream.launch_builder(kernel);
                        launch.arg(&mut out).arg(&x).arg(&1000i32);
                        let blocks = 1000u32.div_ceil(threads);
                        // SAFETY: the kernel checks its index.
                        unsafe { launch.launch(line(blocks, threads)) }.unwrap();
                        let sum = number as f32 * 1000.0;
                        assert_eq!(stream.clone_dtoh(&out).unwrap(), [sum]);
                    }
                });
            }
        });
    });
}
