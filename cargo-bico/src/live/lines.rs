//! A display where there is no terminal: a line for each thing worth saying.

use super::watched::Watched;
use super::{kept, put};
use bico_build::report::{Deed, Listener, Task, duration};
use bico_core::Value;
use bico_search::search::{Found, Observer, Row, RowKind, Search};

/// Says when a search begins, each new best, and what was found.
#[derive(Default)]
pub(super) struct Lines {
    watched: Watched,
    known: usize,
    /// The device that lines without one begin with, where others are measured on beside it.
    device: String,
}

impl Observer for Lines {
    fn started(&mut self, search: &Search<'_>) {
        self.watched.started(search);
        let budget = &search.budget;
        let mut line = format!(
            "{}: {} of {} configs in {} at most",
            self.watched.title(),
            self.watched.standing.total,
            search.configs.len(),
            duration(budget.seconds)
        );
        if self.known > 0 {
            line += &format!(", {} of them known from a search that was cut", self.known);
        }
        put(&line);
    }

    fn measuring(&mut self, values: &[Value], spent: f64) {
        self.watched.measuring(values, spent);
    }

    fn row(&mut self, row: &Row) {
        self.watched.row(row);
        let is_best = row.best.is_some_and(|best| best.config == row.config);
        if is_best
            && row.kind != RowKind::Final
            && let Some(best) = self.watched.best()
        {
            let standing = &self.watched.standing;
            let (done, total) = (standing.done, standing.total);
            put(&format!(
                "  {}{done}/{total}  {best}  {}",
                self.device,
                self.watched.config()
            ));
        }
    }

    fn finals(&mut self, configs: &[u64]) {
        self.watched.finals(configs);
        put(&format!("  {}finals of {}", self.device, configs.len()));
    }
}

impl Listener for Lines {
    fn beside(&self, device: &str) -> Box<dyn Listener> {
        Box::new(Lines {
            device: format!("{device}: "),
            ..Lines::default()
        })
    }

    fn tasks(&mut self, tasks: Vec<Task>) {
        let fresh = tasks.iter().filter(|task| task.deed == Deed::Keep);
        if let Some(line) = kept(fresh.count()) {
            put(&line);
        }
    }

    fn begins(&mut self, task: Task, known: usize) {
        (self.watched, self.known) = (Watched::new(task), known);
    }

    fn ends(&mut self, _: &Found) {
        if let Some(failed) = self.watched.failed() {
            put(&format!("  {}{failed}", self.device));
        }
    }

    fn says(&mut self, line: &str) {
        put(&format!("{}{line}", self.device));
    }
}
