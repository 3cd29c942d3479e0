//! A display on a terminal: the running search with its bar, and what comes after it.

use super::watched::{Watched, title};
use super::{kept, put, width};
use bico_build::report::{Deed, Listener, Task};
use bico_core::Value;
use bico_search::search::{Found, Observer, Row, Search};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::VecDeque;
use std::time::Duration;

/// Draws four lines: the search, where it stands, its config, and what is still to come.
pub(super) struct Bars {
    all: MultiProgress,
    watched: Watched,
    rows: Vec<ProgressBar>,
    /// What is searched after this.
    waiting: VecDeque<Task>,
    known: usize,
    /// The device that each line begins with, where others are measured on beside it.
    device: String,
}

impl Bars {
    pub(super) fn new(all: MultiProgress) -> Bars {
        Bars {
            all,
            watched: Watched::default(),
            rows: Vec::new(),
            waiting: VecDeque::new(),
            known: 0,
            device: String::new(),
        }
    }

    fn draw(&self) {
        let mut second = format!("  {}", self.watched.config());
        if let Some(failed) = self.watched.failed() {
            second += &format!("  ({failed})");
        }
        let mut head = self.watched.title();
        if self.known > 0 {
            head += &format!(", goes on after {} trials", self.known);
        }
        let next = match (self.waiting.front().map(title), self.waiting.len()) {
            (None, _) => String::new(),
            (Some(next), 1) => format!("then {next}"),
            (Some(next), count) => format!("then {next}, and {} more", count - 1),
        };
        let lines = [
            head,
            format!("  {}", self.watched.line(width::drawn().saturating_sub(2))),
            second,
            next,
        ];
        for (row, line) in self.rows.iter().zip(lines) {
            row.set_message(line);
        }
    }

    fn says(&self, line: &str) {
        let line = width::fitting(&format!("{}{line}", self.device));
        self.all.suspend(|| put(&line));
    }
}

/// A line that is drawn; the first one moves while nothing else does.
fn row(moves: bool) -> ProgressBar {
    let template = if moves {
        "{spinner} {wide_msg}"
    } else {
        "{wide_msg}"
    };
    let style = ProgressStyle::with_template(template);
    ProgressBar::new_spinner()
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

impl Observer for Bars {
    fn started(&mut self, search: &Search<'_>) {
        self.watched.started(search);
        self.draw();
    }

    fn measuring(&mut self, values: &[Value], spent: f64) {
        self.watched.measuring(values, spent);
        self.draw();
    }

    fn row(&mut self, row: &Row) {
        self.watched.row(row);
        self.draw();
    }

    fn finals(&mut self, configs: &[u64]) {
        self.watched.finals(configs);
        self.draw();
    }
}

impl Listener for Bars {
    fn beside(&self, device: &str) -> Box<dyn Listener> {
        let waiting = self.waiting.iter().filter(|task| task.device == device);
        let mut bars = Bars::new(self.all.clone());
        bars.waiting = waiting.cloned().collect();
        bars.device = format!("{device}: ");
        Box::new(bars)
    }

    fn tasks(&mut self, tasks: Vec<Task>) {
        let fresh = tasks.iter().filter(|task| task.deed == Deed::Keep);
        if let Some(line) = kept(fresh.count()) {
            Bars::says(self, &line);
        }
        let measured = |task: &Task| matches!(task.deed, Deed::Check | Deed::Search);
        self.waiting = tasks.into_iter().filter(measured).collect();
    }

    fn begins(&mut self, task: Task, known: usize) {
        let this = title(&task);
        while self
            .waiting
            .pop_front()
            .is_some_and(|next| title(&next) != this)
        {}
        (self.watched, self.known) = (Watched::new(task), known);
        self.rows = (0..4).map(|at| self.all.add(row(at == 0))).collect();
        self.draw();
        if let Some(first) = self.rows.first() {
            first.enable_steady_tick(Duration::from_millis(120));
        }
    }

    fn ends(&mut self, _: &Found) {
        for row in self.rows.drain(..) {
            row.finish_and_clear();
            self.all.remove(&row);
        }
    }

    fn says(&mut self, line: &str) {
        Bars::says(self, line);
    }
}

/// A run that failed in the middle leaves nothing on the terminal.
impl Drop for Bars {
    fn drop(&mut self) {
        self.rows.iter().for_each(ProgressBar::finish_and_clear);
    }
}
