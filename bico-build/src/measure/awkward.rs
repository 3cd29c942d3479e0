//! Sizes at which kernels go wrong: 0, 1, primes, one off a tile, far more than the problem's.

use bico_core::sorted::sort_by;
use bico_core::{Lists, Value};
use bico_syntax::bind::SizesOf;

/// Sizes that a tuner's problem seldom has.
const SMALL: [i64; 9] = [1, 2, 3, 5, 7, 13, 17, 31, 33];

/// A prime just beyond what 16 bits can count.
const LONG: i64 = 65_537;

/// What a reference may have to do about, as the product of all sizes.
const WORK: f64 = 4e6;

/// The same where a config allows no smaller sizes. References that take too long there are not asked again.
const MOST_WORK: f64 = 2e8;

/// Small combinations without an allowed one near them, after which no more are looked for.
const MOST_MISSED: usize = 3;

/// What a combination of sizes is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Each size is at least 1, and none is larger than the problem's.
    Small,
    /// One is 0.
    Zero,
    /// One is larger than the problem's.
    Long,
    /// About twice the problem's.
    Beyond,
}

/// Combinations of sizes, the most telling first. `is_size` says which of the problem's values are sizes; the others stay as
/// they are. `tiles` are the integer parameters of the config at hand, any of which may be a tile's side.
pub(super) fn sizes(problem: &[Value], is_size: &[bool], tiles: &[i64]) -> Vec<(Kind, Vec<Value>)> {
    let mut all: Vec<(Kind, Vec<Value>)> = Vec::new();
    let mut add = |kind: Kind, values: &dyn Fn(usize) -> i64| {
        let size = |(at, value): (usize, &Value)| match value {
            Value::Int(most) if is_size[at] => Value::Int(match kind {
                Kind::Small => values(at).clamp(1, (*most).max(1)),
                _ => values(at),
            }),
            other => *other,
        };
        let combination: Vec<Value> = problem.iter().enumerate().map(size).collect_vec();
        let is_known = all.iter().any(|(_, known)| *known == combination);
        if combination != problem && work(&combination, is_size) <= WORK && !is_known {
            all.push((kind, combination));
        }
    };
    // Sizes that are equal in the problem may have to be (a row's length and its stride): each
    // distinct value of the problem is a group that stays together in every second combination.
    let group = |at: usize| {
        let mut values = problem.iter();
        values.position(|value| *value == problem[at]).unwrap_or(at)
    };
    let pick = |list: &[i64], at: usize, turn: usize| list[(at + turn) % list.len()];
    let near = near(tiles);
    let of_tile = |turn: usize, tile: i64| {
        // Large tiles: one side at a time, the others small.
        let long = turn % problem.len().max(1);
        move |at: usize| match at == long {
            true => tile,
            false => pick(&SMALL, group(at), turn + 2),
        }
    };
    add(Kind::Small, &|_| 1);
    add(Kind::Small, &|at| pick(&[13, 7, 17, 5], group(at), 0));
    add(Kind::Small, &|at| pick(&[31, 17, 33, 13, 3], at, 0));
    for (turn, tile) in near.iter().enumerate().take(2) {
        add(Kind::Small, &|_| *tile);
        add(Kind::Small, &of_tile(turn, *tile));
    }
    for one in (0..problem.len()).filter(|at| is_size[*at]) {
        let Value::Int(most) = problem[one] else {
            continue;
        };
        // Tiles of which no parameter tells divide the problem more often than not.
        add(Kind::Small, &|at| match at == one {
            true => most - 1,
            false => pick(&[5, 3, 2], at, one),
        });
        let besides = |size: i64| {
            move |at: usize| match at == one {
                true => size,
                false => pick(&[3, 2, 1], at, one),
            }
        };
        add(Kind::Zero, &besides(0));
        if most < LONG {
            add(Kind::Long, &besides(LONG));
        }
    }
    add(Kind::Small, &|_| 33);
    for (turn, tile) in near.into_iter().enumerate() {
        add(Kind::Small, &|_| tile);
        add(Kind::Small, &of_tile(turn, tile));
    }
    for turn in 0..SMALL.len() {
        add(Kind::Small, &|at| pick(&SMALL, at * 4, turn));
        add(Kind::Small, &|at| pick(&SMALL, group(at) * 4, turn));
    }
    all
}

/// Combinations that a config allows, in place of those that it does not: the nearest, each once.
pub(super) struct AllowedSizes<'a> {
    rules: Option<SizesOf<'a>>,
    problem: &'a [Value],
    is_size: &'a [bool],
    /// Those that were given before, and the problem's own.
    known: Vec<Vec<Value>>,
    /// How often there was none.
    missed: usize,
}

