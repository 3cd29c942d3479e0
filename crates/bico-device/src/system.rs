//! The part of the C library that measuring calls, on 64-bit Linux.
//!
//! Declared here and not taken from the crate `libc`, which is a second of every user's first build for fifteen functions. A
//! test holds each number and each layout against that crate. [`supported`](crate::os::supported) names the architectures,
//! which agree on all of it but one number.

use std::ffi::{c_int, c_long, c_void};

pub(crate) const PROT_NONE: c_int = 0;
pub(crate) const PROT_READ: c_int = 1;
pub(crate) const PROT_WRITE: c_int = 2;
pub(crate) const MAP_PRIVATE: c_int = 0x02;
pub(crate) const MAP_ANONYMOUS: c_int = 0x20;
/// What `mmap` gives where there is no memory.
pub(crate) const MAP_FAILED: *mut c_void = !0 as *mut c_void;
pub(crate) const RLIMIT_STACK: u32 = 3;
pub(crate) const RLIMIT_CORE: u32 = 4;
pub(crate) const RLIMIT_AS: u32 = 9;
pub(crate) const PR_SET_PDEATHSIG: c_int = 1;
pub(crate) const SIGBUS: c_int = 7;
pub(crate) const SIGKILL: c_int = 9;
pub(crate) const SIGSEGV: c_int = 11;
pub(crate) const SA_SIGINFO: c_int = 4;
pub(crate) const SA_ONSTACK: c_int = 0x0800_0000;
pub(crate) const CLOCK_THREAD_CPUTIME_ID: c_int = 3;
pub(crate) const RUSAGE_THREAD: c_int = 1;
pub(crate) const SC_PAGESIZE: c_int = 30;
pub(crate) const P_PID: c_int = 1;
pub(crate) const WNOHANG: c_int = 1;
pub(crate) const WEXITED: c_int = 4;
pub(crate) const WNOWAIT: c_int = 0x0100_0000;
pub(crate) const O_NONBLOCK: c_int = 0o4000;
pub(crate) const O_NOFOLLOW: c_int = match cfg!(target_arch = "aarch64") {
    true => 0o100_000,
    false => 0o400_000,
};

/// `struct rlimit`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Limit {
    pub(crate) soft: u64,
    pub(crate) hard: u64,
}

/// `struct timespec`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Time {
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: c_long,
}

/// `struct rusage`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Usage {
    /// What nobody asks for here: times, pages, messages.
    rest: [c_long; 16],
    /// How often the thread waited.
    pub(crate) waited: c_long,
    /// How often its processor was taken away.
    pub(crate) preempted: c_long,
}

/// `struct sigaction`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Action {
    /// The function.
    pub(crate) handler: usize,
    pub(crate) mask: [u64; 16],
    pub(crate) flags: c_int,
    pub(crate) restorer: usize,
}

/// `siginfo_t`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct SignalInfo {
    /// Which; 0 of a child that still runs.
    pub(crate) signal: c_int,
    error: c_int,
    code: c_int,
    /// Of a fault the address that was touched.
    pub(crate) address: usize,
    rest: [u64; 13],
}

