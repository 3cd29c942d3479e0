//! What is written while a tunable is searched: the trail, the ranked list, the guarantees.

use super::brief::Brief;
use super::case::Case;
use crate::env::Env;
use crate::report::{GuaranteeLines, GuaranteeTable};
use crate::tuner::TuneError;
use crate::tuner::plan::Plan;
use bico_search::search::{Csv, Journal, Label, write_ranked};
use bico_syntax::file_stem;

/// The files of one tunable, all its problems and devices one after the other.
pub(super) struct Files {
    pub(super) journal: Journal,
    ranked: Csv,
    guarantees: GuaranteeTable,
    /// Whose rows are written.
    label: Label,
}

impl Files {
    /// Starts them anew.
    ///
    /// # Errors
    ///
    /// One of them cannot be written.
    pub(super) fn create(env: &Env, plan: &Plan) -> Result<Files, TuneError> {
        let folder = env.trail_dir();
        let trail = folder.join(plan.trail_file());
        let stem = file_stem(plan.key());
        let open = || {
            Ok(Files {
                journal: Journal::create(&trail)?,
                ranked: Csv::create(&folder.join(format!("{stem}.ranked.csv")))?,
                guarantees: GuaranteeTable::create(&folder.join(format!("{stem}.guarantee.csv")))?,
                label: Label::default(),
            })
        };
        open().map_err(|error: std::io::Error| {
            TuneError::plain(format!("cannot write {}: {error}", trail.display()))
        })
    }

    /// What follows belongs to this search.
    pub(super) fn begin(&mut self, case: &Case<'_>, brief: &Brief) {
        self.label = Label {
            problem: case.problem.key.clone(),
            device: case.bound.facts().key().to_string(),
        };
        let scale = brief.scale.as_ref();
        self.journal.label = self.label.clone();
        self.journal.scale = scale.map(|scale| scale.expression().clone());
        // A list for people: that it can't be written is no reason to stop.
        let described = case.described();
        let _ = write_ranked(&mut self.ranked, &self.label, &described, &brief.ranked);
    }

    pub(super) fn guarantee(&mut self, lines: &GuaranteeLines<'_>) {
        let _ = self.guarantees.write(&self.label, lines);
    }
}
