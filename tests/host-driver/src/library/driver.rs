//! What the driver knows: the GPUs of this machine and everything that was made on them.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::library::fault::{self, Fault};
use crate::library::gpu::Gpu;
use crate::library::handles::{Handle, Table};
use crate::library::image::{Cubin, Module};
use crate::library::memory::Memory;
use crate::library::settings::Settings;
use crate::library::status::{Answer, Status};

/// One GPU.
pub(crate) struct Device {
    pub(crate) gpu: Gpu,
    pub(crate) ordinal: usize,
    /// The error that all further work on it gives, 0 for none. It stays until the process ends, as
    /// NVIDIA's documentation says of such errors.
    sticky: AtomicI32,
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
}

impl Stream {
    pub(crate) fn is_hung(&self) -> bool {
        self.hung.load(Ordering::SeqCst)
    }
}

/// What happened to an event last.
#[derive(Clone, Copy)]
pub(crate) enum Moment {
    Never,
    At(Instant),
    /// Recorded behind a kernel that never ends.
    Pending,
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
}

pub(crate) struct Driver {
    pub(crate) settings: Settings,
    pub(crate) devices: Vec<Device>,
    pub(crate) contexts: Table<Context>,
    pub(crate) streams: Table<Stream>,
    pub(crate) events: Table<Event>,
    pub(crate) modules: Table<LoadedModule>,
    pub(crate) functions: Table<Function>,
    pub(crate) memory: Memory,
}

pub(crate) struct LoadedModule {
    pub(crate) device: usize,
    pub(crate) module: Arc<Module>,
    /// Handles of the functions that were asked for, by kernel.
    pub(crate) functions: Mutex<Vec<(usize, Handle)>>,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

thread_local! {
    /// The contexts that this thread pushed; the last one is current. 0 is none.
    static CURRENT: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

/// What `cuInit` does.
pub(crate) fn initialize() -> Answer {
    let settings = Settings::read().map_err(complain)?;
    let gpus = Gpu::list(&settings.gpus).map_err(complain)?;
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
            settings,
            devices: gpus
                .into_iter()
                .enumerate()
                .map(|(ordinal, gpu)| Device {
                    gpu,
                    ordinal,
                    sticky: AtomicI32::new(0),
                    primary: Mutex::new((0, 0)),
                })
                .collect(),
            contexts: Table::new(),
            streams: Table::new(),
            events: Table::new(),
            modules: Table::new(),
            functions: Table::new(),
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
            default_stream: Arc::new(Stream {
                device,
                hung: AtomicBool::new(false),
            }),
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
        let contexts = self.contexts.all();
        let defaults = contexts
            .iter()
            .map(|context| context.default_stream.clone());
        if self
            .streams
            .all()
            .into_iter()
            .chain(defaults)
            .any(|stream| stream.device == device && stream.is_hung())
        {
            for_ever();
        }
        self.devices[device].sound()
    }

    /// The faults that name this kernel.
    pub(crate) fn faults<'a>(&'a self, identity: &'a str) -> impl Iterator<Item = &'a Fault> {
        self.settings
            .faults
            .iter()
            .filter(move |fault| match fault {
                Fault::Sticky(_, of)
                | Fault::Hang(of)
                | Fault::Wrong(of)
                | Fault::Refuse(_, of)
                | Fault::Load(_, of) => fault::names(of, identity),
                _ => false,
            })
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
        } else if of / 10 != on / 10 || on < of {
            return Err(Status::NoBinaryForGpu);
        }
        for kernel in &cubin.kernels {
            for fault in self.faults(&cubin.identity(kernel)) {
                if let Fault::Load(status, _) = fault {
                    return Err(*status);
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn current() -> Handle {
    CURRENT.with_borrow(|stack| stack.last().copied().unwrap_or(0))
}

pub(crate) fn set_current(handle: Handle) {
    CURRENT.with_borrow_mut(|stack| {
        stack.pop();
        stack.push(handle);
    });
}

pub(crate) fn push_current(handle: Handle) {
    CURRENT.with_borrow_mut(|stack| stack.push(handle));
}

pub(crate) fn pop_current() -> Handle {
    CURRENT.with_borrow_mut(|stack| stack.pop().unwrap_or(0))
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
