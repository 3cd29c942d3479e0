//! The live line of a running search.
//!
//! Cargo hides what a build script prints, so the line is drawn on the terminal itself where there
//! is one, and nowhere else. Each drawing leaves the cursor in the first column and the line to
//! cargo, which may write over it at any time.

use super::format;
use bico_search::search::{Observer, Outcome, Row, RowKind, Search};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::time::{Duration, Instant};

/// Between two drawings.
const INTERVAL: Duration = Duration::from_millis(100);

/// Columns at most. A narrower terminal cuts the line, because wrapping is off while it is drawn.
const WIDTH: usize = 79;

/// Columns of the bar itself.
const BAR: usize = 20;

/// What a running search is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stage {
    /// Measuring one config after the other.
    #[default]
    Search,
    /// Measuring the finalists again.
    Finals,
}

/// Where a running search stands: all that a display needs, drawn or not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Status {
    /// What the line begins with: the tunable and its problem.
    pub title: String,
    /// What it is doing.
    pub stage: Stage,
    /// Evaluations done.
    pub done: u64,
    /// Evaluations at most.
    pub total: u64,
    /// Evaluations that failed.
    pub failed: u64,
    /// Seconds spent.
    pub spent: f64,
    /// Seconds at most.
    pub seconds: f64,
    /// The row that is the best so far.
    pub best: Option<Row>,
}

impl Status {
    /// Where a search of this title stands before it begins.
    pub fn new(title: impl Into<String>) -> Status {
        Status {
            title: title.into(),
            ..Status::default()
        }
    }

    /// Seconds until one of the limits is met, at the pace so far.
    pub fn seconds_left(&self) -> f64 {
        let by_clock = (self.seconds - self.spent).max(0.0);
        if self.done == 0 {
            return by_clock;
        }
        let pace = self.spent / self.done as f64;
        by_clock.min(pace * self.total.saturating_sub(self.done) as f64)
    }

    /// The line, no longer than `width` columns.
    pub fn line(&self, width: usize) -> String {
        let filled = (BAR as u64 * self.done)
            .checked_div(self.total)
            .unwrap_or(BAR as u64);
        let filled = filled.min(BAR as u64) as usize;
        let mut rest = format!(
            "  [{}{}] {}/{}",
            "#".repeat(filled),
            ".".repeat(BAR - filled),
            self.done,
            self.total
        );
        if let Some(speed) = self.best.as_ref().and_then(speed) {
            rest.push_str(&format!("  best {speed}"));
        }
        rest.push_str(&match self.stage {
            Stage::Finals => "  finals".into(),
            Stage::Search => format!("  {:.0} s left", self.seconds_left()),
        });
        let room = width.saturating_sub(rest.chars().count());
        let head: String = self.title.chars().take(room).collect();
        (head + &rest).chars().take(width).collect()
    }
}

/// The speed of a row in the unit that says most.
fn speed(row: &Row) -> Option<String> {
    let sample = row.outcome.sample()?;
    Some(match (row.flops_per_second, row.bytes_per_second) {
        (Some(flops), _) => format::rate(flops, "FLOP"),
        (None, Some(bytes)) => format::rate(bytes, "B"),
        (None, None) => format::time(sample.seconds),
    })
}

impl Observer for Status {
    fn started(&mut self, search: &Search<'_>) {
        self.total = search.budget.evaluations.min(search.configs.len());
        self.seconds = search.budget.seconds;
    }

    fn measuring(&mut self, _: u64, spent: f64) {
        self.spent = spent;
    }

    fn row(&mut self, row: &Row) {
        self.spent = row.spent;
        if row.kind == RowKind::Final {
            return;
        }
        self.done = row.evaluation;
        self.failed += u64::from(matches!(row.outcome, Outcome::Failed(_)));
        if row.best.is_some_and(|best| best.config == row.config) {
            self.best = Some(row.clone());
        }
    }

    fn finals(&mut self, _: &[u64]) {
        self.stage = Stage::Finals;
    }
}

/// Draws a [`Status`] while it changes.
#[derive(Debug)]
pub struct Progress<W: Write = File> {
    status: Status,
    out: Option<W>,
    drawn: Option<Instant>,
}

impl Progress {
    /// Draws on the controlling terminal; silent where there is none.
    pub fn on_terminal(title: impl Into<String>) -> Progress {
        Progress {
            status: Status::new(title),
            out: terminal(),
            drawn: None,
        }
    }
}

/// The controlling terminal, if there is one: cargo captures what a build script prints.
pub(super) fn terminal() -> Option<File> {
    OpenOptions::new().write(true).open("/dev/tty").ok()
}

impl<W: Write> Progress<W> {
    /// Draws on `out`.
    pub fn new(title: impl Into<String>, out: W) -> Progress<W> {
        Progress {
            status: Status::new(title),
            out: Some(out),
            drawn: None,
        }
    }

