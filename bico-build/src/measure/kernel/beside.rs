//! A config beside what it is compared with, in turns: how much faster it is stays, where its time moves with the machine.

use super::KernelMeasure;
use crate::measure::plan;
use crate::measure::protocol::{Entrant, Finals, Reply, Request, Timing};
use bico_core::Lists;
use bico_search::search::{Failure, Sample};

/// A reference that takes longer has too few turns.
const REFERENCE_SECONDS: f64 = 0.05;

/// It is over when all intervals are this share of their medians.
const INTERVAL: f64 = 0.01;

/// What a config is measured beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// The author's reference.
    Reference,
    /// Another config.
    Config(u64),
}

impl KernelMeasure<'_> {
    /// What a config is best measured beside: the reference where that runs on the same device and not too long, else
    /// `first`; `None` where that is the config itself.
    pub fn yardstick(&self, config: u64, first: Option<u64>) -> Option<Beside> {
        let is_short = self
            .reference_seconds
            .is_some_and(|seconds| seconds <= REFERENCE_SECONDS);
        match &self.reference {
            Some(reference) if !reference.on_cpu && is_short => Some(Beside::Reference),
            _ => first.filter(|first| *first != config).map(Beside::Config),
        }
    }

    /// What is measured next is measured by another process.
    pub fn anew(&mut self) {
        self.client.end();
    }

    /// Times a config, something else, and the config a second time, which shows how much is noise, in turns for so many
    /// seconds. Each sample has its rounds.
    ///
    /// # Errors
    ///
    /// One of them is wrong, or cannot be run.
    pub fn beside(
        &mut self,
        config: u64,
        other: Beside,
        seconds: f64,
    ) -> Result<[Sample; 3], Failure> {
        self.begin_clock();
        let other = match other {
            Beside::Reference => self.reference_entrant(config)?,
            Beside::Config(other) => self.entrant(other)?,
        };
        let entrants = vec![self.entrant(config)?, other, self.entrant(config)?];
        let memory = entrants.iter().map(|entrant| {
            let case = &entrant.check.timed;
            plan::memory_of(case) + plan::fences(&case.call)
        });
        let request = Request::Finals(Finals {
            terms: self.terms(memory.sum()),
            entrants,
            stay: true,
            timing: Timing {
                interval: INTERVAL,
                ..self.timing(seconds, None)
            },
        });
        let unexpected = |what: String| Failure::Worker(what);
        let times = match self.ask(&request)? {
            Reply::Finals(times) => times.into_iter().try_collect_vec()?,
            other => return Err(unexpected(other.unexpected())),
        };
        let mut samples = Vec::new();
        for times in times {
            self.note(&times);
            samples.push(times.sample);
        }
        let samples = <[Sample; 3]>::try_from(samples);
        samples.map_err(|_| unexpected("the worker timed others than it was asked to".into()))
    }

    pub(super) fn entrant(&mut self, config: u64) -> Result<Entrant, Failure> {
        let ready = self.make_ready(config)?;
        let mut check = self.problem_check(config, &[])?;
        check.timed.save = None;
        Ok(Entrant {
            kernel: ready.kernel,
            check,
        })
    }

    /// The reference as it is called at the problem's sizes. Nobody knows better whether it is right.
    fn reference_entrant(&mut self, config: u64) -> Result<Entrant, Failure> {
        let missing = || Failure::Worker("there is no reference".into());
        let kernel = self
            .reference
            .as_ref()
            .ok_or_else(missing)?
            .built
            .kernel
            .clone();
        let mut check = self.reference_check(config)?;
        check.timed.reference = None;
        Ok(Entrant { kernel, check })
    }
}
