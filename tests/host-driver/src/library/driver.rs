//! What the driver knows: the GPUs of this machine and everything that was made on them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::library::capture::{Capture, Node};
use crate::library::count::Count;
use crate::library::fault::{self, Fault};
use crate::library::gpu::Gpu;
use crate::library::handles::{Handle, Table};
use crate::library::image::{Cubin, Module};
use crate::library::memory::Memory;
use crate::library::script::Times;
use crate::library::settings::{self, Settings};
use crate::library::status::{Answer, Status};

/// One GPU.
pub(crate) struct Device {
    pub(crate) gpu: Gpu,
    pub(crate) ordinal: usize,
    /// The error that all further work on it gives, 0 for none. It stays until the process ends, as
    /// NVIDIA's documentation says of such errors.
    sticky: AtomicI32,
    /// Launches so far.
    launches: AtomicU64,
    /// Handle and holders of the primary context.
    pub(crate) primary: Mutex<(Handle, usize)>,
}

impl Device {
    pub(crate) fn poison(&self, status: Status) {
        let _ = self
            .sticky
            .compare_exchange(0, status as i32, Ordering::SeqCst, Ordering::SeqCst);
    }

    pub(crate) fn sound(&self) -> Answer {
        match Status::of(self.sticky.load(Ordering::SeqCst)) {
            Some(status) => Err(status),
            None => Ok(()),
        }
    }
}

pub(crate) struct Context {
    pub(crate) device: usize,
    pub(crate) default_stream: Arc<Stream>,
}

pub(crate) struct Stream {
    pub(crate) device: usize,
    /// A kernel that never ends was launched in it.
    pub(crate) hung: AtomicBool,
    /// Milliseconds that its kernels took, where a test says them.
    pub(crate) clock: Mutex<f64>,
    pub(crate) capture: Mutex<Option<Arc<Capture>>>,
    /// Events recorded in it, and how many of them somebody waited for.
    recorded: AtomicU64,
    waited: AtomicU64,
}

impl Stream {
    pub(crate) fn new(device: usize) -> Stream {
        Stream {
            device,
            hung: AtomicBool::new(false),
            clock: Mutex::new(0.0),
            capture: Mutex::default(),
            recorded: AtomicU64::new(0),
            waited: AtomicU64::new(0),
        }
    }

    pub(crate) fn is_hung(&self) -> bool {
        self.hung.load(Ordering::SeqCst)
    }

    pub(crate) fn next_number(&self) -> u64 {
        self.recorded.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// What was recorded up to this number is seen to have ended.
    pub(crate) fn waited(&self, number: u64) {
        self.waited.fetch_max(number, Ordering::SeqCst);
    }
}

/// What happened to an event last.
#[derive(Clone)]
pub(crate) enum Moment {
    Never,
    At(Mark),
    Captured(Arc<Capture>),
}

/// A place in a stream.
#[derive(Clone)]
pub(crate) struct Mark {
    pub(crate) stream: Arc<Stream>,
    /// Among what is recorded in it.
    pub(crate) number: u64,
    /// Behind a kernel that never ends.
    pub(crate) hung: bool,
    pub(crate) instant: Instant,
    /// What the stream's clock said.
    pub(crate) milliseconds: f64,
    /// Launches on the GPU after which the host can see it.
    pub(crate) due: u64,
}

pub(crate) struct Event {
    pub(crate) device: usize,
    pub(crate) timing: bool,
    pub(crate) moment: Mutex<Moment>,
}

/// A kernel of a loaded module.
pub(crate) struct Function {
    pub(crate) module: Arc<Module>,
    pub(crate) device: usize,
    /// Which of the module's kernels.
    pub(crate) index: usize,
    /// What the caller opted into.
    pub(crate) dynamic_shared: AtomicI32,
    /// How often it was launched.
    pub(crate) launches: AtomicU64,
}

pub(crate) struct Driver {
    pub(crate) settings: Settings,
    pub(crate) devices: Vec<Device>,
    pub(crate) contexts: Table<Context>,
    pub(crate) streams: Table<Stream>,
    pub(crate) events: Table<Event>,
    pub(crate) modules: Table<LoadedModule>,
    pub(crate) functions: Table<Function>,
    pub(crate) graphs: Table<Vec<Node>>,
    pub(crate) memory: Memory,
    /// Those of the settings, unless a test asked for others since.
    pub(crate) faults: Mutex<Vec<Fault>>,
    pub(crate) times: Mutex<Times>,
    lag: AtomicU64,
    /// Launches of each kernel.
    launched: Mutex<BTreeMap<String, u64>>,
}

pub(crate) struct LoadedModule {
    pub(crate) device: usize,
    pub(crate) module: Arc<Module>,
    /// Handles of the functions that were asked for, by kernel.
    pub(crate) functions: Mutex<Vec<(usize, Handle)>>,
}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        if let Some(driver) = DRIVER.get() {
            for variable in &self.module.variables {
                driver.memory.disown(variable.at);
            }
        }
    }
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

