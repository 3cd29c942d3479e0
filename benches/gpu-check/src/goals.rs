//! What the kernels are to reach on a GPU, and whether they did.

mod table;

use crate::compare::record::{Check, Comparison};
use crate::compare::{GROUPED, ROW_MAJOR, TUNED, TUNED_ROW_MAJOR, Timed};
use crate::report::Winner;
use serde::Serialize;
pub(crate) use table::SQUARE_4096;

/// A ratio of times that some kernels are to reach.
struct Goal {
    what: &'static str,
    kernels: &'static [&'static str],
    at: At,
    against: Against,
    /// The other's time by ours.
    least: f64,
}

/// At which sizes.
enum At {
    /// Those whose name has this in it.
    Sizes(&'static str),
    /// All.
    Every,
    /// Where least is computed for what is read and written.
    LeastIntense,
}

/// What takes the longer time.
enum Against {
    /// A contender, against the tuned kernel.
    Contender(&'static str),
    /// Blocks row by row, against blocks in groups.
    RowMajor,
    /// The same, where those row by row may have a tile of their own, and a difference within noise is a tie.
    AnyRowMajor,
}

/// A goal, and what was measured.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Reached {
    pub(crate) kernel: String,
    pub(crate) goal: String,
    pub(crate) sizes: String,
    /// The ratio; `None` where it was not measured.
    pub(crate) measured: Option<f64>,
    pub(crate) least: f64,
    /// `met`, `fell short`, [`TIE`] or `not measured`; of times in a self-test, which no GPU took, `self-test`
    pub(crate) verdict: &'static str,
}

/// The middle halves of both times overlap: no difference is shown.
pub(crate) const TIE: &str = "tie";

/// Compares what was measured with all goals, one line for each kernel and size.
pub(crate) fn reached(
    comparisons: &[Comparison],
    winners: &[Winner],
    checks: &[Check],
    complete: bool,
) -> Vec<Reached> {
    let mut all = vec![checked(winners, checks, complete)];
    for goal in table::GOALS {
        for kernel in goal.kernels {
            let own: Vec<&Comparison> =
                comparisons.iter().filter(|c| c.kernel == *kernel).collect();
            let measured: Vec<(String, [&Timed; 2])> = own
                .iter()
                .filter(|comparison| goal.at.holds(comparison, &own))
                .filter_map(|comparison| {
                    Some((comparison.sizes.clone(), goal.against.times(comparison)?))
                })
                .collect();
            if measured.is_empty() {
                let sizes = match goal.at {
                    At::Sizes(sizes) => sizes,
                    At::Every | At::LeastIntense => "-",
                };
                all.push(goal.line(kernel, sizes.to_string(), None));
            }
            for (sizes, times) in measured {
                all.push(goal.line(kernel, sizes, Some(times)));
            }
        }
    }
    all
}

/// That every result is right. A winner counts as many times as it ran at different sizes.
fn checked(winners: &[Winner], checks: &[Check], complete: bool) -> Reached {
    let right = checks.iter().filter(|check| check.wrong.is_none()).count() as u64
        + winners.iter().map(|winner| winner.runs).sum::<u64>();
    let wrong = checks.iter().filter(|check| check.wrong.is_some()).count() as u64
        + winners.iter().map(|winner| winner.wrong).sum::<u64>();
    let all = right + wrong;
    Reached {
        kernel: "all".to_string(),
        goal: "every checked result is right".to_string(),
        sizes: format!("{all} checks"),
        measured: (all > 0).then(|| right as f64 / all as f64),
        least: 1.0,
        verdict: match (right, wrong) {
            (_, 1..) => "fell short",
            (1.., 0) if complete => "met",
            _ => "not measured",
        },
    }
}

impl Goal {
    fn line(&self, kernel: &str, sizes: String, times: Option<[&Timed; 2]>) -> Reached {
        let measured = times.map(|[other, own]| other.median / own.median);
        let tie = |[a, b]: [&Timed; 2]| a.low <= b.high && b.low <= a.high;
        Reached {
            kernel: kernel.to_string(),
            goal: self.what.to_string(),
            sizes,
            measured,
            least: self.least,
            verdict: match measured {
                None => "not measured",
                Some(_) if self.against.may_tie() && times.is_some_and(tie) => TIE,
                Some(ratio) if ratio >= self.least => "met",
                Some(_) => "fell short",
            },
        }
    }
}

impl At {
    fn holds(&self, comparison: &Comparison, all: &[&Comparison]) -> bool {
        let intensity =
            |comparison: &Comparison| comparison.flops.map(|flops| flops / comparison.bytes);
        match self {
            At::Sizes(sizes) => comparison.sizes.contains(sizes),
            At::Every => true,
            At::LeastIntense => {
                let own = intensity(comparison);
                let least = all
                    .iter()
                    .filter_map(|other| intensity(other))
                    .min_by(f64::total_cmp);
                own.is_some() && own == least
            }
        }
    }
}

impl Against {
    /// The other's time and the kernel's.
    fn times<'a>(&self, comparison: &'a Comparison) -> Option<[&'a Timed; 2]> {
        let time = |name| comparison.of(name);
        let rows = match self {
            Against::Contender(name) => return Some([time(name)?, time(TUNED)?]),
            Against::RowMajor => time(ROW_MAJOR),
            Against::AnyRowMajor => {
                let rows = [ROW_MAJOR, TUNED_ROW_MAJOR].into_iter().filter_map(time);
                let rows = rows.chain(time(GROUPED).and(time(TUNED)));
                rows.min_by(|a, b| a.median.total_cmp(&b.median))
            }
        };
        // One of the two orders is the winner's own.
        match (rows, time(GROUPED)) {
            (rows, Some(grouped)) => Some([rows.or(time(TUNED))?, grouped]),
            (rows, None) => Some([rows?, time(TUNED)?]),
        }
    }

