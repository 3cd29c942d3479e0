//! Small sizes at which kernels go wrong: 1, primes, one off a tile.

use bico_core::Value;

/// Sizes that a tuner's problem seldom has.
const SMALL: [i64; 9] = [1, 2, 3, 5, 7, 13, 17, 31, 33];

/// What a reference may have to do about, as the product of all sizes.
const WORK: f64 = 4e6;

/// Combinations of sizes, the most telling first. Each has the problem's values for what is not an
/// integer, and never exceeds the problem's own: a flag stays a flag. `tiles` are the integer
/// parameters of the config at hand, any of which may be a tile's side.
pub(super) fn sizes(problem: &[Value], tiles: &[i64]) -> Vec<Vec<Value>> {
    let mut all: Vec<Vec<Value>> = Vec::new();
    let mut add = |values: &dyn Fn(usize) -> i64| {
        let small = |(at, value): (usize, &Value)| match value {
            Value::Int(most) if *most > 1 => Value::Int(values(at).clamp(1, *most)),
            other => *other,
        };
        let combination: Vec<Value> = problem.iter().enumerate().map(small).collect();
        if combination != problem && work(&combination) <= WORK && !all.contains(&combination) {
            all.push(combination);
        }
    };
    // Sizes that are equal in the problem may have to be (a row's length and its stride): each
    // distinct value of the problem is a group that stays together in every second combination.
    let group = |at: usize| {
        let mut values = problem.iter();
        values.position(|value| *value == problem[at]).unwrap_or(at)
    };
    let pick = |list: &[i64], at: usize, turn: usize| list[(at + turn) % list.len()];
    add(&|_| 1);
    add(&|at| pick(&[13, 7, 17, 5], group(at), 0));
    add(&|at| pick(&[31, 17, 33, 13, 3], at, 0));
    add(&|_| 33);
    for (turn, tile) in near(tiles).into_iter().enumerate() {
        add(&|_| tile);
        // Large tiles: one side at a time, the others small.
        let long = turn % problem.len().max(1);
        add(&|at| match at == long {
            true => tile,
            false => pick(&SMALL, group(at), turn + 2),
        });
    }
    for turn in 0..SMALL.len() {
        add(&|at| pick(&SMALL, at * 4, turn));
        add(&|at| pick(&SMALL, group(at) * 4, turn));
    }
    all
}

/// One more and one less than each tile, those of middling tiles first: they are cheap and not yet
/// among the small sizes.
fn near(tiles: &[i64]) -> Vec<i64> {
    let mut tiles = tiles.to_vec();
    tiles.retain(|tile| (2..=100_000).contains(tile));
    tiles.sort_unstable_by_key(|tile| (tile.abs_diff(48), *tile));
    tiles.dedup();
    let beside = tiles.into_iter().flat_map(|tile| [tile + 1, tile - 1]);
    beside.collect()
}

fn work(sizes: &[Value]) -> f64 {
    let size = |value: &Value| match value {
        Value::Int(value) => (*value as f64).abs().max(1.0),
        _ => 1.0,
    };
    sizes.iter().map(size).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Bool, Float, Int};

    #[test]
    fn they_hold_ones_primes_and_neighbours_of_tiles() {
        let all = sizes(&[Int(1024), Int(1000), Int(512)], &[64, 8, 64]);
        assert_eq!(all[0], [Int(1); 3]);
        for wanted in [7, 13, 17, 63, 65, 9] {
            assert!(
                all.iter().take(10).flatten().any(|v| *v == Int(wanted)),
                "{wanted}"
            );
        }
        assert!(all.iter().all(|sizes| work(sizes) <= WORK));
        let mut unique = all.clone();
        unique.dedup();
        assert_eq!(unique.len(), all.len());
    }

    #[test]
    fn sizes_that_are_equal_in_the_problem_stay_so_in_many() {
        let all = sizes(&[Int(300), Int(512), Int(512)], &[16]);
        let tied = all.iter().filter(|sizes| sizes[1] == sizes[2]).count();
        assert!(tied >= 4 && tied < all.len());
        assert!(
            all.iter()
                .any(|sizes| sizes[1] == sizes[2] && sizes[0] != sizes[1])
        );
    }

    #[test]
    fn what_is_no_size_stays() {
        let problem = [
            Int(4096),
            Int(1),
            Int(0),
            Int(-1),
            Float(0.5),
            Bool(true),
            Int(3),
        ];
        for sizes in sizes(&problem, &[4, 1 << 40]) {
            assert_eq!(sizes[1..6], problem[1..6]);
            assert!(matches!(sizes[6], Int(1..=3)));
        }
        assert!(sizes(&[], &[8]).is_empty());
    }

    #[test]
    fn huge_tiles_are_tried_on_one_side_only() {
        let all = sizes(&[Int(1 << 20), Int(1 << 20)], &[4096]);
        assert!(all.iter().any(|sizes| sizes.contains(&Int(4097))));
        assert!(!all.contains(&vec![Int(4097), Int(4097)]));
    }
}
