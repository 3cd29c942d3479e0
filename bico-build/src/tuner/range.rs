//! `problem(m = 1..=8192, n = 4096)`: the sizes of a range that may become anchors, each a problem of its own.
//!
//! They are both ends, then the middles of what lies between, breadth first. Which of the middles have an entry in the
//! lock is found by the search.

use super::plan::ProblemPlan;
use crate::lock::problem_key;
use bico_core::device::Facts;
use bico_core::{Map, Value};
use bico_syntax::bind::{Scope, SpaceError};
use bico_syntax::{Expr, ExprKind, Problem, TunableSpec};

/// How often a range is halved at most: 33 sizes.
const DEPTH: u32 = 5;

/// One of the sizes of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// The size that has the range.
    pub name: String,
    pub size: i64,
    /// The plan's problem that is the lower end of the range, and this one.
    pub start: usize,
    pub at: usize,
    /// How many sizes the range has.
    pub count: usize,
    /// The two that it lies between, counted from the lower end; none of the ends.
    pub between: Option<[usize; 2]>,
}

/// The problems that those of the attribute stand for.
pub(super) fn problems(
    spec: &TunableSpec,
    facts: &Facts,
    consts: &Map<String, Value>,
) -> Result<Vec<(Problem, Option<Point>)>, SpaceError> {
    let mut all = Vec::new();
    for problem in &spec.problems {
        let Some(ranged) = ranged(problem) else {
            all.push((problem.clone(), None));
            continue;
        };
        let (name, [first, last]) = (ranged, ends(spec, problem, facts, consts)?);
        let (start, grid) = (all.len(), grid(first, last));
        for (at, (size, between)) in grid.iter().enumerate() {
            let point = Point {
                name: name.to_string(),
                size: *size,
                start,
                at: start + at,
                count: grid.len(),
                between: *between,
            };
            all.push((with(problem, name, *size), Some(point)));
        }
    }
    Ok(all)
}

/// The size of a problem that has a range.
fn ranged(problem: &Problem) -> Option<&str> {
    let is_range = |expr: &Expr| matches!(expr.kind, ExprKind::Range { .. });
    let found = problem.sizes.iter().find(|(_, expr)| is_range(expr));
    found.map(|(name, _)| &*name.text)
}

/// The problem with a size in place of its range.
fn with(problem: &Problem, name: &str, size: i64) -> Problem {
    let mut problem = problem.clone();
    for (known, value) in &mut problem.sizes {
        if known.text == name {
            *value = Expr::new(ExprKind::Int(size), value.span);
        }
    }
    problem
}

/// The first and the last size of a problem's range.
fn ends(
    spec: &TunableSpec,
    problem: &Problem,
    facts: &Facts,
    consts: &Map<String, Value>,
) -> Result<[i64; 2], SpaceError> {
    let mut before = problem.clone();
    let at = problem
        .sizes
        .iter()
        .position(|(_, expr)| matches!(expr.kind, ExprKind::Range { .. }));
    let rest = before.sizes.split_off(at.unwrap_or(0));
    let scope = Scope::new(spec, &before, facts, consts)?;
    let range = &rest[0].1;
    let [first, last] = scope.ends(range, facts, "size")?;
    let wrong = |message: String| Err(SpaceError::new(range.span, message));
    if first < 1 {
        return wrong(format!(
            "the range begins at {first}: sizes of a range are 1 or above\n  = help: write a `problem(..)` of its own for a size below"
        ));
    }
    if last < first {
        return wrong(format!(
            "the range is empty: it begins at {first} and ends at {last}"
        ));
    }
    Ok([first, last])
}

/// Both ends, then the middles, breadth first, each with the two sizes that it lies between.
fn grid(first: i64, last: i64) -> Vec<(i64, Option<[usize; 2]>)> {
    let mut grid = vec![(first, None)];
    if last > first {
        grid.push((last, None));
    }
    let mut gaps = vec![[0, grid.len() - 1]];
    for _ in 0..DEPTH {
        let mut halves = Vec::new();
        for [low, high] in gaps {
            if let Some(size) = middle(grid[low].0, grid[high].0) {
                halves.extend([[low, grid.len()], [grid.len(), high]]);
                grid.push((size, Some([low, high])));
            }
        }
        gaps = halves;
    }
    grid
}

/// The geometric mean of two sizes, rounded to three binary digits where that leaves it between them: conditions and
/// tiles like round sizes. `None` where there is nothing between them.
fn middle(low: i64, high: i64) -> Option<i64> {
    let mean = ((low as f64) * (high as f64)).sqrt();
    let between = |size: &i64| low < *size && *size < high;
    let mut step = (mean as i64)
        .checked_ilog2()
        .map_or(1, |log| 1_i64 << log.saturating_sub(2));
    loop {
        let size = (mean / step as f64).round() as i64 * step;
        if between(&size) {
            return Some(size);
        }
        if step == 1 {
            return Some(low + 1).filter(between);
        }
        step /= 2;
    }
}

/// A problem that lies in the range of another one: what is wrong with it, where it stands.
pub(super) fn covered(
    spec: &TunableSpec,
    problems: &[ProblemPlan],
    facts: &Facts,
    consts: &Map<String, Value>,
) -> Result<Option<SpaceError>, SpaceError> {
    let mut place = 0;
    for written in &spec.problems {
        let first = &problems[place];
        let (start, count) = (place, first.point.as_ref().map_or(1, |point| point.count));
        place += count;
        let (Some(point), Some(name)) = (&first.point, ranged(written)) else {
            continue;
        };
        let last = problems[start..place]
            .iter()
            .filter_map(|of| of.point.as_ref())
            .map(|of| of.size);
        let sizes = point.size..=last.max().unwrap_or(point.size);
        for (at, other) in problems.iter().enumerate() {
            let Some(Value::Int(size)) = other.scope.get(name) else {
                continue;
            };
            if (start..place).contains(&at) || !sizes.contains(&size) {
                continue;
            }
            let same = Scope::new(spec, &with(written, name, size), facts, consts)?;
            if problem_key(&same) == other.key {
                let (label, (low, high)) = (&other.label, (sizes.start(), sizes.end()));
                let message = format!(
                    "the range `{name} = {low}..={high}` holds the sizes of another problem ({label}), and the search places its anchors alone\n  = help: remove that problem, or let the range end before {size} and another one begin at it"
                );
                return Ok(Some(SpaceError::new(written.span, message)));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_halved_at_round_sizes() {
        let sizes: Vec<i64> = grid(1, 8192).iter().map(|(size, _)| *size).collect();
        assert_eq!(sizes[..5], [1, 8192, 96, 10, 896]);
        assert_eq!((sizes.len(), grid(64, 8192).len()), (31, 33));
        assert_eq!(grid(7, 7), [(7, None)]);
        assert_eq!(grid(7, 8), [(7, None), (8, None)]);
        assert_eq!(grid(7, 9)[2], (8, Some([0, 1])));
        for (first, last) in [(1, 3), (1, 33), (1000, 1100), (1, i64::MAX)] {
            let grid = grid(first, last);
            let mut seen: Vec<i64> = grid.iter().map(|(size, _)| *size).collect();
            for (size, between) in &grid {
                let [low, high] =
                    between.map_or([first - 1, i64::MAX], |of| of.map(|at| grid[at].0));
                assert!(
                    low < *size && (*size < high || between.is_none()),
                    "{size} {between:?}"
                );
            }
            seen.sort_unstable();
            seen.dedup();
            assert!(seen.len() == grid.len() && seen.len() <= 33);
        }
    }
}
