//! A GPU that nobody tuned for: calls themselves are the trials.

use bico::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode as Mode};
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use bico::{Choice, Reason};
use bico_gpu_tests as kernels;
use host_driver::control;
use std::sync::{Arc, Barrier};

/// Buffers on a stream, and calls that use them.
pub(crate) struct Caller {
    pub(crate) stream: Arc<CudaStream>,
    n: u32,
    x: CudaSlice<f32>,
    pub(crate) y: CudaSlice<f32>,
    who: CudaSlice<i32>,
}

impl Caller {
    pub(crate) fn new(stream: &Arc<CudaStream>, n: u32) -> Caller {
        let input: Vec<f32> = (0..n).map(|i| i as f32).collect();
        Caller {
            stream: stream.clone(),
            n,
            x: stream.clone_htod(&input).unwrap(),
            y: stream.alloc_zeros(n as usize).unwrap(),
            who: stream.alloc_zeros(1).unwrap(),
        }
    }

    pub(crate) fn call(&mut self) {
        kernels::pick(&self.stream, &mut self.y, &mut self.who, &self.x, self.n).unwrap();
    }

    pub(crate) fn call_with(&mut self, config: &bico::Config) {
        let Caller {
            stream,
            n,
            x,
            y,
            who,
        } = self;
        kernels::pick_with(config, stream, y, who, x, *n).unwrap();
    }

    pub(crate) fn fails(&mut self) -> bico::Error {
        kernels::pick(&self.stream, &mut self.y, &mut self.who, &self.x, self.n).unwrap_err()
    }

    /// What the calls since the last look gave, and which config served the last.
    pub(crate) fn served(&mut self) -> i32 {
        let y = self.stream.clone_dtoh(&self.y).unwrap();
        let right = y
            .iter()
            .enumerate()
            .all(|(i, &y)| y == 2.0 * i as f32 + 1.0);
        assert!(right, "{:?}", &y[..8.min(y.len())]);
        self.stream.memset_zeros(&mut self.y).unwrap();
        self.stream.clone_dtoh(&self.who).unwrap()[0]
    }

    pub(crate) fn choice(&self) -> Choice {
        kernels::pick_tunable()
            .config_on(&self.stream, &[self.n.into()])
            .unwrap()
    }

    /// Calls until it is settled; which config that is.
    pub(crate) fn settle(&mut self) -> i32 {
        for _ in 0..5000 {
            self.call();
            if matches!(self.choice().reason, Reason::Learned { .. }) {
                for _ in 0..3 {
                    self.call();
                }
                let served = self.served();
                assert_eq!(
                    self.choice().config.to_string(),
                    format!("ID={served}, ROOM=1")
                );
                return served;
            }
        }
        panic!("not settled: {:#?}", kernels::pick_tunable().status());
    }
}

fn stream(gpu: usize) -> Arc<CudaStream> {
    CudaContext::new(gpu).unwrap().new_stream().unwrap()
}

/// The fourth is the fastest; the first, which one would begin with, takes twice as long.
const TIMES: &str = "times pick<0=2.0,2.02,1.99;pick<1=1.5,1.49;pick<2=4;pick<3=1.0,1.01,0.99,1;pick<4=1.2,1.21;pick<5=3";

/// All take twice as long from now on: it looks again, and settles on the same.
pub(crate) fn slower() {
    let mut caller = Caller::new(&stream(0), 1000);
    control(TIMES);
    assert_eq!(caller.settle(), 3);
    control("times pick<0=4;pick<1=3;pick<2=8;pick<3=2,2.02,1.99;pick<4=2.4;pick<5=6");
    let again = (0..5000).any(|_| {
        caller.call();
        matches!(caller.choice().reason, Reason::Exploring { .. })
    });
    assert!(again, "{}", caller.choice());
    assert_eq!(caller.settle(), 3);
}

