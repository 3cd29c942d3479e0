//! Calls that are captured into CUDA graphs.

use bico::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode as Mode};
use bico::cudarc::driver::{CudaContext, CudaGraph, CudaSlice, CudaStream};
use bico_gpu_tests as kernels;
use host_driver::control;
use std::sync::Arc;

/// A stream with its buffers.
struct Caller {
    stream: Arc<CudaStream>,
    x: CudaSlice<i32>,
    y: CudaSlice<i32>,
}

impl Caller {
    fn new() -> Caller {
        let context = CudaContext::new(0).unwrap();
        // SAFETY: what is used on several streams here is waited for.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().unwrap();
        let x: Vec<i32> = (0..5000).collect();
        Caller {
            x: stream.clone_htod(&x).unwrap(),
            y: stream.alloc_zeros(5000).unwrap(),
            stream,
        }
    }

    fn call(&mut self, n: u32) -> bico::Result<()> {
        kernels::squares(&self.stream, &mut self.y, &self.x.as_view(), n)
    }

    /// What `calls` gives to the stream, as a graph.
    fn capture(&mut self, calls: impl FnOnce(&mut Caller)) -> CudaGraph {
        let mode = Mode::CU_STREAM_CAPTURE_MODE_GLOBAL;
        self.stream.begin_capture(mode).unwrap();
        calls(self);
        let end = self.stream.end_capture(CUgraphInstantiate_flags(0));
        end.unwrap().unwrap()
    }

    #[track_caller]
    fn launch(&mut self, graph: &CudaGraph, n: usize) {
        self.stream.memset_zeros(&mut self.y).unwrap();
        graph.launch().unwrap();
        let squares: Vec<i32> = (0..n as i32).map(|x| x * x).collect();
        assert_eq!(self.stream.clone_dtoh(&self.y).unwrap()[..n], squares);
    }
}

/// A graph and what it uses, which another thread may launch.
struct Sent(Caller, CudaGraph);

// SAFETY: one thread has it at a time.
unsafe impl Send for Sent {}

/// Scratch memory that a graph holds stays, and none is allocated during a capture.
pub(crate) fn scratch() {
    let mut caller = Caller::new();
    let refused = |error: bico::Error, bytes: usize| {
        assert_eq!(
            error.to_string(),
            format!(
                "squares: its first {bytes} bytes of scratch on this stream cannot be allocated while it is captured \
                 into a CUDA graph: call `squares_warm_up` with the stream and these sizes, on this thread, before \
                 the capture"
            )
        );
    };
    // The code is loaded, on another stream.
    kernels::squares_warm_up(&caller.stream.context().new_stream().unwrap(), 1000).unwrap();
    caller.capture(|caller| refused(caller.call(1000).unwrap_err(), 12_000));
    kernels::squares_warm_up(&caller.stream, 1000).unwrap();
    let graph = caller.capture(|caller| {
        caller.call(1000).unwrap();
        // More than was warmed up for; the call before keeps what it has.
        refused(caller.call(2000).unwrap_err(), 24_000);
    });
    caller.launch(&graph, 1000);
    // A longer call moves what later calls use.
    caller.call(5000).unwrap();
    caller.launch(&graph, 1000);
    let larger = caller.capture(|caller| caller.call(5000).unwrap());

    // It outlives the thread that captured it, too.
    let other = std::thread::spawn(|| {
        let mut caller = Caller::new();
        kernels::squares_warm_up(&caller.stream, 3000).unwrap();
        let graph = caller.capture(|caller| caller.call(3000).unwrap());
        Sent(caller, graph)
    });
    let mut other = other.join().unwrap();
    other.0.launch(&other.1, 3000);
    caller.launch(&graph, 1000);
    caller.launch(&larger, 5000);
    assert_eq!(control("count mistakes"), 0);
}
