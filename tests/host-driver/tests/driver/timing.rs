//! Scripted times, events that are complete later, launches that fail after a while.

use std::sync::Arc;

use cudarc::driver::sys::{CUevent_flags, CUresult};
use cudarc::driver::{CudaContext, CudaEvent, CudaFunction, CudaStream, PushKernelArg, result};

use crate::child::{on, with};
use crate::kernels::{line, plain};

const TIMED: Option<CUevent_flags> = Some(CUevent_flags::CU_EVENT_DEFAULT);

fn launch(stream: &Arc<CudaStream>, kernel: &CudaFunction) -> Result<(), CUresult> {
    let mut x = stream.alloc_zeros::<f32>(8).map_err(|error| error.0)?;
    let mut launch = stream.launch_builder(kernel);
    launch.arg(&mut x).arg(&1f32).arg(&8i32);
    // SAFETY: the kernel checks its index.
    unsafe { launch.launch(line(1, 8)) }.map_err(|error| error.0)?;
    Ok(())
}

/// Events before and behind a launch.
fn timed(stream: &Arc<CudaStream>, kernel: &CudaFunction) -> (CudaEvent, CudaEvent) {
    let start = stream.record_event(TIMED).unwrap();
    launch(stream, kernel).unwrap();
    (start, stream.record_event(TIMED).unwrap())
}

/// Without waiting, as cudarc's own would.
fn elapsed(start: &CudaEvent, end: &CudaEvent) -> Result<f32, CUresult> {
    // SAFETY: both are there.
    unsafe { result::event::elapsed(start.cu_event(), end.cu_event()) }.map_err(|error| error.0)
}

#[test]
fn scripted_times() {
    let script = [("BICO_HOST_TIMES", "scale=1.5,2;other=9")];
    with("A100", "", &script, || {
        let context = CudaContext::new(0).unwrap();
        let (one, two) = (context.new_stream().unwrap(), context.new_stream().unwrap());
        let module = plain(&context);
        let scale = module.load_function("scale").unwrap();
        let took = |(start, end)| elapsed(&start, &end).unwrap();
        let times: Vec<f32> = (0..3).map(|_| took(timed(&one, &scale))).collect();
        assert_eq!(times, [1.5, 2.0, 1.5]);
        // Streams have clocks of their own.
        let (start, end) = timed(&two, &scale);
        assert_eq!(took((start, end)), 2.0);
        host_driver::control("times scale=0.25");
        assert_eq!(took(timed(&two, &scale)), 0.25);
    });
}

#[test]
fn events_that_lag() {
    with("A100", "", &[("BICO_HOST_LAG", "3")], || {
        let context = CudaContext::new(0).unwrap();
        let (one, two) = (context.new_stream().unwrap(), context.new_stream().unwrap());
        let scale = plain(&context).load_function("scale").unwrap();
        let (start, end) = timed(&one, &scale);
        for launches in 0..3 {
            assert!(!end.is_complete(), "after {launches}");
            let error = elapsed(&start, &end).unwrap_err();
            assert_eq!(error, CUresult::CUDA_ERROR_NOT_READY);
            launch(&two, &scale).unwrap();
        }
        assert!(end.is_complete());
        assert!(elapsed(&start, &end).is_ok());
        // Who waits sees it at once.
        for wait in [
            |stream: &CudaStream, _: &CudaEvent| stream.synchronize(),
            |_: &CudaStream, event: &CudaEvent| event.synchronize(),
            |stream: &CudaStream, _: &CudaEvent| stream.context().synchronize(),
        ] {
            let (_, end) = timed(&one, &scale);
            let (_, other) = timed(&two, &scale);
            assert!(!end.is_complete());
            let waits = host_driver::control("count waits");
            wait(&one, &end).unwrap();
            assert_eq!(host_driver::control("count waits"), waits + 1);
            assert!(end.is_complete());
            drop(other);
        }
    });
}

#[test]
fn launches_that_begin_to_fail() {
    on("A100", "refuse:1+2:scale", || {
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let scale = plain(&context).load_function("scale").unwrap();
        for _ in 0..2 {
            assert_eq!(launch(&stream, &scale), Ok(()));
        }
        for _ in 0..2 {
            let error = Err(CUresult::CUDA_ERROR_INVALID_VALUE);
            assert_eq!(launch(&stream, &scale), error);
        }
        host_driver::control("faults sticky:719:scale");
        assert_eq!(launch(&stream, &scale), Ok(()));
        let error = Err(CUresult::CUDA_ERROR_LAUNCH_FAILED);
        assert_eq!(launch(&stream, &scale), error);
    });
}