impl<'a> AllowedSizes<'a> {
    pub(super) fn new(
        rules: Option<SizesOf<'a>>,
        problem: &'a [Value],
        is_size: &'a [bool],
    ) -> AllowedSizes<'a> {
        AllowedSizes {
            rules,
            problem,
            is_size,
            known: vec![problem.to_vec()],
            missed: 0,
        }
    }

    /// This combination, or the nearest that is allowed. A size of 0 stays, one that is larger than the problem's
    /// becomes no smaller, and all others stay from 1 to the problem's.
    pub(super) fn near(&mut self, kind: Kind, scalars: Vec<Value>) -> Option<Vec<Value>> {
        let is_allowed = |of: &SizesOf<'_>| of.broken(&scalars).is_empty();
        let found = match &self.rules {
            Some(rules) if !is_allowed(rules) => {
                if self.missed == MOST_MISSED {
                    return None;
                }
                let range = |at: usize| match (kind, &scalars[at], &self.problem[at]) {
                    _ if !self.is_size[at] => None,
                    (Kind::Zero, Value::Int(0), _) => None,
                    (Kind::Long, Value::Int(LONG), _) => Some((LONG, i64::MAX)),
                    (_, _, Value::Int(most)) => Some((1, (*most).max(1))),
                    _ => None,
                };
                let is_known = |sizes: &[Value]| self.known.iter().any(|known| known == sizes);
                let found = rules.nearest(&scalars, &range, &is_known);
                self.missed += usize::from(found.is_none() && kind == Kind::Small);
                found.filter(|found| self.is_little(found))?
            }
            _ => scalars,
        };
        if self.known.contains(&found) {
            return None;
        }
        self.known.push(found.clone());
        Some(found)
    }

    /// A combination in which these sizes, of which conditions allow nothing else so far, are about twice the problem's.
    pub(super) fn beyond(&self, fixed: &[bool]) -> Option<Vec<Value>> {
        let rules = self.rules.as_ref()?;
        let own = |at: usize| match self.problem[at] {
            Value::Int(own) if self.is_size[at] => Some(own),
            _ => None,
        };
        let doubled = |at: usize| {
            own(at)
                .filter(|_| fixed[at])
                .map(|own| own.saturating_mul(2))
        };
        let problem = self.problem.iter().enumerate();
        let start = problem.map(|(at, value)| doubled(at).map_or(*value, Value::Int));
        let range = |at: usize| match doubled(at) {
            Some(twice) => Some((own(at)? + 1, twice.saturating_mul(2))),
            None => Some((1, own(at)?)),
        };
        rules.nearest(&start.collect_vec(), &range, &|_| false)
    }

    /// Whether a reference of which nothing is known may be asked there.
    pub(super) fn is_little(&self, sizes: &[Value]) -> bool {
        work(sizes, self.is_size) <= MOST_WORK
    }
}

/// What 32 bits can count, and what they can where one is the sign's; each with primes just beyond: one, and two whose
/// product is.
const LARGE: [(u64, i64, [i64; 2]); 2] = [
    (1 << 32, 4_294_967_311, [65_537, 65_539]),
    (1 << 31, 2_147_483_659, [46_349, 46_351]),
];

/// For each size and each two of them: the combinations in which they, or their product, are more than 32 and 31 bits can
/// count, with that number; all other sizes are 1.
#[inline]
pub(super) fn large(problem: &[Value], is_size: &[bool]) -> Vec<[(u64, Vec<Value>); 2]> {
    let sizes: Vec<usize> = (0..problem.len()).filter(|at| is_size[*at]).collect_vec();
    let with = |large: &dyn Fn(usize) -> Option<i64>| {
        let size = |(at, value): (usize, &Value)| match value {
            Value::Int(_) if is_size[at] => Value::Int(large(at).unwrap_or(1)),
            other => *other,
        };
        problem.iter().enumerate().map(size).collect_vec()
    };
    let mut all = Vec::new();
    for (turn, one) in sizes.iter().enumerate() {
        all.push(LARGE.map(|(count, prime, _)| (count, with(&|at| (at == *one).then_some(prime)))));
        for other in &sizes[turn + 1..] {
            all.push(LARGE.map(|(count, _, [first, second])| {
                let size = |at| match at {
                    at if at == *one => Some(first),
                    at if at == *other => Some(second),
                    _ => None,
                };
                (count, with(&size))
            }));
        }
    }
    all
}

/// One more and one less than each tile, those of middling tiles first: they are cheap and not yet
/// among the small sizes.
fn near(tiles: &[i64]) -> Vec<i64> {
    let mut tiles = tiles.to_vec();
    tiles.retain(|tile| (2..=100_000).contains(tile));
    sort_by(&mut tiles, &|a, b| {
        let middling = |tile: i64| (tile.abs_diff(48), tile);
        middling(*a).cmp(&middling(*b))
    });
    tiles.dedup();
    let beside = tiles.into_iter().flat_map(|tile| [tile + 1, tile - 1]);
    beside.collect_vec()
}

