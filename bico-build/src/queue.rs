//! A queue from one thread to another. The standard library's costs every build some 14,000 lines of LLVM IR for each
//! type that it carries.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    items: Vec<T>,
    ended: bool,
}

/// The end that puts in. Dropped, it ends the queue.
pub(crate) struct Sender<T>(Arc<Shared<T>>);

/// The end that takes out.
pub(crate) struct Receiver<T>(Arc<Shared<T>>);

/// Why nothing was received.
#[derive(Debug, PartialEq)]
pub(crate) enum Nothing {
    /// There may be something later.
    Yet,
    /// The sender is gone.
    More,
}

/// A new queue.
pub(crate) fn queue<T>() -> (Sender<T>, Receiver<T>) {
    let state = State {
        items: Vec::new(),
        ended: false,
    };
    let shared = Arc::new(Shared {
        state: Mutex::new(state),
        changed: Condvar::new(),
    });
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

impl<T> Shared<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Sender<T> {
    /// Puts an item in; false if nobody will take it out.
    pub(crate) fn send(&self, item: T) -> bool {
        self.0.state().items.push(item);
        self.0.changed.notify_one();
        Arc::strong_count(&self.0) > 1
    }

    /// How many items wait for somebody to take them; none if nobody will.
    #[cfg(feature = "tune")]
    pub(crate) fn waiting(&self) -> usize {
        match Arc::strong_count(&self.0) > 1 {
            true => self.0.state().items.len(),
            false => 0,
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.state().ended = true;
        self.0.changed.notify_one();
    }
}

impl<T> Receiver<T> {
    /// The next item, waited for no longer than this.
    pub(crate) fn within(&self, most: Duration) -> Result<T, Nothing> {
        let changed = &self.0.changed;
        let waited = changed.wait_timeout_while(self.0.state(), most, |state| {
            state.items.is_empty() && !state.ended
        });
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match state.items.is_empty() {
            false => Ok(state.items.remove(0)),
            true if state.ended => Err(Nothing::More),
            true => Err(Nothing::Yet),
        }
    }

    /// The next item; `None` once the sender is gone.
    #[cfg(feature = "tune")]
    pub(crate) fn next(&self) -> Option<T> {
        loop {
            match self.within(Duration::MAX) {
                Err(Nothing::Yet) => {}
                item => return item.ok(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_order_and_end_with_their_sender() {
        let (sender, receiver) = queue();
        assert_eq!(receiver.within(Duration::ZERO), Err(Nothing::Yet));
        let sending = std::thread::spawn(move || (0..1000).all(|item| sender.send(item)));
        let all = std::iter::from_fn(|| receiver.within(Duration::from_secs(60)).ok());
        assert!(all.eq(0..1000));
        assert_eq!(receiver.within(Duration::MAX), Err(Nothing::More));
        assert!(sending.join().unwrap());
    }

    #[test]
    fn a_sender_learns_that_nobody_receives() {
        let (sender, receiver) = queue();
        assert!(sender.send(1));
        drop(receiver);
        assert!(!sender.send(2));
    }
}
