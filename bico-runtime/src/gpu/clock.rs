//! What launches take, by events that are recorded around them and read on a later call: nothing waits.
//!
//! On a stream that has nothing to do, the first event is over before the host has launched: the time
//! then holds part of what a launch costs, for every config the same.

use crate::learn::{Pull, unless_busy};
use cudarc::driver::result::event;
use cudarc::driver::sys::{
    self, CUevent, CUevent_flags, CUresult, CUstreamCaptureMode, CUstreamCaptureStatus,
};
use cudarc::driver::{CudaStream, DriverError, result};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Launches whose times are not read yet. More are not timed.
const MOST: usize = 64;
/// Times read at once, so that no call pays for many others.
const READ: usize = 8;
/// Streams that are found at work before no more are asked about.
const STREAMS: usize = 4;
/// After so many that were recorded later, a time is given up: no GPU holds more launches of a stream, so that
/// something keeps it.
const PATIENCE: u64 = 1024;
/// Events tell time in steps of about half a microsecond.
const STEP: f64 = 0.5e-6;

/// What was read, without allocating anything.
type Told = [Option<(Pull, Result<f64, DriverError>)>; READ];

/// The clock of one context.
pub(super) struct Clock {
    /// Held for a few instructions, never over a call of the driver.
    yard: Mutex<Yard>,
    /// What was recorded, in that order. Held by who reads; others do not wait.
    waiting: Mutex<Vec<Waiting>>,
    /// Launches that are being timed now: what settled calls look at, which take no lock.
    timing: AtomicU32,
}

struct Yard {
    idle: Vec<Pair>,
    /// Recorded while somebody was reading.
    arrived: Vec<Waiting>,
    /// Pairs that there are. Several threads at once may make a few too many.
    made: usize,
    /// Launches that were timed so far.
    recorded: u64,
    /// What is being launched now, each from before its first event on.
    open: Vec<Open>,
    /// Launches that there were.
    opened: u64,
}

/// A launch that is under way on the host, timed or not.
struct Open {
    number: u64,
    /// The stream's address: only compared.
    stream: usize,
    /// Whether another thread's launch on this stream may lie between the events, too.
    shared: bool,
}

/// Marks the place before a launch: [`Clock::stop`] is to come.
pub(super) struct Started {
    number: u64,
    /// The events, where it is timed.
    pair: Option<Pair>,
}

/// The events before and behind a launch. They live as long as their context, which is for ever.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    start: CUevent,
    end: CUevent,
}

// SAFETY: events may be used from every thread.
unsafe impl Send for Pair {}

struct Waiting {
    pair: Pair,
    /// The stream's address: only compared.
    stream: usize,
    number: u64,
    of: Pull,
}

impl Clock {
    pub(super) const fn new() -> Clock {
        Clock {
            yard: Mutex::new(Yard {
                idle: Vec::new(),
                arrived: Vec::new(),
                made: 0,
                recorded: 0,
                open: Vec::new(),
                opened: 0,
            }),
            waiting: Mutex::new(Vec::new()),
            timing: AtomicU32::new(0),
        }
    }

    /// Whether a launch may lie between another thread's events, so that it is to be noted.
    #[inline]
    pub(super) fn is_timing(&self) -> bool {
        self.timing.load(Ordering::Relaxed) > 0
    }

    /// Marks the place before a launch, with an event if it is to be `timed` and can be. The stream's context is this
    /// thread's, and a stream that is timed is not being captured. Launches that nobody times are noted, too: they may
    /// lie between the events of another thread.
    pub(super) fn start(&self, stream: &CudaStream, timed: bool) -> Started {
        let pair = timed.then(|| self.pair()).flatten();
        let number = self.yard().open(stream.cu_stream() as usize);
        self.timing
            .fetch_add(u32::from(pair.is_some()), Ordering::Relaxed);
        let pair = pair.filter(|pair| {
            // SAFETY: the event and the stream are there, of one context.
            let marked = unsafe { event::record(pair.start, stream.cu_stream()) }.is_ok();
            if !marked {
                self.timing.fetch_sub(1, Ordering::Relaxed);
                self.yard().idle.push(*pair);
            }
            marked
        });
        Started { number, pair }
    }

    /// Marks the place behind the launch; without what its time is for, it is not timed, nor where another thread
    /// launched on the same stream meanwhile.
    pub(super) fn stop(&self, started: Started, stream: &CudaStream, mut of: Option<Pull>) {
        let Started { number, pair } = started;
        let marked = pair.filter(|pair| {
            // SAFETY: the event and the stream are there, of one context.
            of.is_some() && unsafe { event::record(pair.end, stream.cu_stream()) }.is_ok()
        });
        let mut yard = self.yard();
        let shared = yard.close(number);
        let Some(pair) = pair else {
            return;
        };
        self.timing.fetch_sub(1, Ordering::Relaxed);
        let Some(of) = of.take_if(|_| marked.is_some() && !shared) else {
            yard.idle.push(pair);
            return;
        };
        if yard.arrived.capacity() == 0 {
            yard.arrived.reserve_exact(MOST);
            yard.idle.reserve_exact(MOST);
        }
        yard.recorded += 1;
        let number = yard.recorded;
        yard.arrived.push(Waiting {
            pair,
            stream: stream.cu_stream() as usize,
            number,
            of,
        });
    }

