//! What threads share, so that `loom` can try every order of it.

#[cfg(all(loom, test))]
pub(super) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU32, Ordering},
};

#[cfg(not(all(loom, test)))]
pub(super) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU32, Ordering},
};