pub(crate) fn settles() {
    let mut caller = Caller::new(&stream(0), 1000);
    control(TIMES);
    let before = (control("count waits"), control("count records"));
    caller.call();
    assert!(
        matches!(caller.choice().reason, Reason::Exploring { .. })
            || caller.choice().reason == Reason::Predicted,
        "{}",
        caller.choice()
    );
    for _ in 0..1000 {
        caller.call();
    }
    // Nothing has waited for the GPU, and what is settled is hardly timed.
    assert_eq!(control("count waits"), before.0);
    assert_eq!(caller.settle(), 3);
    let records = control("count records");
    for _ in 0..1000 {
        caller.call();
    }
    let watched = (control("count records") - records) / 2;
    assert!((1..=70).contains(&watched), "{watched}");
    assert_eq!(caller.served(), 3);
    // Sizes that are far from these, and those near to them.
    let mut larger = Caller::new(&caller.stream, 50_000);
    assert_eq!(larger.settle(), 3);
    let status = bico::status(kernels::pick_tunable());
    let sizes: Vec<i64> = status.iter().map(|status| status.sizes[0].1).collect();
    assert_eq!(sizes, [1000, 50_000], "{status:#?}");
    for status in &status {
        assert_eq!(status.state, bico::State::Settled, "{status}");
        assert_eq!(status.device, larger.choice().device, "{status}");
        assert_eq!(status.config, Some(larger.choice().config), "{status}");
    }
    // Settled calls are counted by those that are looked at.
    let [calls, timed] = [status[0].calls, status[0].timed];
    assert!((1500..=3000).contains(&calls), "{calls}");
    assert!(timed < calls / 2, "{timed} of {calls}");
}

/// Times come hundreds of calls later.
pub(crate) fn late() {
    let mut caller = Caller::new(&stream(0), 1000);
    control(TIMES);
    control("lag 300");
    let mut calls = 0;
    while !matches!(caller.choice().reason, Reason::Learned { .. }) {
        caller.call();
        calls += 1;
        assert!(calls < 20_000, "{}", caller.choice());
    }
    caller.call();
    assert_eq!(caller.served(), 3);
    // There is no end to what may wait, but to what is timed.
    assert!(
        control("count events") <= 2 * 64 + 16,
        "{}",
        control("count events")
    );
}

/// Two threads, each on both streams in turn: what one launches between the other's events is no part of the
/// other's time.
pub(crate) fn together() {
    let context = CudaContext::new(0).unwrap();
    let streams = [context.new_stream().unwrap(), context.new_stream().unwrap()];
    control(TIMES);
    control("lag 5");
    let begin = Arc::new(Barrier::new(2));
    std::thread::scope(|scope| {
        for own in 0..2 {
            let (begin, streams) = (begin.clone(), &streams);
            scope.spawn(move || {
                let mut callers = [0, 1].map(|i| Caller::new(&streams[(own + i) % 2], 1000));
                begin.wait();
                for round in 0..600 {
                    callers[round % 2].call();
                    if round % 100 > 97 {
                        callers[round % 2].served();
                    }
                }
                for caller in &mut callers {
                    assert_eq!(caller.settle(), 3);
                }
            });
        }
    });
    let status = bico::status(kernels::pick_tunable());
    for arm in &status[0].arms {
        let took = match arm.config.to_string().as_str() {
            "ID=3, ROOM=1" => 1.0e-3,
            "ID=0, ROOM=1" => 2.0e-3,
            _ => continue,
        };
        let seconds = arm.seconds.unwrap();
        assert!((0.9 * took..1.2 * took).contains(&seconds), "{status:#?}");
    }
}

/// The default stream, and that of each thread.
pub(crate) fn defaults() {
    control_after_start(TIMES);
    let context = CudaContext::new(0).unwrap();
    assert_eq!(Caller::new(&context.default_stream(), 1000).settle(), 3);
    let mut other = Caller::new(&context.per_thread_stream(), 1_000_000);
    assert_eq!(other.settle(), 3);
}

fn control_after_start(request: &str) {
    bico_device::cuda::driver().unwrap();
    control(request);
}

/// A second GPU and a second context learn for themselves.
pub(crate) fn apart() {
    control_after_start(
        "times pick<1,1> --gpu-architecture=sm_89=1;pick<2,1> --gpu-architecture=sm_86=1;pick=2",
    );
    let (ada, ampere) = (stream(0), stream(1));
    let (mut one, mut other) = (Caller::new(&ada, 1000), Caller::new(&ampere, 1000));
    for _ in 0..500 {
        one.call();
        other.call();
    }
    assert_eq!((one.settle(), other.settle()), (1, 2));
    control("times pick<5=1;pick=2");
    let context = CudaContext::new_non_primary(0, 0).unwrap();
    let mut third = Caller::new(&context.new_stream().unwrap(), 1000);
    assert_eq!(third.settle(), 5);
    assert_eq!(one.served_again(), 1);
}

