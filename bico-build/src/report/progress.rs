//! The live line of a running search.
//!
//! Cargo hides what a build script prints, so the line is drawn on the terminal itself where there
//! is one, and nowhere else. Each drawing leaves the cursor in the first column and the line to
//! cargo, which may write over it at any time.

use super::{Listener, Standing, Task, say};
use bico_core::Value;
use bico_search::search::{Found, Observer, Row, Search};
use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

/// Between two drawings.
const INTERVAL: Duration = Duration::from_millis(100);

/// Columns at most. A narrower terminal cuts the line, because wrapping is off while it is drawn.
const WIDTH: usize = 79;

/// Columns of the bar itself.
const BAR: usize = 20;

/// Draws where a running search stands, while it changes.
#[derive(Default)]
pub struct Progress {
    /// What the line begins with: the tunable and its problem.
    title: String,
    standing: Standing,
    out: Option<File>,
    drawn: Option<Instant>,
    /// The device that each line begins with, where others are measured on beside it.
    device: String,
}

impl Progress {
    /// Draws on a terminal; silent where there is none.
    pub fn new(out: Option<File>) -> Progress {
        Progress {
            out,
            ..Progress::default()
        }
    }

    /// The line, no longer than `width` columns.
    pub(super) fn line(&self, width: usize) -> String {
        let rest = self.rest();
        let room = width.saturating_sub(rest.chars().count());
        let head: String = self.title.chars().take(room).collect();
        (head + &rest).chars().take(width).collect()
    }

    /// What the line says behind the title.
    fn rest(&self) -> String {
        let standing = &self.standing;
        let (done, total) = (standing.done, standing.total);
        let filled = (BAR as u64 * done).checked_div(total);
        let Some(filled) = filled.map(|filled| filled.min(BAR as u64) as usize) else {
            return "  preparing".into();
        };
        let bar = "#".repeat(filled) + &".".repeat(BAR - filled);
        let mut rest = format!("  [{bar}] {done}/{total}");
        if let Some(speed) = &standing.best {
            rest.push_str(&format!("  best {speed}"));
        }
        rest.push_str(&match standing.finals {
            true => "  finals".into(),
            false => format!("  {:.0} s left", standing.seconds_left()),
        });
        rest
    }

    fn draw(&mut self, now: Instant) {
        let since = |last| now.saturating_duration_since(last);
        if self.drawn.is_some_and(|last| since(last) < INTERVAL) {
            return;
        }
        self.drawn = Some(now);
        // Wrapping off, so that the line never spills into a second one that nobody would clear.
        let text = format!("\x1b[?7l{}\x1b[K\x1b[?7h\r", self.line(WIDTH));
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
            && out.write_all(text.as_bytes()).is_err()
        {
            self.out = None;
        }
    }
}

impl Observer for Progress {
    fn started(&mut self, search: &Search<'_>) {
        self.standing.started(search);
        // What comes next is drawn at once.
        self.drawn = None;
    }

    fn measuring(&mut self, values: &[Value], spent: f64) {
        self.standing.measuring(values, spent);
        self.draw(Instant::now());
    }

    fn row(&mut self, row: &Row) {
        self.standing.row(row);
        self.draw(Instant::now());
    }

    fn finals(&mut self, configs: &[u64]) {
        self.standing.finals(configs);
        self.draw(Instant::now());
    }
}

impl Listener for Progress {
    /// Draws nothing: there is one line.
    fn beside(&self, device: &str) -> Box<dyn Listener> {
        Box::new(Progress {
            device: format!("{device}: "),
            ..Progress::default()
        })
    }

    fn begins(&mut self, task: Task, _: usize) {
        self.title = format!("bico {} ({})", task.key, task.problem);
        self.standing = Standing::default();
        self.draw(Instant::now());
    }

    fn ends(&mut self, _: &Found) {
        self.clear();
    }

    fn says(&mut self, line: &str) {
        say(&format!("bico: {}{line}", self.device));
    }

    /// Cargo shows what a build script says with -vv only.
    fn details(&mut self, line: &str) {
        eprintln!("{}{line}", self.device);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_search::search::{Best, Failure, Outcome, RowKind, Sample};

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
            worker: None,
            under_way: None,
            flops_per_second: outcome.sample().map(|s| 1e9 / s.seconds),
            bytes_per_second: None,
            outcome,
            resources: None,
            of_peak: None,
            costs: None,
            compiler: None,
            best,
            against: None,
            sink: 1,
        }
    }

    fn timed(seconds: f64) -> Outcome {
        Outcome::Timed(Sample::new(seconds, seconds, seconds, 3))
    }

    fn status() -> Progress {
        Progress {
            title: "gemm 1024x1024x1024".into(),
            standing: Standing {
                total: 64,
                seconds: 60.0,
                ..Standing::default()
            },
            ..Progress::default()
        }
    }

    #[test]
    fn the_line_says_where_it_stands() {
        let mut status = status();
        status.standing.total = 0;
        assert_eq!(status.line(79), "gemm 1024x1024x1024  preparing");
        status.standing.total = 64;
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
        status.finals(&[1, 2]);
        assert!(status.line(100).ends_with("  finals"));
    }

    #[test]
    fn long_titles_and_narrow_terminals_are_cut() {
        let long = Progress {
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
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("screen");
        let start = Instant::now();
        let mut progress = Progress {
            out: Some(File::create(&path).unwrap()),
            ..status()
        };
        progress.draw(start);
        progress.draw(start + INTERVAL / 2);
        progress.draw(start + INTERVAL);
        progress.clear();
        let text = std::fs::read_to_string(&path).unwrap();
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
        let mut progress = status();
        progress.row(&row(1, timed(1.0), 1.0));
        assert_eq!(progress.standing.done, 1);
    }
}
