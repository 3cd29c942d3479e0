//! Two locks made into one, for `cargo bico merge`.

use super::{Hashes, Lock};
use std::collections::btree_map::Entry as Slot;

/// The union of two locks. Where both know the same problem, the newer measurement is kept if it
/// is of the same kernel, which the hashes tell; else the one that `is_current` says the sources
/// agree with, and the newer one if both or neither do.
pub fn merge(older: &Lock, newer: &Lock, is_current: impl Fn(&str, &Hashes) -> bool) -> Lock {
    let mut merged = older.clone();
    for (device, facts) in &newer.devices {
        merged.devices.insert(device.clone(), facts.clone());
    }
    for (key, devices) in &newer.kernels {
        let kernel = merged.kernels.entry(key.clone()).or_default();
        for (device, problems) in devices {
            let known = kernel.entry(device.clone()).or_default();
            for (problem, entry) in problems {
                match known.entry(problem.clone()) {
                    Slot::Vacant(slot) => {
                        slot.insert(entry.clone());
                    }
                    Slot::Occupied(mut slot) => {
                        let old = slot.get().hashes;
                        let keep_old = old != entry.hashes
                            && is_current(key, &old)
                            && !is_current(key, &entry.hashes);
                        if !keep_old {
                            slot.insert(entry.clone());
                        }
                    }
                }
            }
        }
    }
    merged
}