thread_local! {
    /// The contexts that this thread pushed; the last one is current. 0 is none. Never dropped: what else a thread
    /// holds until its end may call us then.
    static CURRENT: ManuallyDrop<RefCell<Vec<Handle>>> =
        const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// What `cuInit` does.
pub(crate) fn initialize() -> Answer {
    let settings = Settings::read().map_err(complain)?;
    let gpus = Gpu::list(&settings.gpus).map_err(complain)?;
    let times = settings::times().map_err(complain)?;
    if settings.faults.contains(&Fault::DriverMismatch) {
        return Err(Status::SystemDriverMismatch);
    }
    if gpus.is_empty() {
        return Err(Status::NoDevice);
    }
    DRIVER.get_or_init(|| {
        let left = settings.faults.iter().find_map(|fault| match fault {
            Fault::Memory(bytes) => Some(*bytes),
            _ => None,
        });
        Driver {
            memory: Memory::new(gpus.len(), settings.memory, left),
            faults: Mutex::new(settings.faults.clone()),
            times: Mutex::new(times),
            lag: AtomicU64::new(settings.lag),
            settings,
            devices: gpus
                .into_iter()
                .enumerate()
                .map(|(ordinal, gpu)| Device {
                    gpu,
                    ordinal,
                    sticky: AtomicI32::new(0),
                    launches: AtomicU64::new(0),
                    primary: Mutex::new((0, 0)),
                })
                .collect(),
            contexts: Table::new(),
            streams: Table::new(),
            events: Table::new(),
            modules: Table::new(),
            functions: Table::new(),
            graphs: Table::new(),
            launched: Mutex::default(),
        }
    });
    Ok(())
}

/// A setting that nobody can have meant is told where it is seen, for C knows only a number.
fn complain(message: String) -> Status {
    eprintln!("host driver: {message}");
    Status::Unknown
}

/// The driver, once `cuInit` was called.
pub(crate) fn driver() -> Answer<&'static Driver> {
    DRIVER.get().ok_or(Status::NotInitialized)
}

