//! Streams that are being captured into a graph: what is given to them is kept, not run.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use crate::library::count::Count;
use crate::library::driver::{Driver, Function, Stream, lock};
use crate::library::status::{Answer, Status};

/// `CUstreamCaptureMode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Global,
    ThreadLocal,
    Relaxed,
}

impl Mode {
    pub(crate) fn of(number: i32) -> Answer<Mode> {
        [Mode::Global, Mode::ThreadLocal, Mode::Relaxed]
            .into_iter()
            .find(|mode| *mode as i32 == number)
            .ok_or(Status::InvalidValue)
    }
}

thread_local! {
    /// What this thread heeds: `cuThreadExchangeStreamCaptureMode`.
    static HEEDS: Cell<Mode> = const { Cell::new(Mode::Global) };
}

pub(crate) fn exchange(mode: Mode) -> Mode {
    HEEDS.replace(mode)
}

/// A capture under way.
pub(crate) struct Capture {
    mode: Mode,
    begun_by: ThreadId,
    invalid: AtomicBool,
    pub(crate) nodes: Mutex<Vec<Node>>,
}

/// A launch in a graph.
pub(crate) struct Node {
    pub(crate) function: Arc<Function>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: [u32; 3],
    pub(crate) dependent: bool,
    pub(crate) shared: u32,
    pub(crate) arguments: Vec<Vec<u8>>,
}

impl Capture {
    pub(crate) fn new(mode: Mode) -> Capture {
        Capture {
            mode,
            begun_by: std::thread::current().id(),
            invalid: AtomicBool::new(false),
            nodes: Mutex::default(),
        }
    }

    /// 1 while all is well, 2 after a mistake.
    pub(crate) fn status(&self) -> i32 {
        1 + i32::from(self.invalid.load(Ordering::SeqCst))
    }

    /// # Errors
    ///
    /// A mistake was made before.
    pub(crate) fn valid(&self) -> Answer {
        match self.status() {
            1 => Ok(()),
            _ => Err(Status::StreamCaptureInvalidated),
        }
    }

    /// What was done does not go with the capture.
    pub(crate) fn mistake(&self, status: Status) -> Status {
        Count::Mistakes.one_more();
        self.invalid.store(true, Ordering::SeqCst);
        status
    }
}

impl Stream {
    pub(crate) fn capture(&self) -> Option<Arc<Capture>> {
        lock(&self.capture).clone()
    }

    /// For what a stream cannot do while captured.
    ///
    /// # Errors
    ///
    /// It is being captured.
    pub(crate) fn not_captured(&self, otherwise: Status) -> Answer {
        match self.capture() {
            Some(capture) => Err(capture.mistake(otherwise)),
            None => Ok(()),
        }
    }
}

impl Driver {
    /// For calls that are not safe while a stream is captured, unless their thread says that it knows.
    ///
    /// # Errors
    ///
    /// A capture that this thread heeds is under way; it is spoilt then.
    pub(crate) fn not_capturing(&self) -> Answer {
        let heeds = HEEDS.get();
        let own = std::thread::current().id();
        for stream in self.streams.all() {
            let Some(capture) = stream.capture() else {
                continue;
            };
            let heeded = match heeds {
                Mode::Relaxed => false,
                Mode::ThreadLocal => capture.mode != Mode::Relaxed && capture.begun_by == own,
                Mode::Global => {
                    capture.mode == Mode::Global
                        || (capture.mode == Mode::ThreadLocal && capture.begun_by == own)
                }
            };
            if heeded {
                return Err(capture.mistake(Status::StreamCaptureUnsupported));
            }
        }
        Ok(())
    }
}
