//! Searches that were begun and are not over: a run that was cut goes on with them, and does not repeat what came before.

use super::Session;
use super::brief::Brief;
use super::case::Case;
use crate::compile::Hasher;
use crate::env::Env;
use crate::files::write_if_changed;
use crate::lock::RULES;
use crate::tuner::TuneError;
use bico_core::Map;
use bico_search::search::Shard;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A search by what decides its trail, but for the budget: a smaller one's trail is the beginning of a larger one's.
pub(super) struct Identity {
    /// The compiler's version line.
    pub(super) toolchain: String,
    about: String,
    hash: String,
}

impl Identity {
    pub(super) fn new(
        case: &Case<'_>,
        brief: &Brief,
        toolchain: String,
        flags: &[String],
    ) -> Identity {
        let (plan, device) = (case.plan, case.bound.facts.key());
        let mut hasher = Hasher::new();
        hasher
            .field(env!("CARGO_PKG_VERSION"))
            .field(format!("{:?} {RULES} {}", plan.hashes, case.space.len()))
            // What makes no result stale, and times all the same.
            .field(format!("{:?}", plan.found.spec.measure))
            .field(format!(
                "{} {}",
                brief.strategy.name(),
                plan.found.budget.seed
            ))
            .field(&toolchain)
            .fields(flags.iter());
        Identity {
            toolchain,
            about: format!("{} ({}) on {device}", plan.key(), case.problem.key),
            hash: hasher.finish().to_string(),
        }
    }
}

/// What the runs of a package left undone, and did before that. Sessions side by side share it.
#[derive(Clone)]
pub(super) struct Unfinished {
    path: PathBuf,
    searches: Arc<Mutex<Searches>>,
}

/// What a search is about -> its identity, and whether it is over.
type Searches = Map<String, (String, bool)>;

impl Unfinished {
    /// That of a package's runs. Those that search parts of spaces may go on at once: each has its own.
    pub(super) fn of(env: &Env) -> Unfinished {
        Unfinished::read(env.trail_dir().join(match env.shard {
            Some(Shard { number, of }) => format!("unfinished.shard-{number}-of-{of}"),
            None => "unfinished".to_string(),
        }))
    }

    /// Reads the file. One that cannot be read is none: all begins anew.
    pub(super) fn read(path: PathBuf) -> Unfinished {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let search = |line: &str| {
            let (state, rest) = line.split_once(' ')?;
            let (identity, about) = rest.split_once(' ')?;
            Some((about.to_string(), (identity.to_string(), state == "over")))
        };
        let searches: Searches = text.lines().filter_map(search).collect();
        Unfinished {
            path,
            searches: Arc::new(Mutex::new(searches)),
        }
    }

    fn searches(&self) -> MutexGuard<'_, Searches> {
        self.searches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this very search was begun and cut.
    pub(super) fn is_cut(&self, search: &Identity) -> bool {
        self.knows(search, false)
    }

    /// Whether a run that was cut later was done with it.
    pub(super) fn is_over(&self, search: &Identity) -> bool {
        self.knows(search, true)
    }

    fn knows(&self, search: &Identity, is_over: bool) -> bool {
        let searches = self.searches();
        let known = searches.get(&search.about);
        known.is_some_and(|(hash, over)| *hash == search.hash && *over == is_over)
    }

    /// It begins. Another look at a stale entry is short, and begins anew where it was cut.
    pub(super) fn begin(&self, search: &Identity, brief: &Brief) {
        match brief.checks {
            true => self.forget(search),
            false => self.note(search, false),
        }
    }

    /// Notes where a search stands.
    pub(super) fn note(&self, search: &Identity, is_over: bool) {
        let state = (search.hash.clone(), is_over);
        self.change(&mut |searches| {
            searches.insert(search.about.clone(), state.clone());
        });
    }

    /// It is to begin anew.
    pub(super) fn forget(&self, search: &Identity) {
        self.change(&mut |searches| searches.retain(|known, _| *known != search.about));
    }

    /// The run did all that it was to do: what is cut still is another run's.
    pub(super) fn end(&self) {
        self.change(&mut |searches| searches.retain(|_, (_, over)| !*over));
    }

    /// That it can't be written costs measuring again, no more.
    fn change(&self, change: &mut dyn FnMut(&mut Searches)) {
        let mut searches = self.searches();
        change(&mut searches);
        if searches.iter().next().is_none() {
            let _ = std::fs::remove_file(&self.path);
            return;
        }
        let line = |(about, (hash, over)): &(String, (String, bool))| {
            let state = if *over { "over" } else { "begun" };
            format!("{state} {hash} {about}\n")
        };
        let text: String = searches.iter().map(line).collect();
        let _ = write_if_changed(&self.path, text.as_bytes());
    }
}

impl Session<'_> {
    /// Which search it is.
    ///
    /// # Errors
    ///
    /// There is no compiler: every config would fail alike, and none of them would be at fault.
    pub(super) fn identity(&self, case: &Case<'_>, brief: &Brief) -> Result<Identity, TuneError> {
        let spec = case.bound.spec;
        let toolchain = match spec.nvcc {
            true => self.service.cuda(true),
            false => self.service.compiler(spec.language()),
        };
        let toolchain = toolchain.map_err(|error| {
            let key = case.plan.key();
            TuneError::plain(format!("cannot compile the kernel of `{key}`: {error}"))
        })?;
        let flags = self.service.environment_flags(spec.language());
        Ok(Identity::new(case, brief, toolchain, &flags))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(about: &str, hash: &str) -> Identity {
        Identity {
            toolchain: "cc 1".into(),
            about: about.into(),
            hash: hash.into(),
        }
    }

    #[test]
    fn a_run_that_was_cut_is_remembered_until_it_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p/unfinished");
        let read = || Unfinished::read(path.clone());
        let (one, two) = ("gemm (n=1) on a CPU", "gemm (n=2) on a CPU");
        let first = read();
        first.note(&search(one, "aa"), false);
        first.note(&search(one, "aa"), true);
        first.note(&search(two, "bb"), false);
        let second = read();
        assert!(second.is_over(&search(one, "aa")) && second.is_cut(&search(two, "bb")));
        // Another source is another search.
        assert!(!second.is_cut(&search(two, "cc")) && !second.is_cut(&search(one, "aa")));
        // A run of something else leaves it cut.
        second.end();
        let third = read();
        assert!(!third.is_over(&search(one, "aa")) && third.is_cut(&search(two, "bb")));
        third.forget(&search(two, "bb"));
        assert!(!path.exists());
    }
}
