//! Bytes that buffers are given and compared with, here and, where that is worth it, on the device too: what never travels is
//! given and compared hundreds of times as fast.

use super::Harness;
use super::prepared::{Filled, Prepared};
use crate::measure::protocol::Inputs;
use bico_device::measure::{Buffer, Bytes, Looks};
use bico_search::search::Failure;

/// As few bytes travel as fast as the device is asked.
const FEW: usize = 64 << 10;

/// Bytes, and where the device has them.
pub(crate) struct Kept {
    pub(crate) bytes: Bytes,
    there: Option<Buffer>,
}

impl Harness {
    /// Keeps bytes until [`forget`](Harness::forget). A device without room has none of them.
    pub(crate) fn keep(&mut self, bytes: Bytes) -> Kept {
        let data = bytes.as_slice();
        let mut there = None;
        if data.len() >= FEW && self.device.looks().is_some() {
            there = self.device.allocate(data.len(), 256).ok();
        }
        if let Some(buffer) = there
            && self.device.write(buffer, data).is_err()
        {
            self.device.free(buffer);
            there = None;
        }
        Kept { bytes, there }
    }

    /// Gives back what the device has of it.
    pub(crate) fn forget(&mut self, kept: &Kept) {
        if let Some(buffer) = kept.there {
            self.device.free(buffer);
        }
    }

    /// Where the device has what is kept, and who looks at it there.
    fn there(&self, kept: &Kept) -> Option<(&dyn Looks, Buffer)> {
        self.device.looks().zip(kept.there)
    }

    /// Gives a buffer what is kept.
    pub(super) fn give_kept(&mut self, filled: &Filled, kept: &Kept) -> Result<(), Failure> {
        match self.there(kept) {
            Some((looks, there)) => {
                let copied = looks.copy(there, filled.buffer);
                copied.map_err(Failure::Worker)
            }
            None => self.write(filled, &kept.bytes),
        }
    }

    /// Puts right what the device has of a call's inputs, where kernels wrote to it that go astray; whether any did.
    pub(super) fn mend(&mut self, prepared: &Prepared) -> Result<bool, Failure> {
        let mut any = false;
        for kept in prepared.originals() {
            let Some(there) = kept.there else {
                continue;
            };
            let now = self.device.contents(there).map_err(Failure::Worker)?;
            let is_sound = *now == *kept.bytes.as_slice();
            drop(now);
            if !is_sound {
                let written = self.device.write(there, kept.bytes.as_slice());
                written.map_err(Failure::Worker)?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Whether a buffer holds what is kept, bit by bit.
    pub(super) fn holds_kept(&self, filled: &Filled, kept: &Kept) -> Result<bool, Failure> {
        match self.there(kept) {
            Some((looks, there)) => {
                let differ = looks.differ(filled.buffer, there);
                Ok(!differ.map_err(Failure::Worker)?)
            }
            None => Ok(*self.contents(filled)? == *kept.bytes.as_slice()),
        }
    }

    /// Whether the device finds a result as exact as it must be. It says nothing of what is wrong, nor of everything that is right.
    pub(super) fn is_found_right(
        &self,
        filled: &Filled,
        kept: &Kept,
        magnitudes: &[f64],
        inputs: Inputs,
    ) -> Result<bool, Failure> {
        let Some((looks, there)) = self.there(kept) else {
            return Ok(false);
        };
        let wrong = match filled.slot.exactness(magnitudes, inputs) {
            Some(exactness) => looks.far(filled.buffer, there, &exactness),
            None => looks.differ(filled.buffer, there),
        };
        Ok(!wrong.map_err(Failure::Worker)?)
    }

    /// Whether the device finds such an element in a buffer; `true` too where it does not say.
    pub(super) fn may_hold(&self, filled: &Filled, element: &[u8]) -> Result<bool, Failure> {
        let few = filled.slot.bytes().is_none_or(|bytes| bytes < FEW);
        match self.device.looks().filter(|_| !few) {
            Some(looks) => looks.holds(filled.buffer, element).map_err(Failure::Worker),
            None => Ok(true),
        }
    }
}