    /// Where the search stands.
    pub fn status(&self) -> &Status {
        &self.status
    }

    fn draw(&mut self, now: Instant) {
        if self
            .drawn
            .is_some_and(|last| now.saturating_duration_since(last) < INTERVAL)
        {
            return;
        }
        self.drawn = Some(now);
        // Wrapping off, so that the line never spills into a second one that nobody would clear.
        let text = format!("\x1b[?7l{}\x1b[K\x1b[?7h\r", self.status.line(WIDTH));
        self.put(&text);
    }

    /// Takes the line away.
    fn clear(&mut self) {
        if self.drawn.take().is_some() {
            self.put("\x1b[K\r");
        }
    }

    fn put(&mut self, text: &str) {
        // A terminal that has gone away is no reason to stop.
        if let Some(out) = &mut self.out
            && out
                .write_all(text.as_bytes())
                .and_then(|()| out.flush())
                .is_err()
        {
            self.out = None;
        }
    }
}

impl<W: Write> Drop for Progress<W> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl<W: Write> Observer for Progress<W> {
    fn started(&mut self, search: &Search<'_>) {
        self.status.started(search);
    }

    fn measuring(&mut self, config: u64, spent: f64) {
        self.status.measuring(config, spent);
        self.draw(Instant::now());
    }

    fn row(&mut self, row: &Row) {
        self.status.row(row);
        self.draw(Instant::now());
    }

    fn finals(&mut self, configs: &[u64]) {
        self.status.finals(configs);
        self.draw(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_search::search::{Best, Failure, Sample};

    fn row(evaluation: u64, outcome: Outcome, spent: f64) -> Row {
        let best = outcome.sample().map(|s| Best {
            config: evaluation,
            seconds: s.seconds,
        });
        Row {
            evaluation,
            spent,
            kind: RowKind::Trial,
            config: evaluation,
            values: Vec::new(),
            strategy: "guided",
            rank: None,
            predicted: None,
            why: None,
            flops_per_second: outcome.sample().map(|s| 1e9 / s.seconds),
            bytes_per_second: None,
            outcome,
            resources: None,
            best,
            sink: 1,
        }
    }

    fn timed(seconds: f64) -> Outcome {
        Outcome::Timed(Sample {
            seconds,
            low: seconds,
            high: seconds,
            runs: 3,
            cut: false,
            throttled: false,
        })
    }

    fn status() -> Status {
        Status {
            total: 64,
            seconds: 60.0,
            ..Status::new("gemm 1024x1024x1024")
        }
    }

    #[test]
    fn the_line_says_where_it_stands() {
        let mut status = status();
        assert_eq!(
            status.line(79),
            "gemm 1024x1024x1024  [....................] 0/64  60 s left"
        );
        status.row(&row(
            31,
            Outcome::Failed(Failure::Crash(String::new())),
            4.0,
        ));
        status.row(&row(32, timed(0.005), 8.0));
        assert_eq!(
            status.line(100),
            "gemm 1024x1024x1024  [##########..........] 32/64  best 200.0 GFLOP/s  8 s left"
        );
        assert_eq!(status.failed, 1);
        status.finals(&[1, 2]);
        assert!(status.line(100).ends_with("  finals"));
    }

    #[test]
    fn long_titles_and_narrow_terminals_are_cut() {
        let long = Status {
            title: "x".repeat(200),
            ..status()
        };
        assert_eq!(long.line(79).chars().count(), 79);
        assert!(long.line(79).ends_with("60 s left"));
        assert_eq!(long.line(10).chars().count(), 10);
        assert_eq!(long.line(0), "");
    }

    #[test]
    fn drawing_is_throttled_and_leaves_the_first_column_to_cargo() {
        let mut out = Vec::new();
        let start = Instant::now();
        {
            let mut progress = Progress::new("gemm", &mut out);
            progress.draw(start);
            progress.draw(start + INTERVAL / 2);
            progress.draw(start + INTERVAL);
        }
        let text = String::from_utf8(out).unwrap();
        let pieces: Vec<&str> = text.split_inclusive('\r').collect();
        // Two drawings, then the line is cleared.
        assert_eq!(pieces.len(), 3);
        assert!(
            pieces
                .iter()
                .all(|piece| piece.ends_with('\r') && !piece.contains('\n'))
        );
        assert_eq!(pieces[2], "\x1b[K\r");
    }

    #[test]
    fn without_a_terminal_nothing_is_written() {
        let mut progress: Progress<Vec<u8>> = Progress {
            status: status(),
            out: None,
            drawn: None,
        };
        progress.row(&row(1, timed(1.0), 1.0));
        assert_eq!(progress.status().done, 1);
    }
}
