//! Hearing a run: the line that a build draws, or the display of the command.

use bico_search::search::{Found, Observer};

/// One tunable at one problem on one device, and what is done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The tunable's key.
    pub key: String,
    /// A hash of all that the kernel's times depend on.
    pub hash: String,
    /// The problem, for people.
    pub problem: String,
    /// The problem's key in the lock.
    pub problem_key: String,
    /// The device's key.
    pub device: String,
    /// What is done.
    pub deed: Deed,
}

/// What is done about a [`Task`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Nothing: the lock has it.
    Keep,
    /// Its configs are verified again.
    Verify,
    /// They are timed again, too.
    Check,
    /// A search.
    Search,
    /// It cannot be measured here.
    Predict,
}

/// Hears of a run. What a search does, it hears as its [`Observer`].
pub trait Listener: Observer + Send {
    /// Another one, for what is measured on this device while the run goes on elsewhere.
    fn beside(&self, device: &str) -> Box<dyn Listener>;

    /// All that is done, in order, before anything is.
    fn tasks(&mut self, _: Vec<Task>) {}

    /// Configs of this task are measured from now on; so many of its trials are known from a search that was cut.
    fn begins(&mut self, task: Task, known: usize);

    /// It is over.
    fn ends(&mut self, found: &Found);

    /// A line for people that stays.
    fn says(&mut self, line: &str);

    /// A line of a table that belongs to what was said, for who asks for more.
    fn details(&mut self, _: &str) {}
}
