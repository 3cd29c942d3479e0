//! What threads share, so that `loom` can try every order of it.

use std::sync::TryLockError;

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

/// What `try_lock` gives, unless another thread is at it. Whoever panicked there did so between whole steps.
pub(crate) fn unless_busy<G>(tried: Result<G, TryLockError<G>>) -> Option<G> {
    match tried {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
