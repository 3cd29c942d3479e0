//! One tunable at one problem, as `search` measures it.

#[cfg(feature = "workers")]
mod ahead;
#[cfg(feature = "workers")]
mod alike;
mod begun;
mod beside;
#[cfg(feature = "workers")]
mod bring;
mod checks;
mod excluded;
mod finals;
#[cfg(feature = "workers")]
mod hands;
#[cfg(not(feature = "workers"))]
#[path = "without_workers.rs"]
mod hands;
mod large;
mod outputs;
mod own_reference;
mod prepare;
mod ready;
mod recall;
#[cfg(feature = "workers")]
mod seat;
mod spare;
mod trial;

use super::call::SharedCalls;
use super::client::Client;
use super::clock::Clock;
use super::consensus::Consensus;
use super::plan::Candidates;
use super::protocol::{Check, Loadable, Soaked, Times, Timing};
use super::quiet::{Contention, Tokens};
use super::reference::{Compiled, Outputs};
use super::settings::Settings;
use crate::compile::{Hash, Hurry, Resources, Service};
use crate::lock::Verified;
use begun::Begun;
pub use beside::Beside;
use bico_core::device::Usage;
use bico_core::{Lists, Map, Set, Value};
use bico_search::search::{Arrival, Costs, Failure, Measure, Outcome, Sample};
use bico_syntax::TunableSpec;
pub use excluded::Excluded;
use hands::{Hands, Pool};
use outputs::Asked;
use proc_macro2::Span;
use ready::Ready;
use std::time::Instant;

/// Measures the configs of one tunable at one problem.
pub struct KernelMeasure<'a> {
    spec: &'a TunableSpec,
    problem: Vec<Value>,
    service: &'a Service,
    candidates: &'a dyn Candidates,
    settings: Settings,
    client: Client,
    /// Runs the author's functions in C, where kernels run on another device.
    on_cpu: Option<Client>,
    /// Where there are several workers.
    pool: Option<Pool>,
    /// What they are at.
    hands: Hands,
    /// What the one worker is to try next.
    begun: Begun,
    /// What fills buffers.
    inputs: Option<Compiled>,
    reference: Option<Compiled>,
    /// What the reference gives, as far as it was asked for: each config asks for most of it again.
    outputs: Vec<(Asked, Outputs)>,
    /// How configs were called last: most are called alike.
    calls: SharedCalls,
    /// What says whether results are right: its name, and what is loaded.
    judge: Option<(String, Loadable)>,
    /// What the first pass of the configs that were compiled for a GPU takes of it.
    resources: Map<u64, Resources>,
    /// Seconds that the reference takes at the problem's sizes.
    reference_seconds: Option<f64>,
    /// How results are checked.
    pub verified: Verified,
    consensus: Consensus,
    ready: Map<u64, Ready>,
    /// Results by identity, with the config that had them first; what others' results say of them aside.
    seen: Map<Hash, (u64, Result<Sample, Failure>)>,
    /// Those of them that were too slow to be looked at but at the problem's sizes.
    slow: Set<u64>,
    /// The configs of which a result is known, and whether they were said to be right.
    told: Vec<(u64, bool)>,
    /// Whether a result was replaced since.
    revised: bool,
    tokens: Tokens,
    /// Of those that were about to win: at how many awkward sizes they were checked, and what was seen of many calls.
    tested: Map<u64, String>,
    /// What disturbed the measurements.
    pub contention: Contention,
    /// A mistake of the reference, met at some small size; those sizes were left out.
    pub fault: Option<String>,
    /// What the tolerance is too wide for.
    pub faint: Option<String>,
    /// An argument of the kernel in C that has the name of another one of the wrapper's.
    pub misplaced: Option<String>,
    /// So many of the configs that it is prepared with are likely to be measured: no others are compiled while the reference runs.
    pub expected: usize,
    /// While compilers may take no longer for one config than for others.
    hurry: Option<Hurry<'a>>,
    /// After [`KernelMeasure::prepare`] failed: the place of the function that is at fault, where the kernel is not.
    pub blamed: Option<Span>,
    start: Option<Instant>,
    /// Bytes of memory that were free before a worker took any: it keeps buffers for the next call.
    free: u64,
    /// Seconds that are not the search's: waiting, and the reference.
    excluded: f64,
    clock: Clock,
}

