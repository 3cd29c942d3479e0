//! What is particular to an operating system: memory with guard pages, a thread's own clock,
//! limits. Linux is what is tested; elsewhere [`supported`] says so.

/// Whether measuring works on this operating system.
///
/// # Errors
///
/// Always, except on 64-bit Linux.
pub fn supported() -> Result<(), String> {
    if IS_KNOWN {
        return Ok(());
    }
    let (os, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
    let on = match os {
        "linux" => format!("Linux on {architecture}"),
        os => os.to_string(),
    };
    Err(format!(
        "measuring is not supported on {on} yet\n  = help: tune on Linux on x86_64 or aarch64 and commit bico.lock, or build with BICO=off"
    ))
}

/// Whether this module knows the system's numbers and structures, those of [`system`](crate::system).
const IS_KNOWN: bool = cfg!(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64",
        target_arch = "loongarch64",
    )
));

#[cfg(target_os = "linux")]
pub use linux::*;
#[cfg(not(target_os = "linux"))]
pub use other::*;

#[cfg(target_os = "linux")]
mod linux {
    use crate::system::{self, *};
    use std::fs::File;
    use std::io::{Error, ErrorKind, Result, stdin, stdout};
    use std::ops::Range;
    use std::os::fd::{AsFd, AsRawFd};
    use std::path::Path;

    fn check(status: i32) -> Result<()> {
        if status == -1 {
            Err(Error::last_os_error())
        } else {
            Ok(())
        }
    }

    /// Turns this process into a worker: standard input and output become the parent's alone
    /// (kernels read nothing, and print to standard error), a crash leaves no core file, and the
    /// worker does not outlive the thread that started it. Gives the input and the output.
    ///
    /// # Errors
    ///
    /// Standard input or output is closed.
    pub fn become_worker() -> Result<(File, File)> {
        let nothing = File::open("/dev/null")?;
        let input = stdin().as_fd().try_clone_to_owned()?;
        let output = stdout().as_fd().try_clone_to_owned()?;
        check(system::dup2(nothing.as_raw_fd(), 0))?;
        check(system::dup2(2, 1))?;
        // SAFETY: the call reads a plain structure.
        check(unsafe { system::setrlimit(RLIMIT_CORE, &Limit::default()) })?;
        check(system::prctl(PR_SET_PDEATHSIG, SIGKILL))?;
        Ok((input.into(), output.into()))
    }

    /// Whether a child has ended; it is not reaped, so its number cannot mean another process yet.
    pub fn has_ended(child: u32) -> bool {
        let mut info = SignalInfo::default();
        // SAFETY: the call fills a plain structure.
        let status =
            unsafe { system::waitid(P_PID, child, &mut info, WEXITED | WNOHANG | WNOWAIT) };
        status != 0 || info.signal != 0
    }