fn work(sizes: &[Value], is_size: &[bool]) -> f64 {
    let size = |(value, is_size): (&Value, &bool)| match value {
        Value::Int(value) if *is_size => (*value as f64).abs().max(1.0),
        _ => 1.0,
    };
    sizes.iter().zip(is_size).map(size).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Bool, Float, Int};

    #[test]
    fn large_ones_are_beyond_32_and_31_bits() {
        let all = large(
            &[Int(8), Float(0.5), Int(9), Int(3)],
            &[true, false, true, false],
        );
        let values = |count: usize| all.iter().map(move |both| both[count].1.clone());
        let expected = [
            [Int(4_294_967_311), Float(0.5), Int(1), Int(3)],
            [Int(65_537), Float(0.5), Int(65_539), Int(3)],
            [Int(1), Float(0.5), Int(4_294_967_311), Int(3)],
        ];
        assert!(values(0).eq(expected.map(Vec::from)));
        for (count, prime, [first, second]) in LARGE {
            assert!(prime as u64 > count && (first * second) as u64 > count);
            assert!((first * second) as u64 - count < count >> 10);
        }
    }

    fn all(problem: &[Value], tiles: &[i64]) -> Vec<(Kind, Vec<Value>)> {
        sizes(problem, &vec![true; problem.len()], tiles)
    }

    fn small(problem: &[Value], tiles: &[i64]) -> Vec<Vec<Value>> {
        let all = all(problem, tiles).into_iter();
        let small = all.filter(|(kind, _)| *kind == Kind::Small);
        small.map(|(_, sizes)| sizes).collect()
    }

    #[test]
    fn they_hold_ones_primes_and_neighbours_of_tiles() {
        let small = small(&[Int(1024), Int(1000), Int(512)], &[64, 8, 64]);
        assert_eq!(small[0], [Int(1); 3]);
        for wanted in [7, 13, 17, 63, 65, 1023, 999, 511] {
            assert!(
                small.iter().take(12).flatten().any(|v| *v == Int(wanted)),
                "{wanted}"
            );
        }
        let all = all(&[Int(1024), Int(1000), Int(512)], &[64, 8, 64]);
        assert!(all.iter().all(|(_, sizes)| work(sizes, &[true; 3]) <= WORK));
        let mut unique = all.clone();
        unique.dedup();
        assert_eq!(unique.len(), all.len());
    }

    #[test]
    fn each_size_is_0_and_beyond_16_bits_once() {
        let all = all(&[Int(100), Int(100_000), Int(32)], &[16]);
        for (kind, size, count) in [(Kind::Zero, 0, 3), (Kind::Long, LONG, 2)] {
            let of: Vec<_> = all.iter().filter(|(known, _)| *known == kind).collect();
            assert_eq!(of.len(), count, "{of:?}");
            for (_, sizes) in of {
                let found = sizes.iter().filter(|value| **value == Int(size));
                assert_eq!(found.count(), 1, "{sizes:?}");
                assert!(sizes.iter().all(|v| matches!(v, Int(0..=3 | LONG))));
            }
        }
    }

    #[test]
    fn sizes_that_are_equal_in_the_problem_stay_so_in_many() {
        let all = small(&[Int(300), Int(512), Int(512)], &[16]);
        let tied = all.iter().filter(|sizes| sizes[1] == sizes[2]).count();
        assert!(tied >= 4 && tied < all.len());
        assert!(
            all.iter()
                .any(|sizes| sizes[1] == sizes[2] && sizes[0] != sizes[1])
        );
    }

    #[test]
    fn what_is_no_size_stays() {
        let problem = [Int(4096), Int(7), Float(0.5), Bool(true), Int(3)];
        let is_size = [true, false, false, false, true];
        let all = sizes(&problem, &is_size, &[4, 1 << 40]);
        assert!(all.len() > 8);
        for (kind, sizes) in all {
            assert_eq!(sizes[1..4], problem[1..4]);
            assert!(kind != Kind::Small || matches!(sizes[4], Int(1..=3)));
        }
        assert!(sizes(&[], &[], &[8]).is_empty());
        assert!(sizes(&[Int(8)], &[false], &[8]).is_empty());
    }

    #[test]
    fn huge_tiles_are_tried_on_one_side_only() {
        let all = small(&[Int(1 << 20), Int(1 << 20)], &[4096]);
        assert!(all.iter().any(|sizes| sizes.contains(&Int(4097))));
        assert!(!all.contains(&vec![Int(4097), Int(4097)]));
    }
}
