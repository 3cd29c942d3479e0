//! Another candidate, where one needs longer buffers than a call has: no call fails because calls are trying.
//!
//! On a GPU there are more reasons, and `gpu::fallback` is for them.

use crate::dispatch::Tunable;
use crate::learn::{Pull, slot};
use crate::rules::Selector;
use crate::target::Call;
use crate::{Error, Result};
use core::sync::atomic::Ordering;

/// The candidates that could not serve a call, and what the first of them lacked.
#[derive(Default)]
pub struct Refused {
    candidates: Vec<usize>,
    first: Option<Error>,
}

impl Tunable {
    /// Another candidate for the same call.
    ///
    /// # Errors
    ///
    /// Who calls could have known which serves, or there is no other: what the first lacked.
    #[doc(hidden)]
    #[cold]
    #[inline(never)]
    pub fn another(
        &self,
        pull: Pull,
        error: Error,
        refused: &mut Refused,
        sizes: &[i64],
        given: &[Selector<'_>],
    ) -> Result<Pull> {
        let call = Call::new(self.host(), sizes, given)?;
        if refused.candidates.is_empty() && !call.is_learned() {
            return Err(error);
        }
        refused.candidates.push(pull.candidate());
        let first = refused.first.take().unwrap_or(error);
        // Its turn is given up.
        drop(pull);
        let next = call.order().find(|candidate| {
            !refused.candidates.contains(candidate)
                && self.is_verified(*candidate)
                && call.runs(*candidate)
        });
        match next {
            Some(next) => {
                refused.first = Some(first);
                Ok(Pull::plain(next))
            }
            None => Err(first),
        }
    }
}

impl Call<'_> {
    /// Whether calls teach, or have taught, what serves these sizes: who calls cannot know it then.
    pub(crate) fn is_learned(&self) -> bool {
        let tunable = self.on.tunable;
        let slot = tunable.slots[self.problem].load(Ordering::Relaxed);
        let decided = tunable.near(self.problem, self.sizes) && slot::plain(slot).is_some();
        !decided && tunable.board.find(self.variant(), self.sizes).is_some()
    }
}