    /// Opens a file in a folder that everybody may write to, for locking: made if missing, its owner's to write and
    /// everybody's to read, which is enough to lock it; never through a link.
    ///
    /// # Errors
    ///
    /// It belongs to another user who does not share it, or the folder cannot be written to.
    pub fn open_shared(path: &Path) -> Result<File> {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let existing = || {
            let flags = O_NOFOLLOW | O_NONBLOCK;
            File::options().read(true).custom_flags(flags).open(path)
        };
        match existing() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => return other,
        }
        let mut made = File::options();
        match made.write(true).create_new(true).mode(0o644).open(path) {
            Ok(file) => {
                // The creator's umask must not keep others out.
                let _ = file.set_permissions(std::fs::Permissions::from_mode(0o644));
                Ok(file)
            }
            // Somebody was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => existing(),
            error => error,
        }
    }

    /// Lets this process use `more` bytes of address space beyond what it uses now.
    pub fn limit_memory(more: u64) {
        let pages = || -> Option<u64> {
            std::fs::read_to_string("/proc/self/statm")
                .ok()?
                .split(' ')
                .next()?
                .parse()
                .ok()
        };
        let Some(pages) = pages() else { return };
        // SAFETY: plain system calls; the hard limit stays, so the soft one can be raised again.
        unsafe {
            let mut limit = Limit::default();
            if system::getrlimit(RLIMIT_AS, &mut limit) == 0 {
                limit.soft = (pages * page() as u64).saturating_add(more).min(limit.hard);
                system::setrlimit(RLIMIT_AS, &limit);
            }
        }
    }

    /// Threads of this process.
    pub fn threads() -> usize {
        std::fs::read_dir("/proc/self/task").map_or(1, |tasks| tasks.count())
    }

    /// Bytes before and behind that nobody may touch: address space, not memory.
    pub const GUARD: usize = 4 << 20;

    fn page() -> usize {
        usize::try_from(system::sysconf(SC_PAGESIZE)).unwrap_or(4096)
    }

    /// Whole pages of memory between two stretches that nobody may touch.
    #[derive(Debug)]
    pub struct Pages {
        start: *mut u8,
        len: usize,
        guard: usize,
    }

    impl Pages {
        /// At least `len` bytes, zeroed.
        ///
        /// # Errors
        ///
        /// There is not that much memory.
        pub fn new(len: usize) -> Result<Pages> {
            let guard = GUARD.next_multiple_of(page());
            let len = len
                .max(1)
                .checked_next_multiple_of(page())
                .ok_or(ErrorKind::OutOfMemory)?;
            let whole = len.checked_add(2 * guard).ok_or(ErrorKind::OutOfMemory)?;
            // SAFETY: a fresh mapping at an address of the system's choice; the range that becomes
            // writable lies inside it.
            unsafe {
                let flags = MAP_PRIVATE | MAP_ANONYMOUS;
                let base = system::mmap(std::ptr::null_mut(), whole, PROT_NONE, flags, -1, 0);
                if base == MAP_FAILED {
                    return Err(Error::last_os_error());
                }
                let start = base.cast::<u8>().add(guard);
                let pages = Pages { start, len, guard };
                check(system::mprotect(start.cast(), len, PROT_READ | PROT_WRITE))?;
                Ok(pages)
            }
        }

        /// Where the pages begin.
        pub(crate) fn start(&self) -> *mut u8 {
            self.start
        }

        /// How many bytes they are.
        pub(crate) fn len(&self) -> usize {
            self.len
        }

        /// The addresses before and behind that nobody may touch.
        pub(crate) fn fences(&self) -> [Range<usize>; 2] {
            let start = self.start as usize;
            let end = start + self.len;
            [start - self.guard..start, end..end + self.guard]
        }

        /// Forbids writing to them, or allows it again.
        ///
        /// # Errors
        ///
        /// The system refuses.
        pub(crate) fn forbid_writing(&mut self, forbid: bool) -> Result<()> {
            let access = match forbid {
                true => PROT_READ,
                false => PROT_READ | PROT_WRITE,
            };
            // SAFETY: pages of `self`, which is borrowed alone.
            check(unsafe { system::mprotect(self.start.cast(), self.len, access) })
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: exactly the range that `new` mapped.
            unsafe { system::munmap(self.start.sub(self.guard).cast(), self.len + 2 * self.guard) };
        }
    }

    /// Leaves a byte all over the stack where the next calls will have their own variables.
    pub fn soil_stack(byte: u8) {
        // SAFETY: the call fills a plain structure.
        let most = unsafe {
            let mut limit = Limit::default();
            system::getrlimit(RLIMIT_STACK, &mut limit);
            limit.soft.min(8 << 20) as usize
        };
        soil(byte, most * 3 / 8 / FRAME);
    }

    const FRAME: usize = 64 << 10;

    #[inline(never)]
    fn soil(byte: u8, frames: usize) {
        let mut frame = [byte; FRAME];
        if frames > 1 {
            soil(byte, frames - 1);
        }
        std::hint::black_box(&mut frame);
    }

    /// What the scheduler did to the calling thread so far.
    #[derive(Debug, Clone, Copy)]
    pub struct ThreadClock {
        /// Seconds it ran.
        pub seconds: f64,
        /// How often another thread took its processor.
        pub preempted: i64,
        /// How often it waited.
        pub waited: i64,
    }

    impl ThreadClock {
        /// Reads it.
        pub fn now() -> ThreadClock {
            // SAFETY: plain structures that the calls fill.
            unsafe {
                let (mut time, mut usage) = (Time::default(), Usage::default());
                system::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut time);
                system::getrusage(RUSAGE_THREAD, &mut usage);
                ThreadClock {
                    seconds: time.seconds as f64 + time.nanoseconds as f64 * 1e-9,
                    preempted: usage.preempted,
                    waited: usage.waited,
                }
            }
        }
    }

    unsafe extern "C" {
        fn fegetenv(environment: *mut u64) -> i32;
        fn fesetenv(environment: *const u64) -> i32;
    }

    /// Rounding mode, flush-to-zero and exception masks of the calling thread.
    #[derive(Debug, Clone, Copy)]
    pub struct FloatEnvironment([u64; 16]);

    impl FloatEnvironment {
        /// As it is now.
        pub fn now() -> FloatEnvironment {
            let mut environment = [0; 16];
            // SAFETY: `fenv_t` takes 32 bytes at most (x86-64) on the targets of the C library.
            unsafe { fegetenv(environment.as_mut_ptr()) };
            FloatEnvironment(environment)
        }

        /// As it was then.
        pub fn restore(&self) {
            // SAFETY: it was filled by `fegetenv`.
            unsafe { fesetenv(self.0.as_ptr()) };
        }
    }

    /// Loads a shared object with all its symbols resolved.
    ///
    /// # Errors
    ///
    /// The loader's own words.
    pub(crate) fn open_library(path: &Path) -> std::result::Result<libloading::Library, String> {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        // SAFETY: initialisers of the library run here. The library is the user's own kernel, and
        // this is the process that exists to be damaged by it.
        match unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) } {
            Ok(library) => Ok(library.into()),
            Err(error) => Err(crate::loader_words(&error)),
        }
    }
}

#[cfg(not(target_os = "linux"))]
#[allow(missing_docs, clippy::missing_errors_doc)]
mod other {
    //! The same names where nothing is supported yet.
    use std::fs::File;
    use std::io::{ErrorKind, Result};
    use std::path::Path;

    pub fn become_worker() -> Result<(File, File)> {
        Err(ErrorKind::Unsupported.into())
    }

    pub fn has_ended(_child: u32) -> bool {
        false
    }

    pub fn open_shared(_path: &Path) -> Result<File> {
        Err(ErrorKind::Unsupported.into())
    }

    pub fn limit_memory(_more: u64) {}

    pub const GUARD: usize = 0;

    pub fn soil_stack(_byte: u8) {}

    pub fn threads() -> usize {
        1
    }
}
