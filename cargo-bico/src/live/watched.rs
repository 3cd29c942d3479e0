//! What is known of the running search.

use bico_build::report::{Standing, Task, assignment, duration, time};
use bico_core::Value;
use bico_search::search::{Observer, Outcome, Row, RowKind, Search};

/// Marks of a sparkline, from the lowest.
const MARKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A running search.
#[derive(Default)]
pub(super) struct Watched {
    task: Option<Task>,
    names: Vec<String>,
    pub(super) standing: Standing,
    /// The best time after each evaluation.
    bests: Vec<f64>,
    /// The config that is measured, or was last.
    config: String,
    /// The kinds of failure in the order of their first appearance.
    failures: Vec<(&'static str, u64)>,
}

impl Watched {
    pub(super) fn new(task: Task) -> Watched {
        Watched {
            task: Some(task),
            ..Watched::default()
        }
    }

    /// `gemm (n=64) on AMD EPYC 9B45 (x86-64-v4)`.
    pub(super) fn title(&self) -> String {
        self.task.as_ref().map(title).unwrap_or_default()
    }

    /// `9.82 ms, 218.7 GFLOP/s`.
    pub(super) fn best(&self) -> Option<String> {
        let seconds = time(*self.bests.last()?);
        let speed = self
            .standing
            .best
            .as_ref()
            .filter(|speed| **speed != seconds);
        Some(match speed {
            Some(speed) => format!("{seconds}, {speed}"),
            None => seconds,
        })
    }

    /// Where it stands, in one line of so many columns: a terminal of 80 shows how long it takes, too.
    pub(super) fn line(&self, columns: usize) -> String {
        let standing = &self.standing;
        let (done, total) = (standing.done, standing.total);
        let width = if columns < 90 { 10 } else { 20 };
        let filled = (width as u64 * done).checked_div(total);
        let Some(filled) = filled.map(|filled| filled.min(width as u64) as usize) else {
            return "preparing: compiling, and running the reference".into();
        };
        let bar = "█".repeat(filled) + &"░".repeat(width - filled);
        let mut line = format!("{bar} {done}/{total}");
        let end = match standing.finals {
            true => "  finals".to_string(),
            false => format!("  {} left", duration(standing.seconds_left())),
        };
        if let Some(best) = self.best() {
            line += &format!("  best {best}");
            let taken = line.chars().count() + 2 + end.len();
            line += "  ";
            line += &sparkline(&self.bests, columns.saturating_sub(taken).min(16));
        }
        line + &end
    }

    /// What is measured now.
    pub(super) fn config(&self) -> &str {
        &self.config
    }

    /// `3 failed: 2 compile, 1 crash`.
    pub(super) fn failed(&self) -> Option<String> {
        let all: u64 = self.failures.iter().map(|(_, count)| count).sum();
        let kinds = self.failures.iter();
        let kinds: Vec<String> = kinds
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        (all > 0).then(|| format!("{all} failed: {}", kinds.join(", ")))
    }
}

/// What a task is about.
pub(super) fn title(task: &Task) -> String {
    format!("{} ({}) on {}", task.key, task.problem, task.device)
}

impl Observer for Watched {
    fn started(&mut self, search: &Search<'_>) {
        self.names = search.configs.names().to_vec();
        self.standing.started(search);
    }

    fn measuring(&mut self, values: &[Value], spent: f64) {
        self.standing.measuring(values, spent);
        self.config = assignment(&self.names, values);
    }

    fn row(&mut self, row: &Row) {
        self.standing.row(row);
        self.config = assignment(&self.names, &row.values);
        if matches!(row.kind, RowKind::Final | RowKind::Judged) {
            return;
        }
        self.bests.extend(row.best.map(|best| best.seconds));
        if let Outcome::Failed(failure) = &row.outcome {
            let (kind, _) = failure.parts();
            match self.failures.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => self.failures.push((kind, 1)),
            }
        }
    }

    fn finals(&mut self, configs: &[u64]) {
        self.standing.finals(configs);
    }
}

/// How values developed, by their logarithms, in so many marks at most: each stands for the last value of its stretch.
fn sparkline(values: &[f64], width: usize) -> String {
    let count = values.len().min(width);
    let value = |mark: usize| values[((mark + 1) * values.len()).div_ceil(count) - 1].ln();
    let (low, high) = (0..count)
        .map(value)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |of, v| {
            (of.0.min(v), of.1.max(v))
        });
    let mark = |at: usize| {
        let share = (value(at) - low) / (high - low);
        // Nothing has changed, or a time of zero: the lowest.
        let top = (MARKS.len() - 1) as f64;
        MARKS[(share.max(0.0) * top).round().min(top) as usize]
    };
    (0..count).map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_its_terminal() {
        let mut watched = Watched {
            standing: Standing {
                done: 64,
                total: 128,
                spent: 60.0,
                seconds: 600.0,
                best: Some("218.7 GFLOP/s".to_string()),
                ..Standing::default()
            },
            bests: (1..=64).map(|at| 1.0 / f64::from(at)).collect(),
            ..Watched::default()
        };
        for (columns, expected) in [
            (
                98,
                "██████████░░░░░░░░░░ 64/128  best 15.6 ms, 218.7 GFLOP/s  █▆▅▅▄▃▃▃▂▂▂▂▂▁▁▁  60 s left",
            ),
            (
                78,
                "█████░░░░░ 64/128  best 15.6 ms, 218.7 GFLOP/s  █▆▅▅▄▃▃▃▂▂▂▂▂▁▁▁  60 s left",
            ),
            (
                64,
                "█████░░░░░ 64/128  best 15.6 ms, 218.7 GFLOP/s  █▅▃▂▁  60 s left",
            ),
            (
                20,
                "█████░░░░░ 64/128  best 15.6 ms, 218.7 GFLOP/s    60 s left",
            ),
        ] {
            assert_eq!(watched.line(columns), expected);
        }
        watched.bests.clear();
        assert_eq!(watched.line(78), "█████░░░░░ 64/128  60 s left");
    }

    #[test]
    fn a_sparkline_shows_how_the_best_went_down() {
        assert_eq!(sparkline(&[8.0, 4.0, 2.0, 1.0], 16), "█▆▃▁");
        assert_eq!(sparkline(&[], 16), "");
        assert_eq!(sparkline(&[3.0, 3.0], 16), "▁▁");
        assert_eq!(sparkline(&[0.0, 0.0], 16), "▁▁");
        let long: Vec<f64> = (0..100).map(|at| 100.0 - f64::from(at)).collect();
        let marks = sparkline(&long, 16);
        assert_eq!(marks.chars().count(), 16);
        assert!(marks.starts_with('█') && marks.ends_with('▁'), "{marks}");
    }
}
