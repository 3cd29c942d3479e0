//! How long the compiler of a config may take beside those of others, in a search that knows nothing of any beforehand.

#[cfg(feature = "tune")]
use super::Service;
use super::Unit;
#[cfg(feature = "tune")]
use super::shared::Shared;
use bico_core::{Map, Set};
use std::path::PathBuf;
use std::time::Duration;

/// So many times what it takes for the others, in the median: where it takes longer, everything is unrolled into everything,
/// and the processor is better used for another config.
const TIMES: u32 = 10;
/// What any may take.
const LEAST: Duration = Duration::from_secs(2);
/// So many others tell what is usual: a search has four under way on one worker.
const KNOWN: usize = 3;

/// What is known of the configs' compilers.
#[derive(Default)]
pub(super) struct Pace {
    /// What configs are compiled from: shims and probes are not.
    sources: Set<PathBuf>,
    /// Configs that are worth waiting for.
    spared: Set<Unit>,
    /// What compilers took, ascending.
    taken: Vec<Duration>,
    /// Those that took too long, and how long.
    given_up: Map<Unit, Duration>,
}

impl Pace {
    /// Whether it says anything of a unit.
    pub(super) fn is_for(&self, unit: &Unit) -> bool {
        self.sources.contains(&unit.source) && !self.spared.contains(unit)
    }

    /// What one may take now: twice as long for each that was given up. What is usual may not be known yet, as where a cache of
    /// compilers' results answers for the first ones.
    pub(super) fn limit(&self) -> Duration {
        let usual = match self.taken.len() {
            0..KNOWN => return Duration::MAX,
            count => self.taken[count / 2],
        };
        let doubled = self.given_up.len().min(8);
        LEAST.max(TIMES * usual) * (1 << doubled)
    }

    /// Takes note of what the compiler of a unit took, to its end or not.
    pub(super) fn note(&mut self, unit: &Unit, taken: Duration, is_given_up: bool) {
        if is_given_up {
            self.given_up.insert(unit.clone(), taken);
        } else if self.sources.contains(&unit.source) && taken > Duration::ZERO {
            let at = self.taken.partition_point(|of| *of < taken);
            self.taken.insert(at, taken);
        }
    }

    /// After how long one was given up.
    #[cfg(feature = "tune")]
    pub(super) fn given_up(&self, unit: &Unit) -> Option<Duration> {
        self.given_up.get(unit).copied()
    }
}

/// While it lives, no compiler takes much longer than the others. Afterwards those that were given up are compiled by whoever
/// asks for them.
#[cfg(feature = "tune")]
pub(crate) struct Hurry<'a>(&'a Shared);

#[cfg(feature = "tune")]
impl Drop for Hurry<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        if let Some(pace) = state.pace.take() {
            state.units.retain(|unit, _| pace.given_up(unit).is_none());
        }
    }
}

#[cfg(feature = "tune")]
impl Service {
    /// From now on what is compiled from the sources of these is given up when it takes much longer than what else is; they
    /// themselves never are.
    pub(crate) fn hurry(&self, spared: Set<Unit>) -> Hurry<'_> {
        self.shared.state().pace = Some(Pace {
            sources: spared.iter().map(|unit| unit.source.clone()).collect(),
            spared,
            ..Pace::default()
        });
        Hurry(&self.shared)
    }
}

#[cfg(all(test, feature = "tune"))]
mod tests {
    use super::super::tests::{options, package, unit};
    use super::*;
    use bico_syntax::Language;

    #[test]
    fn a_few_others_tell_what_is_usual() {
        let wanted = unit("k.c", Language::C);
        let mut pace = Pace {
            sources: [wanted.source.clone()].into_iter().collect(),
            ..Pace::default()
        };
        pace.note(
            &unit("shim.c", Language::C),
            Duration::from_millis(1),
            false,
        );
        for milliseconds in [100, 700] {
            assert_eq!(pace.limit(), Duration::MAX);
            pace.note(&wanted, Duration::from_millis(milliseconds), false);
        }
        pace.note(&wanted, Duration::from_millis(90), false);
        assert_eq!(pace.limit(), LEAST);
        pace.note(&wanted, Duration::from_millis(600), false);
        assert_eq!(pace.limit(), Duration::from_secs(6));
        pace.note(&wanted, Duration::from_secs(6), true);
        assert_eq!(pace.limit(), Duration::from_secs(12));
    }

    #[test]
    fn who_takes_too_long_is_given_up_while_there_is_a_hurry() {
        // Of a compiler that waits for input nobody knows when it ends.
        let dir = package(&[
            ("k.c", "#include HEADER\nint f(void) { return N; }\n"),
            ("k.h", ""),
        ]);
        let pipe = dir.path().join("pipe.h");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let of = |header: &str, n: usize| Unit {
            defines: vec![
                ("HEADER".into(), format!("\"{header}\"")),
                ("N".into(), n.to_string()),
            ],
            ..unit("k.c", Language::C)
        };
        let service = Service::new(options(dir.path()));
        let spared = of("k.h", 0);
        let hurry = service.hurry([spared.clone()].into_iter().collect());
        service.object(&spared).unwrap();
        for n in 1..KNOWN {
            service.object(&of("k.h", n)).unwrap();
        }
        let slow = of("pipe.h", KNOWN);
        let error = service.object(&slow).unwrap_err();
        assert!(error.is_given_up, "{error}");
        let said = "the compiler was stopped after 2.";
        assert!(error.summary.starts_with(said), "{error}");
        assert!(service.taken(&slow).unwrap() >= LEAST);
        drop(hurry);
        assert!(service.taken(&slow).is_none());
        assert!(!service.shared.state().units.contains_key(&slow));
        assert!(service.taken(&spared).is_some());
    }
}
