//! What calls give to `__constant__` variables.

use bico::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode as Mode};
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
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
    fn new(stream: Arc<CudaStream>) -> Caller {
        let x: Vec<i32> = (0..1000).collect();
        Caller {
            x: stream.clone_htod(&x).unwrap(),
            y: stream.alloc_zeros(1000).unwrap(),
            stream,
        }
    }

    fn call(&mut self, weights: &[i32]) -> bico::Result<()> {
        kernels::weighted(&self.stream, weights, &mut self.y, &self.x, 1000)
    }

    #[track_caller]
    fn has(&self, weights: &[i32]) {
        let y: Vec<i32> = (0..1000).map(|x| x as i32 * weights[x % 4]).collect();
        assert_eq!(self.stream.clone_dtoh(&self.y).unwrap(), y);
    }

    /// Whether all that it was given is done.
    fn is_done(&self) -> bool {
        let event = self.stream.record_event(None).unwrap();
        event.is_complete()
    }
}

/// Callers on several streams of a context without cudarc's own tracking.
fn callers<const N: usize>() -> [Caller; N] {
    let context = CudaContext::new(0).unwrap();
    // SAFETY: what is used on several streams here is waited for.
    unsafe { context.disable_event_tracking() };
    std::array::from_fn(|_| Caller::new(context.new_stream().unwrap()))
}

pub(crate) fn right() {
    let [mut one, mut two] = callers();
    for weights in [[0; 4], [1, 2, 3, 4], [1, 2, 3, 4], [5, 6, 7, 8]] {
        for caller in [&mut one, &mut two] {
            caller.call(&weights).unwrap();
            caller.has(&weights);
        }
    }
    // The kernel reads no more than four.
    one.call(&[9, 9, 9, 9, 1, 2, 3]).unwrap();
    one.has(&[9; 4]);
    let short = one.call(&[1, 2]).unwrap_err().to_string();
    assert!(short.contains("`weights` is too short"), "{short}");
    // Threads that disagree.
    std::thread::scope(|scope| {
        for (caller, weights) in [(one, [1; 4]), (two, [2; 4])] {
            let mut caller = caller;
            scope.spawn(move || {
                for _ in 0..50 {
                    caller.call(&weights).unwrap();
                    caller.has(&weights);
                }
            });
        }
    });
}

/// A change comes behind launches on other streams that may read what was there before, and other streams' launches come
/// behind the change.
pub(crate) fn ordered() {
    let [mut one, mut two, mut three] = callers();
    for caller in [&mut one, &mut two, &mut three] {
        caller.call(&[1; 4]).unwrap();
    }
    assert_eq!(control("faults hang:weighted"), 0);
    two.call(&[1; 4]).unwrap();
    assert_eq!(control("faults "), 0);
    // The same contents wait for nobody.
    three.call(&[1; 4]).unwrap();
    assert!(!two.is_done() && three.is_done());
    one.call(&[2; 4]).unwrap();
    assert!(!one.is_done());
    assert!(three.is_done());
    three.call(&[2; 4]).unwrap();
    assert!(!three.is_done());
}

/// A capture holds launches only, and finds the variables as they are.
pub(crate) fn captured() {
    let [mut caller, mut other] = callers();
    other.call(&[3; 4]).unwrap();
    let mode = Mode::CU_STREAM_CAPTURE_MODE_GLOBAL;
    caller.stream.begin_capture(mode).unwrap();
    caller.call(&[3; 4]).unwrap();
    assert_eq!(
        caller.call(&[4; 4]).unwrap_err().to_string(),
        "weighted: what `weights` fills cannot change while the stream is captured into a CUDA graph: call `weighted` \
         with the same contents and sizes once before the capture"
    );
    let graph = caller.stream.end_capture(CUgraphInstantiate_flags(0));
    let graph = graph.unwrap().unwrap();
    graph.launch().unwrap();
    caller.has(&[3; 4]);
    // On another stream it may, and graphs read what is there when they run.
    other.call(&[5; 4]).unwrap();
    graph.launch().unwrap();
    caller.has(&[5; 4]);
    assert_eq!(control("count mistakes"), 0);
}
