//! What the caller holds of our objects: numbers, so that a stale or invented one is an error and
//! never a wild pointer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::library::status::{Answer, Status};

/// A handle as C sees it: an opaque pointer.
pub(crate) type Handle = usize;

/// Never given twice, of any kind; never small, for 0, 1 and 2 name streams.
static NEXT: AtomicUsize = AtomicUsize::new(0x1000);

/// The living objects of one kind.
pub(crate) struct Table<T>(Mutex<BTreeMap<Handle, Arc<T>>>);

impl<T> Table<T> {
    pub(crate) const fn new() -> Self {
        Table(Mutex::new(BTreeMap::new()))
    }

    pub(crate) fn insert(&self, item: Arc<T>) -> Handle {
        let handle = NEXT.fetch_add(16, Ordering::Relaxed);
        self.lock().insert(handle, item);
        handle
    }

    pub(crate) fn get(&self, handle: Handle) -> Answer<Arc<T>> {
        self.lock()
            .get(&handle)
            .cloned()
            .ok_or(Status::InvalidHandle)
    }

    pub(crate) fn remove(&self, handle: Handle) -> Answer<Arc<T>> {
        self.lock().remove(&handle).ok_or(Status::InvalidHandle)
    }

    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Handle, Arc<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