impl<'a> KernelMeasure<'a> {
    /// Measures nothing yet. `problem` holds a value for each scalar argument, in order.
    pub fn new(
        spec: &'a TunableSpec,
        problem: Vec<Value>,
        service: &'a Service,
        candidates: &'a dyn Candidates,
        settings: Settings,
    ) -> KernelMeasure<'a> {
        let own_folder = format!("consensus-{}", std::process::id());
        KernelMeasure {
            spec,
            problem,
            service,
            candidates,
            client: Client::new(settings.program.clone()),
            on_cpu: None,
            pool: None,
            hands: Hands::default(),
            begun: Begun::default(),
            inputs: None,
            reference: None,
            outputs: Vec::new(),
            calls: SharedCalls::default(),
            judge: None,
            resources: Map::default(),
            reference_seconds: None,
            verified: Verified::Consensus,
            consensus: Consensus::new(settings.folder.join(own_folder)),
            ready: Map::default(),
            seen: Map::default(),
            slow: Set::default(),
            told: Vec::new(),
            revised: false,
            tokens: Tokens::new(settings.jobserver.clone(), settings.jobs),
            tested: Map::default(),
            contention: Contention::default(),
            fault: None,
            faint: None,
            misplaced: None,
            expected: usize::MAX,
            hurry: None,
            blamed: None,
            start: None,
            free: crate::os::available_memory().unwrap_or(u64::MAX),
            excluded: 0.0,
            clock: Clock::new(),
            settings,
        }
    }

    /// What a config that was about to win went through: `14 awkward sizes, 200 calls, bit-reproducible`.
    pub fn tested(&self, config: u64) -> Option<String> {
        self.tested.get(&config).cloned()
    }

    /// Seconds that may still be waited for the machine-wide lock.
    pub fn wait_seconds(&self) -> f64 {
        self.settings.wait_seconds
    }

    /// The budget's clock starts with the first config.
    fn begin_clock(&mut self) {
        self.start.get_or_insert_with(|| {
            self.excluded = 0.0;
            self.clock = Clock::new();
            Instant::now()
        });
    }

    /// Verifies a config and times it, unless its code has been. `best` are the seconds of the best one so far.
    fn try_out(&mut self, config: u64, best: Option<f64>) -> Result<(), Failure> {
        let ready = self.make_ready(config)?;
        let seen = self.seen.get(&ready.identity);
        if seen.is_some_and(|(first, _)| *first != config) {
            return Ok(());
        }
        let mut checks = ready.checks.to_vec();
        let timing = self.usual(&mut checks, best);
        let times = self.trial(config, ready.kernel, checks, Some(timing));
        self.keep(config, ready.identity, &timing, times)
    }

    /// How a trial is timed, and what it may take.
    fn usual(&self, checks: &mut [Check], best: Option<f64>) -> Timing {
        if let (Some(best), Some(problem)) = (best, checks.last_mut()) {
            problem.allow = problem.allow.min((20.0 * best + 1.0).max(1.0));
        }
        self.timing(self.settings.trial_seconds, best)
    }

    /// Keeps what came of a config's trial.
    fn keep(
        &mut self,
        config: u64,
        identity: Hash,
        timing: &Timing,
        times: Result<Option<Times>, Failure>,
    ) -> Result<(), Failure> {
        let untimed = || Failure::Worker("it was not timed".into());
        let result = times.and_then(|times| Ok(times.ok_or_else(untimed)?.sample));
        if result.as_ref().is_ok_and(|sample| timing.is_lost(sample)) {
            self.slow.insert(config);
        }
        // A worker that could not be had says nothing of the config.
        if !matches!(result, Err(Failure::Worker(_))) {
            let before = self.seen.insert(identity, (config, result.clone()));
            self.revised |= before.is_some();
        }
        result.map(drop)
    }

    /// The same, said to whoever searches.
    fn tell(&mut self, config: u64) -> Outcome {
        let outcome = self.outcome(config);
        self.told.push((config, outcome.sample().is_some()));
        outcome
    }

    /// What came of the code of a config, and which config had it first.
    fn result(&self, config: u64) -> Option<&(u64, Result<Sample, Failure>)> {
        let ready = self.ready.get(&config)?;
        self.seen.get(&ready.identity)
    }

    /// What came of a config that was tried out, as far as is known now.
    fn outcome(&self, config: u64) -> Outcome {
        let result = || {
            let untried = || Failure::Worker("it was not tried out".into());
            let (first, result) = self.result(config).ok_or_else(untried)?;
            let sample = result.clone()?;
            self.consensus.verdict(*first)?;
            Ok(match *first == config {
                true => Outcome::Timed(sample),
                false => Outcome::Same(*first, sample),
            })
        };
        result().unwrap_or_else(Outcome::Failed)
    }

    /// Whether that is a time: all configs are asked with every trial.
    fn is_right(&self, config: u64) -> bool {
        self.result(config)
            .is_some_and(|(first, result)| result.is_ok() && self.consensus.verdict(*first).is_ok())
    }
}

