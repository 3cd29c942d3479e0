//! In which order blocks and threads run, and when one pauses: another at every launch of a kernel, and always the
//! same for its first launch, its second and so on.

/// Numbers without a pattern.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// One below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits ^ (bits >> 31)) % limit
    }
}

/// The numbers below a count in another order: in steps of a fixed width, round and round. Neighbours come in either order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    count: u64,
    first: u64,
    step: u64,
}

impl Order {
    pub(crate) fn new(count: u64, random: &mut Random) -> Order {
        let mut step = 1 + random.below(count);
        while common_divisor(step, count) != 1 || (count > 6 && [1, count - 1].contains(&step)) {
            step = step % count + 1;
        }
        Order {
            count,
            first: random.below(count),
            step,
        }
    }

    /// Which number comes after `index` others.
    pub(crate) fn at(&self, index: u64) -> u64 {
        (u128::from(index) * u128::from(self.step) + u128::from(self.first))
            .rem_euclid(u128::from(self.count)) as u64
    }
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_once_and_neighbours_in_either_order() {
        for count in (1..70).chain([1024, 65_535, 1 << 16]) {
            let mut pairs = [0; 2];
            for seed in 0..8 {
                let order = Order::new(count, &mut Random::new(seed));
                let mut place = vec![None; count as usize];
                for index in 0..count {
                    let at = &mut place[order.at(index) as usize];
                    assert_eq!(at.replace(index), None, "{count} {order:?}");
                }
                pairs[usize::from(place[0] < place[count as usize - 1])] += 1;
                if count > 6 {
                    let rising = place.windows(2).filter(|two| two[0] < two[1]).count();
                    assert!((1..place.len() - 1).contains(&rising), "{count} {order:?}");
                }
            }
            assert!(count == 1 || !pairs.contains(&0), "{count}: {pairs:?}");
        }
    }
}
