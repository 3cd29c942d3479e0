//! Quiet while a kernel is timed on a CPU, and what is said when there was none.

use crate::os;
use crate::os::jobserver::{Jobserver, Token};
use bico_search::search::Sample;
use std::time::{Duration, Instant};

/// Seconds to wait for the build's other job tokens at first; a compiler that holds one may need minutes.
const PATIENCE: f64 = 2.0;

/// Seconds once waiting has been in vain.
const IMPATIENCE: f64 = 0.1;

/// How often it is looked whether one has come.
const TICK: Duration = Duration::from_millis(1);

/// Share of disturbed runs, or of trials on a busy machine, that is worth a word.
const NOTABLE: f64 = 0.1;

/// The build's job tokens.
pub(super) struct Tokens {
    server: Option<Jobserver>,
    /// How many there are beside this process's own.
    others: usize,
    patience: f64,
}

impl Tokens {
    pub(super) fn new(server: Option<Jobserver>, jobs: usize) -> Tokens {
        Tokens {
            server,
            others: jobs.saturating_sub(1),
            patience: PATIENCE,
        }
    }

    /// Takes all other tokens, so that cargo starts nothing new. Those that were taken, and
    /// whether these are all.
    pub(super) fn take(&mut self) -> (Vec<Token>, bool) {
        let mut held = Vec::new();
        let Some(server) = self.server.as_ref().filter(|_| self.others > 0) else {
            return (held, true);
        };
        let deadline = Instant::now() + Duration::from_secs_f64(self.patience);
        while held.len() < self.others {
            match server.take() {
                Some(token) => held.push(token),
                None if Instant::now() < deadline => std::thread::sleep(TICK),
                None => break,
            }
        }
        let all = held.len() == self.others;
        self.patience = if all { PATIENCE } else { IMPATIENCE };
        (held, all)
    }
}

/// What disturbed the measurements of one search.
#[derive(Clone, Default)]
pub struct Contention {
    /// Trials and finals.
    pub measurements: u32,
    /// Those that began while other programs kept the processors busy.
    pub busy: u32,
    /// Those during which cargo had other jobs.
    pub jobs: u32,
    /// Those for which the machine-wide lock could not be had.
    pub unlocked: u32,
    /// Timed runs.
    pub runs: u64,
    /// Timed runs in which another program had the processor.
    pub disturbed: u64,
    /// Configs that were timed, and those of them while the device's clock was held back.
    pub timed: u32,
    /// See `timed`.
    pub throttled: u32,
    /// The lowest and the highest clock of the device after a timing, in Hz.
    pub clocks: Option<[f64; 2]>,
    /// The highest pressure seen: percent of the time in which some thread waited for a processor.
    pub pressure: f64,
}

impl Contention {
    /// Looks at the machine, right before something is timed.
    pub(super) fn look(&mut self) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let is_busy = os::busy_threads().is_some_and(|busy| busy as usize >= cores);
        self.busy += u32::from(is_busy);
        self.pressure = self.pressure.max(os::cpu_pressure().unwrap_or(0.0));
    }

    /// Notes down what the device did while a config was timed.
    pub(super) fn timed(&mut self, sample: &Sample) {
        self.timed += 1;
        self.throttled += u32::from(sample.throttled);
        let clock = sample.conditions.as_ref().and_then(|of| of.clock_hz);
        if let Some(clock) = clock {
            let [low, high] = self.clocks.unwrap_or([clock; 2]);
            self.clocks = Some([low.min(clock), high.max(clock)]);
        }
    }

    /// One sentence, if it may have mattered.
    pub fn note(&self) -> Option<String> {
        let share = |part: u32, of: u32| f64::from(part) / f64::from(of.max(1));
        let disturbed = self.disturbed as f64 / self.runs.max(1) as f64;
        let throttled = share(self.throttled, self.timed);
        let (runs, timings) = (100.0 * disturbed, 100.0 * throttled);
        let pressure = self.pressure;
        let mut parts: Vec<String> = Vec::new();
        let mut say = |share, text: String| parts.extend((share > NOTABLE).then_some(text));
        say(
            disturbed,
            format!("{runs:.0} % of the timed runs were interrupted by other programs"),
        );
        say(
            share(self.busy, self.measurements),
            format!("other programs kept the processors busy (pressure up to {pressure:.0} %)"),
        );
        say(
            share(self.jobs, self.measurements),
            "cargo ran other jobs at the same time".into(),
        );
        say(
            share(self.unlocked, self.measurements),
            "another build measured at the same time".into(),
        );
        say(
            throttled,
            format!(
                "the device's clock was held back by heat or power in {timings:.0} % of the timings"
            ),
        );
        if let Some([low, high]) = self.clocks
            && high > (1.0 + NOTABLE) * low
        {
            let (low, high) = (low / 1e9, high / 1e9);
            parts.push(format!(
                "the device's clock moved between {low:.2} and {high:.2} GHz (`measure(clock = sustained)` waits until it is steady)"
            ));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::jobserver::tests::with_tokens;
    use bico_search::search::Conditions;

    #[test]
    fn tokens_are_taken_and_given_back() {
        let (server, ..) = with_tokens(3);
        let mut tokens = Tokens::new(Some(server.clone()), 4);
        let (held, all) = tokens.take();
        assert!(all && held.len() == 3);
        let mut others = Tokens::new(Some(server), 4);
        others.patience = 0.01;
        assert!(!others.take().1);
        drop(held);
        assert!(others.take().1);
        assert!(Tokens::new(None, 8).take().1);
    }

    #[test]
    fn a_calm_machine_is_not_mentioned() {
        let calm = Contention {
            measurements: 40,
            busy: 1,
            runs: 1000,
            disturbed: 20,
            ..Contention::default()
        };
        assert_eq!(calm.note(), None);
        let hot = Contention {
            timed: 10,
            throttled: 5,
            ..calm.clone()
        };
        assert!(
            hot.note()
                .unwrap()
                .contains("held back by heat or power in 50 %")
        );
        let mut moved = calm.clone();
        for clock in [3.7e9, 2.4e9] {
            let mut sample = Sample::new(1.0, 1.0, 1.0, 9);
            sample.conditions = Some(Box::new(Conditions {
                clock_hz: Some(clock),
                celsius: None,
                power_limit_watts: None,
                held_back: None,
                stolen: None,
            }));
            moved.timed(&sample);
        }
        let note = moved.note().unwrap();
        assert!(note.contains("between 2.40 and 3.70 GHz"), "{note}");
        let busy = Contention {
            disturbed: 500,
            jobs: 40,
            ..calm
        };
        let note = busy.note().unwrap();
        assert!(note.contains("50 %") && note.contains("cargo"), "{note}");
    }
}