// SAFETY: as the C library declares them on the targets that `supported` names, on which alone they are called.
unsafe extern "C" {
    pub(crate) fn mmap(
        at: *mut c_void,
        bytes: usize,
        access: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    pub(crate) fn mprotect(at: *mut c_void, bytes: usize, access: c_int) -> c_int;
    pub(crate) fn munmap(at: *mut c_void, bytes: usize) -> c_int;
    pub(crate) fn getrlimit(what: u32, limit: *mut Limit) -> c_int;
    pub(crate) fn setrlimit(what: u32, limit: *const Limit) -> c_int;
    pub(crate) fn clock_gettime(clock: c_int, time: *mut Time) -> c_int;
    pub(crate) fn getrusage(whose: c_int, usage: *mut Usage) -> c_int;
    pub(crate) fn waitid(of: c_int, id: u32, info: *mut SignalInfo, options: c_int) -> c_int;
    pub(crate) fn sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int;
    pub(crate) fn write(file: c_int, bytes: *const c_void, count: usize) -> isize;
    pub(crate) safe fn dup2(file: c_int, to: c_int) -> c_int;
    pub(crate) safe fn prctl(what: c_int, ...) -> c_int;
    pub(crate) safe fn sysconf(what: c_int) -> c_long;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn numbers_are_those_of_libc() {
        let ours = [
            (PROT_NONE, libc::PROT_NONE),
            (PROT_READ, libc::PROT_READ),
            (PROT_WRITE, libc::PROT_WRITE),
            (MAP_PRIVATE, libc::MAP_PRIVATE),
            (MAP_ANONYMOUS, libc::MAP_ANONYMOUS),
            (RLIMIT_STACK as c_int, libc::RLIMIT_STACK as c_int),
            (RLIMIT_CORE as c_int, libc::RLIMIT_CORE as c_int),
            (RLIMIT_AS as c_int, libc::RLIMIT_AS as c_int),
            (PR_SET_PDEATHSIG, libc::PR_SET_PDEATHSIG),
            (SIGBUS, libc::SIGBUS),
            (SIGKILL, libc::SIGKILL),
            (SIGSEGV, libc::SIGSEGV),
            (SA_SIGINFO, libc::SA_SIGINFO),
            (SA_ONSTACK, libc::SA_ONSTACK),
            (CLOCK_THREAD_CPUTIME_ID, libc::CLOCK_THREAD_CPUTIME_ID),
            (RUSAGE_THREAD, libc::RUSAGE_THREAD),
            (SC_PAGESIZE, libc::_SC_PAGESIZE),
            (P_PID, libc::P_PID as c_int),
            (WNOHANG, libc::WNOHANG),
            (WEXITED, libc::WEXITED),
            (WNOWAIT, libc::WNOWAIT),
            (O_NONBLOCK, libc::O_NONBLOCK),
            (O_NOFOLLOW, libc::O_NOFOLLOW),
        ];
        assert!(ours.iter().all(|(ours, theirs)| ours == theirs), "{ours:?}");
        assert_eq!(MAP_FAILED, libc::MAP_FAILED);
    }

    #[test]
    fn layouts_are_those_of_libc() {
        assert_eq!(size_of::<Limit>(), size_of::<libc::rlimit>());
        assert_eq!(offset_of!(Limit, hard), offset_of!(libc::rlimit, rlim_max));
        assert_eq!(size_of::<Time>(), size_of::<libc::timespec>());
        assert_eq!(
            offset_of!(Time, nanoseconds),
            offset_of!(libc::timespec, tv_nsec)
        );
        assert!(size_of::<Usage>() <= size_of::<libc::rusage>());
        // musl's is larger; what it has behind is never written by the system.
        assert_eq!(
            offset_of!(Usage, waited),
            offset_of!(libc::rusage, ru_nvcsw)
        );
        assert_eq!(
            offset_of!(Usage, preempted),
            offset_of!(libc::rusage, ru_nivcsw)
        );
        assert_eq!(size_of::<Action>(), size_of::<libc::sigaction>());
        assert_eq!(
            offset_of!(Action, handler),
            offset_of!(libc::sigaction, sa_sigaction)
        );
        assert_eq!(
            offset_of!(Action, flags),
            offset_of!(libc::sigaction, sa_flags)
        );
        assert_eq!(size_of::<SignalInfo>(), size_of::<libc::siginfo_t>());
        let ours = SignalInfo {
            signal: SIGSEGV,
            address: 0x1234,
            ..SignalInfo::default()
        };
        // SAFETY: of the same size, and all bits are integers or addresses that nobody follows.
        let theirs: libc::siginfo_t = unsafe { std::mem::transmute(ours) };
        assert_eq!(theirs.si_signo, SIGSEGV);
        // SAFETY: such a signal has an address.
        assert_eq!(unsafe { theirs.si_addr() } as usize, 0x1234);
    }
}