impl Driver {
    pub(crate) fn device(&self, ordinal: i32) -> Answer<&Device> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|ordinal| self.devices.get(ordinal))
            .ok_or(Status::InvalidDevice)
    }

    pub(crate) fn new_context(&self, device: usize) -> Handle {
        self.contexts.insert(Arc::new(Context {
            device,
            default_stream: Arc::new(Stream::new(device)),
        }))
    }

    /// The current context of this thread, whatever its state.
    pub(crate) fn bound(&self) -> Answer<Arc<Context>> {
        let handle = current();
        self.contexts
            .get(handle)
            .map_err(|_| Status::InvalidContext)
    }

    /// The current context, for work: an error that its device met before comes first.
    pub(crate) fn context(&self) -> Answer<Arc<Context>> {
        let context = self.bound()?;
        self.devices[context.device].sound()?;
        Ok(context)
    }

    /// A stream by its handle; 0, 1 and 2 are the default stream of the current context.
    pub(crate) fn stream(&self, handle: Handle) -> Answer<Arc<Stream>> {
        let context = self.context()?;
        if handle <= 2 {
            return Ok(context.default_stream.clone());
        }
        let stream = self.streams.get(handle)?;
        self.devices[stream.device].sound()?;
        Ok(stream)
    }

    /// Waits for everything on a device: for ever, if one of its kernels never ends.
    pub(crate) fn wait(&self, device: usize) -> Answer {
        Count::Waits.one_more();
        self.not_capturing()?;
        let contexts = self.contexts.all();
        let defaults = contexts
            .iter()
            .map(|context| context.default_stream.clone());
        for stream in self.streams.all().into_iter().chain(defaults) {
            if stream.device == device {
                if stream.is_hung() {
                    for_ever();
                }
                stream.waited(stream.next_number());
            }
        }
        self.devices[device].sound()
    }

    /// The faults that name this kernel.
    pub(crate) fn faults_of(&self, identity: &str) -> Vec<Fault> {
        let launched = lock(&self.launched).get(identity).copied().unwrap_or(0);
        let faults = lock(&self.faults);
        let met = faults.iter().filter(|fault| match fault {
            Fault::Sticky(_, after, of) | Fault::Refuse(_, after, of) => {
                launched >= *after && fault::names(of, identity)
            }
            Fault::Hang(of) | Fault::Wrong(of) | Fault::Load(_, of) => fault::names(of, identity),
            _ => false,
        });
        met.cloned().collect()
    }

    /// A kernel was launched in a stream, and takes the time that a test says.
    pub(crate) fn launched(&self, stream: &Stream, identity: &str) {
        *lock(&self.launched)
            .entry(identity.to_string())
            .or_default() += 1;
        *lock(&stream.clock) += lock(&self.times).next(identity);
        self.devices[stream.device]
            .launches
            .fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn set_lag(&self, launches: u64) {
        self.lag.store(launches, Ordering::SeqCst);
    }

    /// Launches on a GPU after which what is recorded now is complete.
    pub(crate) fn due(&self, device: usize) -> u64 {
        let launches = self.devices[device].launches.load(Ordering::SeqCst);
        launches.saturating_add(self.lag.load(Ordering::SeqCst))
    }

    /// Whether the host can see that the GPU came by.
    pub(crate) fn is_complete(&self, mark: &Mark) -> bool {
        let launches = &self.devices[mark.stream.device].launches;
        let seen = mark.stream.waited.load(Ordering::SeqCst) >= mark.number;
        !mark.hung && (seen || launches.load(Ordering::SeqCst) >= mark.due)
    }

    /// Whether an image may run on a device, as the real driver decides it.
    pub(crate) fn admits(&self, cubin: &Cubin, from_ptx: bool, device: &Device) -> Answer {
        let (of, on) = (cubin.architecture, device.gpu.architecture());
        if from_ptx {
            if self.settings.faults.contains(&Fault::OldPtx) {
                return Err(Status::UnsupportedPtxVersion);
            }
            if on < of {
                return Err(Status::InvalidPtx);
            }
        } else if of / 10 != on / 10 || on < of || (cubin.exact && on != of) {
            return Err(Status::NoBinaryForGpu);
        }
        for kernel in &cubin.kernels {
            for fault in self.faults_of(&cubin.identity(kernel)) {
                if let Fault::Load(status, _) = fault {
                    return Err(status);
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn current() -> Handle {
    CURRENT.with(|stack| stack.borrow().last().copied().unwrap_or(0))
}

pub(crate) fn set_current(handle: Handle) {
    CURRENT.with(|stack| {
        let mut stack = stack.borrow_mut();
        stack.pop();
        stack.push(handle);
    });
}

pub(crate) fn push_current(handle: Handle) {
    CURRENT.with(|stack| stack.borrow_mut().push(handle));
}

pub(crate) fn pop_current() -> Handle {
    CURRENT.with(|stack| stack.borrow_mut().pop().unwrap_or(0))
}

/// What waiting for a kernel without an end is. Only a signal from outside ends it.
pub(crate) fn for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

/// A lock that a panic elsewhere does not take away.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
