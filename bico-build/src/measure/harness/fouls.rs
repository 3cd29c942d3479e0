//! What no tolerance excuses: writing where a kernel must not, and leaving outputs alone.

use super::Harness;
use super::prepared::Prepared;
use crate::measure::poison::Poison;
use crate::measure::protocol::Role;
use bico_device::measure::Code;
use bico_search::search::Failure;

impl Harness {
    /// Whether a guard zone, an input or a zeroed buffer was changed, which no tolerance excuses.
    pub(crate) fn trespass(&mut self, prepared: &Prepared) -> Result<(), Failure> {
        for filled in &prepared.buffers {
            let slot = &filled.slot;
            if let Some(violation) = self
                .device
                .violation(filled.buffer)
                .map_err(Failure::Worker)?
            {
                let index = violation.offset.div_euclid(slot.size() as i64);
                let side = match violation.offset < 0 {
                    true => "before",
                    false => "behind",
                };
                return Err(Failure::OutOfBounds(format!(
                    "it writes {side} `{}`: at element {index} of {}",
                    slot.name, slot.len
                )));
            }
        }
        for filled in prepared.with(Role::Input) {
            let Some(original) = &filled.original else {
                continue;
            };
            if !self.holds_kept(filled, original)? {
                let now = self.contents(filled)?;
                let mut pairs = now.iter().zip(original.bytes.as_slice());
                let changed = pairs.position(|(a, b)| a != b);
                drop(now);
                self.mend(prepared)?;
                self.give_kept(filled, original)?;
                // Or what the device has of it was changed.
                let Some(byte) = changed else {
                    continue;
                };
                return Err(Failure::Wrong(format!(
                    "it changes its input `{}`: at element {}",
                    filled.slot.name,
                    byte / filled.slot.size()
                )));
            }
        }
        // As the next run must find them.
        for filled in prepared.with(Role::Zeroed) {
            let slot = &filled.slot;
            if let Some(byte) = self.contents(filled)?.iter().position(|byte| *byte != 0) {
                return Err(Failure::Wrong(format!(
                    "scratch `{}` is not zero when the kernel ends: at element {} of {}",
                    slot.name,
                    byte / slot.size(),
                    slot.len
                )));
            }
        }
        Ok(())
    }

    /// Outputs' elements that no run writes: still poisoned, whichever poison it was.
    pub(super) fn unwritten(
        &mut self,
        code: Code,
        prepared: &Prepared,
        poison: &Poison,
    ) -> Result<(), Failure> {
        if prepared.call.judged {
            return Ok(());
        }
        let mut suspects = Vec::new();
        for filled in prepared.with(Role::Output) {
            if let [column] = filled.slot.columns.as_slice()
                && let Some(element) = poison.element(column.element())
                && !self.may_hold(filled, &element)?
            {
                continue;
            }
            let contents = self.contents(filled)?;
            for column in filled.slot.results() {
                let left = column.read(&contents, |numbers| poison.left(column.element(), numbers));
                if !left.is_empty() {
                    suspects.push((filled, column, left));
                }
            }
        }
        if suspects.is_empty() {
            return Ok(());
        }
        let other = poison.other();
        self.reset(code, prepared, &other)?;
        self.lap(code, prepared, 1)?;
        for (filled, column, suspects) in suspects {
            let slot = &filled.slot;
            let contents = self.contents(filled)?;
            let left = column.read(&contents, |numbers| other.left(column.element(), numbers));
            if let Some(first) = suspects.iter().find(|at| left.binary_search(at).is_ok()) {
                let all = slot.len * column.field.count() as u64;
                let first = match all == slot.numbers() && column.field.array.is_none() {
                    true => first.to_string(),
                    false => column.place(&slot.name, *first),
                };
                return Err(Failure::Unwritten(format!(
                    "it leaves {} of {all} element{} of `{}` unwritten, the first is {first}",
                    left.len(),
                    if all == 1 { "" } else { "s" },
                    column.name(&slot.name)
                )));
            }
        }
        Ok(())
    }
}
