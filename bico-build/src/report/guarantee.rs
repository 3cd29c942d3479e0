//! What a search's budget guarantees: for people in a line or two, and as a table beside the trail.

use super::format;
use crate::guarantee::{Guarantee, Scaled};
use crate::search::{Label, field};
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What a search's budget guarantees, in one line, and one more where the tunable has a `budget_scale`:
///
/// `with 95 % reliability a call takes at most 9.91 ms; 37 of 64 evaluations guarantee that to 0.5 %`
///
/// `2,304 of 11,520 configs have 4 * TILE <= 8192, and guarantee that to 0.5 %; 9 of the 31 measured
/// are within 5 % of the best`
pub struct GuaranteeLines<'a> {
    /// What the trail guarantees.
    pub guarantee: &'a Guarantee,
    /// The same over the tunable's scale.
    pub scaled: Option<&'a Scaled>,
}

impl GuaranteeLines<'_> {
    /// The lines; none where nothing ran.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.evaluations());
        lines.extend(self.scale());
        lines
    }

    fn evaluations(&self) -> Option<String> {
        let guarantee = self.guarantee;
        let settings = &guarantee.settings;
        let last = guarantee.last()?;
        let mut line = format!(
            "with {} reliability a call takes at most {}",
            percent(settings.reliability),
            format::time(last.guaranteed?)
        );
        let plateau = guarantee.plateau().unwrap_or(last.evaluation);
        line += &if plateau == last.evaluation {
            let so_far = format::count(last.evaluation);
            format!("; still improving after {so_far} evaluations")
        } else {
            format!(
                "; {} of {} evaluations guarantee that to {}",
                format::count(plateau),
                format::count(last.evaluation),
                percent(settings.threshold)
            )
        };
        if let Some(rank) = guarantee.rank {
            line += &format!(
                "; the best drawn is one of the best {} of {} configs",
                format::count(rank.place),
                format::count(rank.of)
            );
        }
        Some(line)
    }

    fn scale(&self) -> Option<String> {
        let scaled = self.scaled?;
        let settings = &self.guarantee.settings;
        let (level, last) = (scaled.plateau()?, scaled.last()?);
        let about = if scaled.exact { "" } else { "about " };
        Some(format!(
            "{about}{} of {} configs have {} <= {}, and guarantee that to {}; {} of the {} measured are within {} of the best",
            format::count(level.valid),
            format::count(last.valid),
            scaled.text,
            level.budget,
            percent(settings.threshold),
            format::count(level.good),
            format::count(level.measured),
            percent(settings.near)
        ))
    }
}

/// `95 %`, `0.5 %`.
fn percent(share: f64) -> String {
    // Rounded, so that 0.995 does not become 99.5000001.
    let percent = (share * 1e6).round() / 1e4;
    format!("{percent} %")
}

/// Writes the tables of one tunable as CSV, one row for each budget.
///
/// Columns: `problem`, `device`; `over`: `evaluations`, or `scale` for the rows of `budget_scale`;
/// `budget`: so many evaluations, or the scale's value; `chosen` and `seconds`: the fastest config
/// within the budget and its time as measured; `carrier` and `guaranteed`: the config that the guarantee is that of and
/// the seconds that it keeps with the `reliability`; `plateau`: `true` in the row after which the guarantee
/// stopped improving. Only for evaluations: `sink`, the configs that nothing is significantly better than;
/// `covered`, the outcomes of the trail that are guaranteed; `drawn`, after a random search, what the best of so many
/// draws from the trail's configs reaches. Only for the scale: `valid` configs of the space (from a
/// sample where there are more than 100,000), how many of them were `measured`, and how many of
/// those are `good`: within 5 % of the best of all.
#[derive(Debug)]
pub struct GuaranteeTable {
    file: BufWriter<File>,
    headed: bool,
}

const HEAD: &str = "problem,device,over,budget,chosen,seconds,carrier,guaranteed,reliability,plateau,sink,covered,drawn,valid,measured,good";

impl GuaranteeTable {
    /// Starts the file anew, with its folder.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn create(path: &Path) -> io::Result<GuaranteeTable> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(GuaranteeTable {
            file: BufWriter::new(File::create(path)?),
            headed: false,
        })
    }

    /// Adds the tables of one problem.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write(&mut self, label: &Label, lines: &GuaranteeLines<'_>) -> io::Result<()> {
        if !self.headed {
            self.headed = true;
            writeln!(self.file, "{HEAD}")?;
        }
        let (problem, device) = (field(&label.problem), field(&label.device));
        let guarantee = lines.guarantee;
        let reliability = guarantee.settings.reliability;
        let plateau = guarantee.plateau();
        for step in &guarantee.steps {
            writeln!(
                self.file,
                "{problem},{device},evaluations,{},{},{},{},{},{reliability},{},{},{},{},,,",
                step.evaluation,
                or_empty(step.chosen),
                seconds(step.best),
                or_empty(step.carrier),
                seconds(step.guaranteed),
                plateau == Some(step.evaluation),
                step.sink,
                step.covered,
                seconds(step.drawn)
            )?;
        }
        if let Some(scaled) = lines.scaled {
            let plateau = scaled.plateau();
            for level in &scaled.levels {
                writeln!(
                    self.file,
                    "{problem},{device},scale,{},{},{},{},{},{reliability},{},,,,{},{},{}",
                    level.budget,
                    or_empty(level.chosen),
                    seconds(level.best),
                    or_empty(level.carrier),
                    seconds(level.guaranteed),
                    plateau == Some(level),
                    level.valid,
                    level.measured,
                    level.good
                )?;
            }
        }
        self.file.flush()
    }
}

fn or_empty(value: Option<impl fmt::Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn seconds(value: Option<f64>) -> String {
    value.map(|value| format!("{value:e}")).unwrap_or_default()
}
