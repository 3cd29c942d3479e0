//! What one run of the build script tuned, counted for its closing line.

use crate::report::{count, duration};
use bico_core::Set;
use bico_search::search::{Failure, Found, Shard};
use std::path::Path;

/// Seconds of waiting for compilers that are worth a word.
const SLOW: f64 = 10.0;

/// Searches of one run.
#[derive(Default)]
pub(super) struct Tally {
    kernels: Set<String>,
    searches: u64,
    measured: u64,
    failed: u64,
    /// What measuring took.
    pub(super) seconds: f64,
    /// What of that went by in waiting for compilers.
    pub(super) compiling: f64,
    /// Whether results went into the lock, and whether some stayed on this machine.
    committed: bool,
    local: bool,
    /// The part of each space that was searched, where it is one.
    part: Option<Shard>,
}

impl Tally {
    /// That of a run that searches a part of each space, or all.
    pub(super) fn of(part: Option<Shard>) -> Tally {
        Tally {
            part,
            ..Tally::default()
        }
    }

    /// Counts one search.
    pub(super) fn add(&mut self, key: &str, found: &Found, committed: bool) {
        self.kernels.insert(key.to_string());
        self.looked(found);
        self.committed |= committed;
        self.local |= !committed;
    }

    /// Counts one of which nothing is kept.
    pub(super) fn looked(&mut self, found: &Found) {
        self.searches += 1;
        self.measured += found.trail.evaluated().count() as u64;
        let failures = found.trail.failures().into_iter();
        let measured = failures.filter(|of| !matches!(of, Failure::Unlaunchable(_)));
        self.failed += measured.count() as u64;
    }

    /// The closing line; none where nothing was searched.
    pub(super) fn line(&self, trails: &Path) -> Option<String> {
        if self.searches == 0 {
            return None;
        }
        let kernels = self.kernels.len() as u64;
        let (mut problems, mut failed) = (String::new(), String::new());
        if self.searches != kernels {
            problems = format!(" in {} searches", count(self.searches));
        }
        if self.failed > 0 {
            failed = format!(", {} failed", count(self.failed));
        }
        let mut compiling = String::new();
        if self.compiling >= SLOW.max(self.seconds / 2.0) {
            compiling = format!(", {} of it waiting for compilers", duration(self.compiling));
        }
        let part = self.part.map(|part| {
            format!("part {part} of each space, nothing in bico.lock before `cargo bico merge`")
        });
        let kept = match (self.committed, self.local) {
            (true, false) => "results in bico.lock",
            (true, true) => "results in bico.lock, some on this machine only",
            _ => "results kept on this machine only",
        };
        let kept = part.as_deref().unwrap_or(kept);
        Some(format!(
            "tuned {}{problems} in {}{compiling} ({} measured{failed}): {kept}, trails in {}",
            plural(kernels, "kernel"),
            duration(self.seconds),
            plural(self.measured, "config"),
            trails.display()
        ))
    }
}

/// `1 kernel`, `3 kernels`.
pub(super) fn plural(number: u64, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {what}{ending}", count(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line() {
        let mut tally = Tally::default();
        let folder = Path::new("target/bico/app");
        assert_eq!(tally.line(folder), None);
        tally.kernels.insert("dot".into());
        (tally.searches, tally.measured, tally.committed) = (1, 1, true);
        tally.seconds = 2.0;
        assert_eq!(
            tally.line(folder).unwrap(),
            format!(
                "tuned 1 kernel in {} (1 config measured): results in bico.lock, trails in target/bico/app",
                duration(2.0)
            )
        );
        (tally.seconds, tally.compiling) = (30.0, 20.0);
        let line = tally.line(folder).unwrap();
        assert!(
            line.contains(" of it waiting for compilers (1 config"),
            "{line}"
        );
        tally.kernels.insert("gemm".into());
        (
            tally.searches,
            tally.measured,
            tally.failed,
            tally.committed,
        ) = (3, 30, 4, false);
        let line = tally.line(folder).unwrap();
        assert!(line.contains("2 kernels in 3 searches"), "{line}");
        assert!(line.contains("(30 configs measured, 4 failed)"), "{line}");
        assert!(line.contains("kept on this machine only"), "{line}");
        tally.part = Some(Shard { number: 3, of: 8 });
        let line = tally.line(folder).unwrap();
        let part =
            "): part 3/8 of each space, nothing in bico.lock before `cargo bico merge`, trails in ";
        assert!(line.contains(part), "{line}");
    }
}
