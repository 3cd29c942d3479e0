//! Two locks made into one, for `cargo bico merge`.

use super::{Hashes, Lock};

/// The union of two locks. Where both know the same problem, the newer measurement is kept if it
/// is of the same kernel, which the hashes tell; else the one that `is_current` says the sources
/// agree with, and the newer one if both or neither do.
pub fn merge(older: &Lock, newer: &Lock, is_current: impl Fn(&str, &Hashes) -> bool) -> Lock {
    let (mut merged, mut above) = (older.clone(), newer.clone());
    for (key, devices) in above.kernels.iter_mut() {
        for (device, problems) in devices.iter_mut() {
            let known = older.kernels.get(key).and_then(|known| known.get(device));
            problems.retain(|problem, entry| {
                let old = known.and_then(|known| known.get(problem));
                old.is_none_or(|old| {
                    let same = old.hashes == entry.hashes;
                    same || !is_current(key, &old.hashes) || is_current(key, &entry.hashes)
                })
            });
        }
    }
    merged.overlay(above);
    merged
}
