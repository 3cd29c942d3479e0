//! What is written while a tunable is searched: the trail, the ranked list, the guarantees.

use super::brief::Brief;
use super::case::Case;
use crate::env::Env;
use crate::tuner::TuneError;
use crate::tuner::plan::Plan;
use bico_core::Lists;
use bico_search::search::{Csv, Journal, Label, Origin, Recorded, write_ranked};
use std::io;

/// The files of one tunable, all its problems and devices one after the other.
pub(super) struct Files {
    /// The tunable's.
    pub(super) key: String,
    pub(super) journal: Journal,
    ranked: Csv,
    pub(super) guarantees: Csv,
    /// Whose rows are written.
    pub(super) label: Label,
}

impl Files {
    /// Opens the trail, which keeps what other searches wrote, and the tables, which begin `anew` where nobody of this run
    /// has opened them.
    ///
    /// # Errors
    ///
    /// One of them cannot be written.
    pub(super) fn create(env: &Env, plan: &Plan, anew: bool) -> Result<Files, TuneError> {
        let folder = env.trail_dir();
        let trail = plan.trail(env);
        let stem = plan.stem(env);
        let open = || -> io::Result<Files> {
            let mut journal = Journal::open(&trail)?;
            journal.origin = Some(Origin {
                kernel: plan.key().to_string(),
                hash: plan.hashes.kernel().to_string(),
                shard: env.shard.map(|shard| shard.to_string()),
            });
            Ok(Files {
                key: plan.key().to_string(),
                journal,
                ranked: Csv::create(&folder.join(format!("{stem}.ranked.csv")), anew)?,
                guarantees: Csv::create(&folder.join(format!("{stem}.guarantee.csv")), anew)?,
                label: Label::default(),
            })
        };
        let shown = trail.display();
        open().map_err(|error| TuneError::plain(format!("cannot write {shown}: {error}")))
    }

    /// What follows belongs to this search; gives what one had measured that it goes on with.
    ///
    /// # Errors
    ///
    /// The trail cannot be written.
    pub(super) fn begin(
        &mut self,
        case: &Case<'_>,
        brief: &Brief,
        resumes: bool,
    ) -> Result<Recorded, TuneError> {
        self.label = Label {
            problem: case.problem.key.clone(),
            device: case.bound.facts.key().to_string(),
        };
        let scale = brief.scale.as_ref();
        let problems = case.plan.problems.iter().map(|problem| &*problem.key);
        let problems: Vec<&str> = problems.collect_vec();
        let rows = self.journal.begin(self.label.clone(), &problems, resumes);
        let trail = case.plan.trail(case.env);
        let shown = trail.display();
        let rows =
            rows.map_err(|error| TuneError::plain(format!("cannot write {shown}: {error}")))?;
        self.journal.scale = scale.map(|scale| scale.expression().clone());
        Ok(Recorded::read(brief.joined.as_ref().unwrap_or(&rows)))
    }

    /// What is said of a trail that could not be written to its end.
    pub(super) fn gap(&self) -> Option<String> {
        let (error, trail) = (self.journal.error()?, self.journal.path().display());
        Some(format!(
            "the trail {trail} is not whole, as it could not be written: {error}; the result is what all trials say"
        ))
    }

    /// Lists the configs as they are ranked.
    pub(super) fn list(&mut self, case: &Case<'_>, brief: &Brief) {
        // A list for people: that it can't be written is no reason to stop.
        let _ = write_ranked(&mut self.ranked, &self.label, &*case.space, &brief.ranked);
    }
}