    fn may_tie(&self) -> bool {
        matches!(self, Against::AnyRowMajor)
    }
}

#[cfg(test)]
mod tests {
    use super::table::{FOUR_PRODUCTS, SQUARE_4096, SQUARE_8192};
    use super::*;
    use crate::compare::LIBRARY;

    fn comparison(kernel: &str, sizes: &str, times: &[(&str, f64)]) -> Comparison {
        let timed = |(name, median): &(&str, f64)| Timed {
            name: name.to_string(),
            detail: String::new(),
            median: *median,
            low: 0.98 * median,
            high: 1.02 * median,
            samples: 9,
        };
        Comparison {
            kernel: kernel.to_string(),
            sizes: sizes.to_string(),
            flops: Some(1.0),
            bytes: if sizes.contains("m=16") { 2.0 } else { 1.0 },
            l2_bytes: 1.0,
            contenders: times.iter().map(timed).collect(),
            traffic: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn verdicts(
        comparisons: &[Comparison],
        kernel: &str,
        goal: &str,
    ) -> Vec<(String, &'static str)> {
        let all = reached(comparisons, &[], &[], true);
        let own = all
            .into_iter()
            .filter(|r| r.kernel == kernel && r.goal.contains(goal));
        own.map(|reached| (reached.sizes, reached.verdict))
            .collect()
    }

    #[test]
    fn ratios_are_of_times() {
        let comparisons = [
            comparison(
                "gemm_regtile",
                SQUARE_4096,
                &[(TUNED, 1.0), (LIBRARY, 0.79), (ROW_MAJOR, 1.1)],
            ),
            comparison(
                "gemm_regtile",
                SQUARE_8192,
                &[(TUNED, 1.0), (LIBRARY, 0.81), (GROUPED, 1.1)],
            ),
        ];
        let sized = |a, b| vec![(SQUARE_4096.to_string(), a), (SQUARE_8192.to_string(), b)];
        assert_eq!(
            verdicts(&comparisons, "gemm_regtile", "80 %"),
            sized("fell short", "met")
        );
        assert_eq!(
            verdicts(&comparisons, "gemm_f16", "70 %"),
            sized("not measured", "not measured")
        );
        // The winner's own order is row by row there, and groups take longer.
        let beyond = verdicts(&comparisons, "gemm_regtile", "beyond");
        assert_eq!(beyond, [(SQUARE_8192.to_string(), "fell short")]);
        assert_eq!(
            verdicts(&comparisons, "gemm_regtile", "2 x")[0].1,
            "not measured"
        );
    }

    #[test]
    fn the_size_bound_by_memory_counts() {
        let comparisons = [
            comparison("glu", "m=2048", &[(TUNED, 1.0), (LIBRARY, 1.0)]),
            comparison("glu", "m=16", &[(TUNED, 1.0), (LIBRARY, 1.3)]),
        ];
        assert_eq!(
            verdicts(&comparisons, "glu", "1.2 x"),
            [("m=16".to_string(), "met")]
        );
    }

    #[test]
    fn groups_beat_rows_tie_with_them_or_lose() {
        let verdict = |times: &[(&str, f64)]| {
            let found = verdicts(
                &[comparison("contract", FOUR_PRODUCTS, times)],
                "contract",
                "tie",
            );
            found[0].1
        };
        let rows = |own, tuned| [(TUNED, 1.0), (ROW_MAJOR, own), (TUNED_ROW_MAJOR, tuned)];
        // The faster one of those row by row counts.
        assert_eq!(verdict(&rows(1.2, 1.1)), "met");
        assert_eq!(verdict(&rows(1.2, 1.03)), "tie");
        assert_eq!(verdict(&rows(0.97, 1.1)), "tie");
        assert_eq!(verdict(&rows(1.2, 0.9)), "fell short");
        // The winner's own blocks are row by row.
        assert_eq!(verdict(&[(TUNED, 1.0), (GROUPED, 1.2)]), "fell short");
        assert_eq!(
            verdict(&[(TUNED, 1.0), (GROUPED, 0.9), (TUNED_ROW_MAJOR, 0.7)]),
            "fell short"
        );
        assert_eq!(verdict(&[(TUNED, 1.0)]), "not measured");
        let cublas = [comparison(
            "contract",
            FOUR_PRODUCTS,
            &[(TUNED, 1.0), (LIBRARY, 0.61)],
        )];
        assert_eq!(verdicts(&cublas, "contract", "60 %")[0].1, "met");
    }

    #[test]
    fn a_wrong_result_is_never_met() {
        let check = |wrong: Option<&str>| Check {
            kernel: "a".to_string(),
            sizes: "m=1".to_string(),
            config: String::new(),
            wrong: wrong.map(str::to_string),
        };
        let verdict = |checks: &[Check], complete| reached(&[], &[], checks, complete)[0].verdict;
        assert_eq!(verdict(&[], true), "not measured");
        assert_eq!(verdict(&[check(None)], true), "met");
        assert_eq!(verdict(&[check(None)], false), "not measured");
        assert_eq!(
            verdict(&[check(None), check(Some("c[0]"))], false),
            "fell short"
        );
    }
}