    /// A launch that was not noted is on its stream, maybe between another thread's events.
    #[cold]
    pub(super) fn passed(&self, stream: &CudaStream) {
        self.yard().share(stream.cu_stream() as usize);
    }

    fn pair(&self) -> Option<Pair> {
        {
            let mut yard = unless_busy(self.yard.try_lock())?;
            if let Some(pair) = yard.idle.pop() {
                return Some(pair);
            }
            if yard.made >= MOST {
                return None;
            }
        }
        let _relaxed = Relaxed::new();
        let pair = Pair::new()?;
        self.yard().made += 1;
        Some(pair)
    }

    /// Tells the times that are known by now. The context is this thread's.
    pub(super) fn read(&self) {
        let told = {
            let Some(mut waiting) = unless_busy(self.waiting.try_lock()) else {
                return;
            };
            let room = MOST.saturating_sub(waiting.len());
            waiting.reserve_exact(room);
            let recorded = {
                let mut yard = self.yard();
                waiting.append(&mut yard.arrived);
                yard.recorded
            };
            if waiting.is_empty() {
                return;
            }
            let _relaxed = Relaxed::new();
            self.look(&mut waiting, recorded)
        };
        // Whoever is told may take its time: nothing is held here.
        for (pull, time) in told.into_iter().flatten() {
            if let Ok(seconds) = time {
                pull.took(seconds);
            }
        }
    }

    /// What is complete leaves the list. Behind what is not complete nothing of its stream is.
    fn look(&self, waiting: &mut Vec<Waiting>, recorded: u64) -> Told {
        let mut told: Told = [const { None }; READ];
        let mut busy = [None; STREAMS];
        let (mut seen, mut at, mut read) = (0, 0, 0);
        while at < waiting.len() && read < READ && seen < STREAMS {
            let Waiting { stream, number, .. } = waiting[at];
            if busy.contains(&Some(stream)) {
                at += 1;
                continue;
            }
            let late = recorded - number > PATIENCE;
            match waiting[at].pair.seconds() {
                Err(DriverError(CUresult::CUDA_ERROR_NOT_READY)) if !late => {
                    busy[seen] = Some(stream);
                    seen += 1;
                    at += 1;
                }
                time => {
                    let Waiting { pair, of, .. } = waiting.remove(at);
                    self.yard().idle.push(pair);
                    told[read] = Some((of, time));
                    read += 1;
                }
            }
        }
        if seen == STREAMS {
            // Some may be at work for ever: next time others come first.
            waiting.rotate_left(1);
        }
        told
    }

    fn yard(&self) -> MutexGuard<'_, Yard> {
        self.yard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Yard {
    fn open(&mut self, stream: usize) -> u64 {
        let shared = self.share(stream);
        self.opened += 1;
        let number = self.opened;
        self.open.push(Open {
            number,
            stream,
            shared,
        });
        number
    }

    /// Whoever is on this stream is not alone; whether there is one.
    fn share(&mut self, stream: usize) -> bool {
        let mut shared = false;
        for other in self.open.iter_mut().filter(|of| of.stream == stream) {
            (other.shared, shared) = (true, true);
        }
        shared
    }

    /// Whether it was not alone.
    fn close(&mut self, number: u64) -> bool {
        let at = self.open.iter().position(|of| of.number == number);
        at.is_some_and(|at| self.open.swap_remove(at).shared)
    }
}

impl Pair {
    fn new() -> Option<Pair> {
        let create = || event::create(CUevent_flags::CU_EVENT_DEFAULT).ok();
        let start = create()?;
        let Some(end) = create() else {
            // SAFETY: nobody has it.
            let _ = unsafe { event::destroy(start) };
            return None;
        };
        Some(Pair { start, end })
    }

    fn seconds(&self) -> Result<f64, DriverError> {
        // SAFETY: both events are there, and were recorded.
        let milliseconds = unsafe {
            event::query(self.end)?;
            event::elapsed(self.start, self.end)?
        };
        Ok((f64::from(milliseconds) / 1e3).max(STEP))
    }
}

/// Whether a stream is being captured into a graph, or cannot tell. The context is this thread's.
pub(super) fn is_captured(stream: &CudaStream) -> bool {
    // SAFETY: the stream is there.
    let status = unsafe { result::stream::is_capturing(stream.cu_stream()) };
    status != Ok(CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
}

/// While it lives, this thread may ask the driver for what would else spoil a capture that is under way
/// on another stream, here or in another thread: it says that it has nothing to do with that.
pub(super) struct Relaxed(Option<CUstreamCaptureMode>);

impl Relaxed {
    pub(super) fn new() -> Relaxed {
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        Relaxed(exchange(mode))
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        if let Some(mode) = self.0 {
            exchange(mode);
        }
    }
}

fn exchange(mut mode: CUstreamCaptureMode) -> Option<CUstreamCaptureMode> {
    // SAFETY: a place for a mode, which then holds the one before.
    let done = unsafe { sys::cuThreadExchangeStreamCaptureMode(&mut mode) };
    done.result().is_ok().then_some(mode)
}
