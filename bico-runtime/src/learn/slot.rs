//! What a slot says: one number that a call reads.
//!
//! ```text
//! bits 0..16    the candidate and one; 0: not settled
//! bit  16       it was learned: holds for this bucket of sizes only, and is watched
//! bits 17..21   how rarely: one call of two to the power of this many is timed
//! bit  21       not settled, and nobody won near here: calls learn
//! ```

use core::cell::Cell;

/// Not settled.
pub(crate) const UNSETTLED: u32 = 0;
/// Not settled: neither the lock nor the model decides.
pub(crate) const OPEN: u32 = 1 << 21;
const LEARNED: u32 = 1 << 16;

/// What the lock or the model decided.
pub(crate) fn decided(candidate: usize) -> u32 {
    candidate as u32 + 1
}

/// What calls taught, watched once in `2^rarity` calls.
pub(crate) fn learned(candidate: usize, rarity: u32) -> u32 {
    decided(candidate) | LEARNED | rarity.min(15) << 17
}

/// The candidate that was decided on; not one that was learned.
#[inline(always)]
pub(crate) fn plain(slot: u32) -> Option<usize> {
    // One comparison: zero becomes the greatest number.
    let candidate = slot.wrapping_sub(1);
    (candidate < 0xFFFF).then_some(candidate as usize)
}

/// The candidate of a settled slot, unless this call is one to be watched.
#[inline(always)]
pub(crate) fn unwatched(slot: u32) -> Option<usize> {
    if slot & LEARNED == 0 {
        return plain(slot);
    }
    (!watches(slot >> 17 & 15)).then_some((slot & 0xFFFF) as usize - 1)
}

/// The candidate of a settled slot.
pub(crate) fn settled(slot: u32) -> Option<usize> {
    (slot & 0xFFFF != 0).then(|| (slot & 0xFFFF) as usize - 1)
}

/// How many calls stand behind one that comes by although this was read.
pub(crate) fn weight(slot: u32) -> u64 {
    match slot & LEARNED {
        0 => 1,
        _ => 1 << (slot >> 17 & 15),
    }
}

/// As rarely as any kernel is timed.
pub(crate) const RARELY: u32 = 10;

/// How rarely a kernel of this many seconds is timed: the two looks at a clock should not be seen in
/// its mean time.
pub(crate) fn rarity(seconds: f64) -> u32 {
    match seconds {
        s if s >= 20e-6 => 4,
        s if s >= 1e-6 => 7,
        _ => RARELY,
    }
}

thread_local! {
    static STEPS: Cell<u32> = const { Cell::new(0) };
}

/// Whether this is one of the calls to be timed, one in `2^rarity` of this thread's. The golden ratio's
/// multiples are spread evenly, also every second or third of them: no regular order of calls hides one
/// from being watched.
#[inline(always)]
fn watches(rarity: u32) -> bool {
    let step = |steps: &Cell<u32>| {
        let next = steps.get().wrapping_add(0x9E37_79B9);
        steps.set(next);
        next
    };
    // A thread that is ending watches nothing.
    let step = STEPS.try_with(step);
    step.is_ok_and(|step| rarity == 0 || step >> (32 - rarity) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_was_put_in() {
        for candidate in [0, 1, 65_533] {
            assert_eq!(plain(decided(candidate)), Some(candidate));
            assert_eq!(unwatched(decided(candidate)), Some(candidate));
            let learned = learned(candidate, 20);
            assert_eq!(plain(learned), None);
            assert_eq!(settled(learned), Some(candidate));
            assert_eq!((weight(decided(candidate)), weight(learned)), (1, 1 << 15));
        }
        assert_eq!((plain(UNSETTLED), unwatched(UNSETTLED)), (None, None));
        assert_eq!((plain(OPEN), unwatched(OPEN)), (None, None));
        assert_eq!((settled(UNSETTLED), settled(OPEN)), (None, None));
    }

    #[test]
    fn one_in_so_many_is_watched_in_any_order_of_calls() {
        for every in 1..5 {
            let watched = (0..4096 * every).filter(|i| {
                let mine = i % every == 0;
                unwatched(learned(7, 6)).is_none() && mine
            });
            let count = watched.count();
            assert!((56..=72).contains(&count), "{every}: {count} of 4096");
        }
    }
}
