//! Sizes beyond 32 bits, for who asks for them.

use super::KernelMeasure;
use crate::measure::{awkward, plan};
use bico_core::Value;
use bico_syntax::Callee;

impl KernelMeasure<'_> {
    /// Sizes at which a buffer has more elements than 32 bits can count, or 31 where there is no memory for more. What
    /// there is no memory for at all is left out, with a word.
    #[inline]
    pub(super) fn large_sizes(&mut self, config: u64) -> Vec<Vec<Value>> {
        let mut found = Vec::new();
        for both in awkward::large(&self.problem, &self.sizes()) {
            for (count, scalars) in both {
                let plan = self.planned(config, &scalars);
                let Some(plan) = plan.ok().flatten() else {
                    continue;
                };
                // A size may not fit its type.
                let callee = Callee::Kernel(plan.kernel);
                let Ok(call) = plan::call(self.spec, &plan, &scalars, callee, 0) else {
                    continue;
                };
                if plan.buffers.iter().all(|length| *length <= count) {
                    continue;
                }
                let bytes = plan::needed(&call);
                if bytes <= self.free {
                    found.push(scalars);
                    break;
                }
                let (label, gib) = (plan::label(self.spec, &scalars), (1_u64 << 30) as f64);
                let (bytes, free) = (bytes as f64 / gib, self.free as f64 / gib);
                let why = format!("{label} needs {bytes:.1} GiB of memory, {free:.1} are free");
                self.fault.get_or_insert(why);
            }
        }
        found
    }
}
