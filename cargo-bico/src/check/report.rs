//! What came of a check.

use bico_build::measure::Excluded;
use bico_core::Value;
use bico_search::search::Failure;
use serde::Serialize;

/// One tunable at one problem on one device.
#[derive(Clone, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) tunable: String,
    pub(crate) device: String,
    pub(crate) problem: String,
    /// Seed of the inputs.
    pub(crate) seed: u64,
    /// Valid configs.
    pub(crate) valid: u64,
    /// Those that were checked.
    pub(crate) configs: u64,
    pub(crate) right: u64,
    /// Ran, and did not do what the reference does.
    pub(crate) wrong: u64,
    /// Could not be run here.
    pub(crate) failed: u64,
    /// Allow none of the sizes.
    pub(crate) unchecked: u64,
    /// Whether sizes were left out.
    pub(crate) incomplete: bool,
    /// Runs, each at another size, of those that are right.
    pub(crate) runs: u64,
    pub(crate) seconds: f64,
    /// What is wrong or failed.
    pub(crate) failures: Vec<Fault>,
    /// What to know beside.
    pub(crate) notes: Vec<String>,
    /// Why nothing could be checked: lines in rustc's manner.
    pub(crate) error: Option<String>,
}

/// A config that is not right.
#[derive(Clone, Serialize)]
pub(crate) struct Fault {
    /// Its values, for people.
    pub(crate) config: String,
    /// Whether it ran.
    pub(crate) wrong: bool,
    /// In a word or two.
    pub(crate) kind: &'static str,
    pub(crate) detail: String,
}

/// What is said of a config that allows none of the awkward sizes: which condition excludes what, and what to try.
pub(super) fn excluded(why: &Excluded, names: &[&str], problem: &[Value]) -> Option<String> {
    let by = why.by.iter().map(|(condition, sizes)| {
        let sizes: Vec<String> = sizes.iter().map(|size| format!("`{size}`")).collect();
        format!("`require({condition})` excludes {}", sizes.join(", "))
    });
    let by: Vec<String> = by.collect();
    let other = why.other.as_ref().map(|other| {
        let all = names.iter().zip(other).zip(problem);
        let changed = all.filter(|((_, value), own)| value != own);
        let sizes = changed.map(|((name, value), _)| format!("{name}={value}"));
        format!("--problem {}", sizes.collect::<Vec<_>>().join(","))
    });
    let ask = other.unwrap_or("--problems".to_string());
    (!by.is_empty()).then(|| format!("no awkward size is left: {}; try `{ask}`", by.join(", ")))
}

impl Report {
    /// Adds what came of a config: at how many sizes it was right.
    pub(super) fn add(&mut self, config: String, result: Result<usize, Failure>) {
        self.configs += 1;
        let failure = match result {
            Ok(0) => {
                self.unchecked += 1;
                return;
            }
            Ok(runs) => {
                self.right += 1;
                self.runs += runs as u64;
                return;
            }
            Err(failure) => failure,
        };
        let (kind, detail) = failure.parts();
        let wrong = matches!(
            failure,
            Failure::Wrong(_)
                | Failure::OutOfBounds(_)
                | Failure::Unwritten(_)
                | Failure::Crash(_)
                | Failure::Timeout(_)
        );
        self.wrong += u64::from(wrong);
        self.failed += u64::from(!wrong);
        self.failures.push(Fault {
            config,
            wrong,
            kind,
            detail: detail.to_string(),
        });
    }
}
