//! Capturing a stream, and what spoils it.

use std::sync::Arc;

use cudarc::driver::sys::{
    self, CUevent_flags, CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode as Mode,
};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, PushKernelArg, result};

use crate::child::on;
use crate::kernels::{line, plain};

fn mistakes() -> u64 {
    host_driver::control("count mistakes")
}

/// A stream whose buffers nobody tracks: waiting for what is outside would spoil a capture.
fn stream() -> Arc<CudaStream> {
    let context = CudaContext::new(0).unwrap();
    // SAFETY: each buffer is used on one stream.
    unsafe { context.disable_event_tracking() };
    context.new_stream().unwrap()
}

fn scale(stream: &Arc<CudaStream>, x: &mut CudaSlice<f32>, by: f32) {
    let kernel = plain(stream.context()).load_function("scale").unwrap();
    launch(stream, &kernel, x, by);
}

fn launch(
    stream: &Arc<CudaStream>,
    kernel: &cudarc::driver::CudaFunction,
    x: &mut CudaSlice<f32>,
    by: f32,
) {
    let mut launch = stream.launch_builder(kernel);
    launch.arg(x).arg(&by).arg(&8i32);
    // SAFETY: the kernel checks its index.
    unsafe { launch.launch(line(1, 8)) }.unwrap();
}

#[test]
fn a_graph_runs_when_it_is_launched() {
    on("A100", "", || {
        let stream = stream();
        let mut x = stream.clone_htod(&[1f32; 8]).unwrap();
        let kernel = plain(stream.context()).load_function("scale").unwrap();
        stream
            .begin_capture(Mode::CU_STREAM_CAPTURE_MODE_GLOBAL)
            .unwrap();
        let status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE;
        assert_eq!(stream.capture_status(), Ok(status));
        launch(&stream, &kernel, &mut x, 2.0);
        launch(&stream, &kernel, &mut x, 3.0);
        let graph = stream
            .end_capture(CUgraphInstantiate_flags(0))
            .unwrap()
            .unwrap();
        assert_eq!(stream.clone_dtoh(&x).unwrap(), [1.0; 8]);
        graph.launch().unwrap();
        graph.launch().unwrap();
        assert_eq!(stream.clone_dtoh(&x).unwrap(), [36.0; 8]);
        assert_eq!(mistakes(), 0);
    });
}

/// What is done while a stream is captured, by a thread of this mode, and the error that ends it.
fn spoils(mode: Mode, does: impl FnOnce(&Arc<CudaStream>) -> Result<(), CUresult>, spoilt: bool) {
    on("A100", "", || {
        let stream = stream();
        let _x = stream.clone_htod(&[1f32; 8]).unwrap();
        stream.begin_capture(mode).unwrap();
        let done = does(&stream);
        let end = stream.end_capture(CUgraphInstantiate_flags(0));
        if spoilt {
            assert!(done.is_err());
            let error = end.err().unwrap().0;
            assert_eq!(error, CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
            assert_eq!(mistakes(), 1);
        } else {
            assert_eq!(done, Ok(()));
            assert!(end.is_ok());
            assert_eq!(mistakes(), 0);
        }
    });
}

/// Asks for an event that was recorded before, in another stream.
fn query(stream: &Arc<CudaStream>) -> Result<(), CUresult> {
    let context = stream.context();
    let event = context.new_event(None).map_err(|error| error.0)?;
    event
        .record(&context.default_stream())
        .map_err(|error| error.0)?;
    // SAFETY: the event is there.
    unsafe { result::event::query(event.cu_event()) }.map_err(|error| error.0)
}

fn heeding(mut mode: Mode) -> Result<(), CUresult> {
    // SAFETY: a place for a mode.
    unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) }
        .result()
        .map_err(|error| error.0)
}

#[test]
fn a_query_spoils_a_global_capture() {
    spoils(Mode::CU_STREAM_CAPTURE_MODE_GLOBAL, query, true);
}

#[test]
fn a_query_of_another_thread_spoils_only_a_global_one() {
    let elsewhere = |stream: &Arc<CudaStream>| {
        std::thread::scope(|scope| scope.spawn(|| query(stream)).join().unwrap())
    };
    spoils(Mode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, elsewhere, false);
}

#[test]
fn a_relaxed_thread_may_query() {
    let relaxed = |stream: &Arc<CudaStream>| {
        heeding(Mode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
        query(stream)
    };
    spoils(Mode::CU_STREAM_CAPTURE_MODE_GLOBAL, relaxed, false);
}

#[test]
fn loading_spoils_a_capture() {
    let load = |stream: &Arc<CudaStream>| {
        let module = std::panic::catch_unwind(|| plain(stream.context()));
        module.map(drop).map_err(|_| CUresult::CUDA_ERROR_UNKNOWN)
    };
    spoils(Mode::CU_STREAM_CAPTURE_MODE_GLOBAL, load, true);
}

#[test]
fn a_timing_event_in_a_capture_is_a_mistake() {
    on("A100", "", || {
        let stream = stream();
        let mut x = stream.clone_htod(&[1f32; 8]).unwrap();
        scale(&stream, &mut x, 2.0);
        stream
            .begin_capture(Mode::CU_STREAM_CAPTURE_MODE_RELAXED)
            .unwrap();
        stream.record_event(None).unwrap();
        assert_eq!(mistakes(), 0);
        let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
        let event = stream.record_event(timed).unwrap();
        assert_eq!(mistakes(), 1);
        // SAFETY: the event is there.
        let error = unsafe { result::event::query(event.cu_event()) }.unwrap_err();
        assert_eq!(error.0, CUresult::CUDA_ERROR_CAPTURED_EVENT);
        assert!(stream.end_capture(CUgraphInstantiate_flags(0)).is_err());
    });
}