impl Measure for KernelMeasure<'_> {
    fn spent(&self) -> f64 {
        let passed = self
            .start
            .map_or(0.0, |start| start.elapsed().as_secs_f64());
        (passed - self.excluded - self.stood_still()).max(0.0)
    }

    fn left(&self) -> f64 {
        let finals = self.settings.finals_seconds;
        let limit = self.settings.limit;
        if self.is_deserted() {
            return 0.0;
        }
        limit.map_or(f64::INFINITY, |limit| limit.left() - limit.kept(finals))
    }

    fn announce(&mut self, upcoming: &[u64]) {
        self.begin_clock();
        // Of several workers one gets the first at once: this thread compiles it.
        let upcoming = upcoming.iter().skip(usize::from(self.pool.is_some()));
        let wanted = self.begun.configs().chain(upcoming);
        let unknown = wanted.filter_map(|config| self.upcoming(*config));
        self.service.announce_linked(unknown.collect_vec());
    }

    fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome {
        self.begin_clock();
        if let Err(failure) = self.try_out(config, best) {
            return Outcome::Failed(failure);
        }
        self.tell(config)
    }

    fn measure_alone(&mut self, config: u64, best: Option<f64>) -> Arrival {
        if self.pool.is_some() {
            self.begin(config, best);
            return self.arrival();
        }
        Arrival::of_one(config, self.measure(config, best))
    }

    fn hands(&self) -> usize {
        self.hands_at_work()
    }

    fn has_arrival(&mut self) -> bool {
        self.has_something_arrived()
    }

    fn begin(&mut self, config: u64, best: Option<f64>) {
        self.set_to_work(config, best);
    }

    fn arrival(&mut self) -> Arrival {
        self.next_arrival()
    }

    fn withdraw(&mut self) -> Vec<u64> {
        self.begun.withdraw()
    }

    fn recall(&mut self, config: u64, outcome: &Outcome, best: Option<f64>) -> Option<Outcome> {
        self.begin_clock();
        self.take_over(config, outcome, best)
    }

    fn judged_anew(&mut self) -> Vec<(u64, Outcome)> {
        if !std::mem::take(&mut self.revised) && self.consensus.is_unasked() {
            return Vec::new();
        }
        let mut told = std::mem::take(&mut self.told);
        let mut anew = Vec::new();
        for (config, right) in &mut told {
            if self.is_right(*config) != *right {
                *right = !*right;
                anew.push((*config, self.outcome(*config)));
            }
        }
        self.told = told;
        anew
    }

    fn resources(&self, config: u64) -> Option<Usage> {
        let resources = self.resources.get(&config)?;
        let plan = self.candidates.call(config, &self.problem).ok()??;
        // Of the first pass, as its resources are.
        let dims = plan.passes.first().and_then(|pass| pass.dims);
        let dynamic = dims.map_or(0, |dims| u64::from(dims.shared));
        Some(Usage {
            registers: resources.registers,
            on_chip_bytes: u64::from(resources.shared_bytes) + dynamic,
            spill_bytes: resources.spill_bytes,
        })
    }

    fn compiler(&self, config: u64) -> Option<f64> {
        self.compiling(config)
    }

    fn costs(&mut self) -> Option<Costs> {
        let own = self.clock.take();
        Some(self.hands.costs.take().unwrap_or(own))
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        self.begin_clock();
        self.play_finals(configs)
    }

    fn vouch(&mut self, config: u64) -> Result<(), Failure> {
        self.complete(config)
    }

    fn confirm(&mut self, config: u64) -> Result<bool, Failure> {
        self.complete(config)?;
        let beyond = self.look_beyond(config);
        let is_seen = matches!(beyond, Ok(true));
        let soaked = beyond.and_then(|_| self.soak(config));
        let soaked = match soaked {
            // A worker that could not be had, or a cap that is used up, says nothing of the config.
            Err(Failure::Worker(_)) => Soaked {
                calls: 0,
                alike: false,
            },
            soaked => soaked?,
        };
        let alike = soaked.alike;
        self.note_checks(config, soaked, is_seen);
        Ok(alike)
    }
}