impl Caller {
    fn served_again(&mut self) -> i32 {
        self.call();
        self.served()
    }
}

/// The fastest does not load, the next cannot be launched: no call fails.
pub(crate) fn unable() {
    let mut caller = Caller::new(&stream(0), 1000);
    control(TIMES);
    for _ in 0..200 {
        caller.call();
        assert_ne!(caller.served(), 3);
    }
    assert_eq!(caller.settle(), 1);
}

/// What is settled begins to fail.
pub(crate) fn later() {
    let mut caller = Caller::new(&stream(0), 1000);
    let mut small = Caller::new(&caller.stream, 10);
    control(TIMES);
    assert_eq!((caller.settle(), small.settle()), (3, 3));
    control("faults refuse:701:pick<3");
    for _ in 0..50 {
        caller.call();
        assert_ne!(caller.served(), 3);
        small.call();
        assert_ne!(small.served(), 3);
    }
    assert_eq!((caller.settle(), small.settle()), (4, 4));
    // It is out for good.
    control("faults ");
    assert_eq!(caller.served_again(), 4);
}

/// Streams that do not go on keep nobody from learning on another.
pub(crate) fn stuck() {
    let context = CudaContext::new(0).unwrap();
    control(TIMES);
    for _ in 0..6 {
        let stuck = context.new_stream().unwrap();
        let mut waits = Caller::new(&stuck, 1000);
        let (x, mut y) = (Caller::new(&stuck, 1000).x, waits.y.clone());
        // It never ends.
        kernels::shift(&stuck, &mut y, &x, 1000, 1.0).unwrap();
        waits.call();
        // So is what it holds.
        std::mem::forget((waits, x, y, stuck));
    }
    let stream = context.new_stream().unwrap();
    assert_eq!(Caller::new(&stream, 1000).settle(), 3);
    // What is held would be waited for.
    std::process::exit(0);
}

/// Streams that are captured: nothing is timed there, and nothing spoils the capture.
pub(crate) fn captured() {
    let context = CudaContext::new(0).unwrap();
    // SAFETY: what is used on several streams here is waited for.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream().unwrap();
    control(TIMES);
    for warm in [true, false] {
        // A size of its own for each, so that one begins with the capture.
        let mut caller = Caller::new(&stream, if warm { 1000 } else { 60_000 });
        if warm {
            (0..20).for_each(|_| caller.call());
        }
        // Its scratch memory is there.
        let config = kernels::pick_tunable().candidates().next().unwrap();
        caller.call_with(&config);
        caller.served();
        let records = control("count records");
        stream_captured(&mut caller, 30);
        assert_eq!(control("count records"), records);
    }
    // A capture elsewhere, while calls here learn.
    let mut captured = Caller::new(&stream, 1000);
    let mut other = Caller::new(&context.new_stream().unwrap(), 8000);
    other.call();
    captured
        .stream
        .begin_capture(Mode::CU_STREAM_CAPTURE_MODE_GLOBAL)
        .unwrap();
    captured.call();
    for _ in 0..100 {
        other.call();
    }
    captured.call();
    let end = captured.stream.end_capture(CUgraphInstantiate_flags(0));
    end.unwrap().unwrap().launch().unwrap();
    captured.served();
    other.served();
    assert_eq!(other.settle(), 3);
    assert_eq!(control("count mistakes"), 0);
}

fn stream_captured(caller: &mut Caller, calls: usize) {
    caller
        .stream
        .begin_capture(Mode::CU_STREAM_CAPTURE_MODE_GLOBAL)
        .unwrap();
    for _ in 0..calls {
        caller.call();
    }
    let end = caller.stream.end_capture(CUgraphInstantiate_flags(0));
    let graph = end.unwrap().unwrap();
    let before = caller.stream.clone_dtoh(&caller.y).unwrap();
    assert!(before.iter().all(|&y| y == 0.0), "nothing has run yet");
    graph.launch().unwrap();
    caller.served();
}
