//! Drawing numbers without replacement, also from ranges too large to shuffle.

use std::collections::HashMap;

/// The numbers below a limit in a random order, one at a time.
///
/// A Fisher-Yates shuffle that remembers only the places it has touched.
#[derive(Debug, Clone)]
pub struct Draw {
    rng: fastrand::Rng,
    moved: HashMap<u64, u64>,
    next: u64,
    len: u64,
}

impl Draw {
    /// The numbers below `len`.
    pub fn new(len: u64, rng: fastrand::Rng) -> Draw {
        Draw {
            rng,
            moved: HashMap::new(),
            next: 0,
            len,
        }
    }
}

impl Iterator for Draw {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.next >= self.len {
            return None;
        }
        let at = self.rng.u64(self.next..self.len);
        let front = self.moved.remove(&self.next).unwrap_or(self.next);
        let drawn = if at == self.next {
            front
        } else {
            self.moved.insert(at, front).unwrap_or(at)
        };
        self.next += 1;
        Some(drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_once() {
        for len in [0, 1, 2, 100] {
            let mut all: Vec<u64> = Draw::new(len, fastrand::Rng::with_seed(3)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..len).collect::<Vec<_>>());
        }
    }

    #[test]
    fn huge_ranges_cost_only_what_is_drawn() {
        let drawn: Vec<u64> = Draw::new(u64::MAX, fastrand::Rng::with_seed(1))
            .take(1000)
            .collect();
        let distinct: std::collections::HashSet<_> = drawn.iter().collect();
        assert_eq!(distinct.len(), 1000);
        assert!(drawn.iter().any(|n| *n > u64::MAX / 2) && drawn.iter().any(|n| *n < u64::MAX / 2));
    }

    #[test]
    fn the_seed_decides() {
        let draw = |seed| {
            Draw::new(1000, fastrand::Rng::with_seed(seed))
                .take(5)
                .collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
