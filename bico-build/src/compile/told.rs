//! What is said while a build waits for compilers: cargo shows nothing of a build script that runs.

use super::shared::{Progress, Shared, State};
use super::source::relative;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What is waited for.
pub(super) struct Awaited {
    source: PathBuf,
    /// When the waiting began, for this or for what came right before it.
    since: Instant,
    /// When it began for this.
    begun: Instant,
    ended: Option<Instant>,
}

/// Between two waits that are one.
const PAUSE: Duration = Duration::from_millis(500);

impl State {
    /// Somebody waits for this source's code.
    pub(super) fn wait_for(&mut self, source: PathBuf) {
        let before = self.awaited.take();
        let before = before.filter(|of| of.ended.is_none_or(|at| at.elapsed() < PAUSE));
        self.awaited = Some(Awaited {
            source,
            since: before.map_or_else(Instant::now, |of| of.since),
            begun: Instant::now(),
            ended: None,
        });
    }

    /// It is there.
    pub(super) fn wait_no_more(&mut self) {
        let awaited = self.awaited.as_mut();
        let Some(of) = awaited.filter(|of| of.ended.is_none()) else {
            return;
        };
        of.ended = Some(Instant::now());
        self.waited += of.begun.elapsed();
    }

    /// Where compiling stands, if somebody waits that long for it.
    fn told(&self, root: &Path, silence: Duration) -> Option<String> {
        let awaited = self.awaited.as_ref().filter(|of| of.ended.is_none())?;
        let waited = awaited.since.elapsed();
        if waited < silence {
            return None;
        }
        let is_done = |unit: &&Progress| matches!(unit, Progress::Done(_));
        let done = self.units.values().filter(is_done).count();
        Some(format!(
            "bico: compiling {} for {} s: {} at once, {done} done",
            relative(&awaited.source, root),
            waited.as_secs(),
            self.units.len() - done,
        ))
    }
}

/// How it is told: on a terminal, in a line that is drawn anew, or on stderr, in few lines.
pub(crate) struct Teller {
    terminal: Option<File>,
    /// For how long nothing is said.
    silence: Duration,
    /// Between two lines.
    every: Duration,
}

impl Teller {
    pub(crate) fn new(terminal: Option<File>) -> Teller {
        let (silence, every) = match terminal {
            Some(_) => (2, 1),
            None => (10, 30),
        };
        Teller {
            terminal,
            silence: Duration::from_secs(silence),
            every: Duration::from_secs(every),
        }
    }

    /// Tells until the service is dropped.
    pub(super) fn tell(mut self, shared: &Shared) {
        let mut last: Option<Instant> = None;
        loop {
            // Nobody waits for a terminal that was stopped.
            let line = shared.state().told(&shared.options.root, self.silence);
            let is_late = last.is_none_or(|at| at.elapsed() >= self.every);
            match (line, &mut self.terminal) {
                // A terminal that has gone away is no reason to stop.
                (Some(line), Some(to)) if is_late => {
                    let _ = write!(to, "\x1b[?7l{line}\x1b[K\x1b[?7h\r");
                    last = Some(Instant::now());
                }
                (Some(line), None) if is_late => {
                    eprintln!("{line}");
                    last = Some(Instant::now());
                }
                (None, Some(to)) if last.is_some() => {
                    let _ = write!(to, "\x1b[K\r");
                    last = None;
                }
                _ => {}
            }
            let mut state = shared.state();
            state.is_told = self.terminal.is_some() && last.is_some();
            if shared.stop.load(Ordering::Relaxed) {
                break;
            }
            shared.wait_until_over(state, self.silence.min(PAUSE));
        }
        if let (Some(to), Some(_)) = (&mut self.terminal, last) {
            let _ = write!(to, "\x1b[K\r");
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::compile::tests::{options, package, unit};
    use crate::compile::{Options, Service, Unit};
    use bico_syntax::Language;

    /// A package with a unit that no compiler ever gets done with.
    pub(in crate::compile) fn endless() -> (tempfile::TempDir, Unit) {
        let source = "constexpr int f() { int n = 0; for (long long i = 0; i < 1LL << 60; i++) n ^= 1; return n; }\n\
                  constexpr int x = f();\n";
        let wanted = Unit {
            flags: vec![
                "-fconstexpr-loop-limit=2147483647".into(),
                "-fconstexpr-ops-limit=9223372036854775807".into(),
            ],
            ..unit("k.cpp", Language::Cpp)
        };
        (package(&[("k.cpp", source)]), wanted)
    }

    #[test]
    fn who_waits_for_a_compiler_is_told() {
        let (dir, unit) = endless();
        let screen = dir.path().join("screen");
        let mut service = Service::new(Options {
            timeout: Duration::from_secs(2),
            ..options(dir.path())
        });
        service.tell(Teller {
            terminal: Some(File::create(&screen).unwrap()),
            silence: Duration::from_millis(300),
            every: Duration::ZERO,
        });
        service.announce(vec![unit.clone()]);
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(std::fs::read(&screen).unwrap(), b"", "nobody waits");
        service.object(&unit).unwrap_err();
        drop(service);
        let text = std::fs::read_to_string(&screen).unwrap();
        let (first, _) = text.split_once("\x1b[K").unwrap();
        assert_eq!(
            first,
            "\x1b[?7lbico: compiling k.cpp for 0 s: 1 at once, 0 done"
        );
        assert!(
            text.ends_with("\x1b[?7h\r\x1b[K\r") && !text.contains('\n'),
            "{text:?}"
        );
    }
}
