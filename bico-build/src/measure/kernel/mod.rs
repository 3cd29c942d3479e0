//! One tunable at one problem, as `search` measures it.

mod verify;

use super::build::{self, Built};
use super::candidates::Candidates;
use super::client::{Client, Ended, Launch};
use super::consensus::Consensus;
use super::plan::{self, CallPlan};
use super::protocol::{
    Check, Entrant, Finals, Kernel, Place, Reply, Request, Times, Timing, Tolerance, Trial, Tried,
};
use super::quiet::{Contention, Tokens};
use super::reference::{Compiled, Outputs};
use super::settings::{Settings, Verified};
use super::{ScalarValue, awkward};
use crate::arguments::{Role, parameters, passed, signature};
use crate::compile::{Hash, Hasher, Resources, Service, Unit};
use bico_core::device::{Dims, Facts, Usage};
use bico_core::json::ToJson;
use bico_core::model;
use bico_search::search::{Failure, Measure, Outcome, Sample};
use bico_syntax::TunableSpec;
use std::collections::HashMap;
use std::time::Instant;

/// A config that was compiled and is ready to run.
#[derive(Clone)]
struct Ready {
    kernel: Kernel,
    /// Of everything its behaviour depends on.
    identity: Hash,
    /// Small sizes, then the problem.
    checks: Vec<Check>,
}

/// Measures the configs of one tunable at one problem.
pub struct KernelMeasure<'a> {
    spec: &'a TunableSpec,
    problem: Vec<ScalarValue>,
    service: &'a Service,
    candidates: &'a dyn Candidates,
    settings: Settings,
    client: Client,
    /// Runs the reference, where that is another device's business.
    on_cpu: Option<Client>,
    reference: Option<Compiled>,
    /// Of the configs that were compiled for a GPU.
    resources: HashMap<u64, Resources>,
    /// Seconds that the reference takes at the problem's sizes.
    reference_seconds: Option<f64>,
    verified: Verified,
    consensus: Consensus,
    ready: HashMap<u64, Ready>,
    /// Results by identity, with the config that had them first.
    seen: HashMap<Hash, (u64, Result<Sample, Failure>)>,
    tokens: Tokens,
    contention: Contention,
    fault: Option<String>,
    blames_reference: bool,
    start: Option<Instant>,
    /// Seconds that are not the search's: waiting, and the reference.
    excluded: f64,
    cores: usize,
}

impl<'a> KernelMeasure<'a> {
    /// Measures nothing yet. `problem` holds a value for each scalar argument, in order.
    pub fn new(
        spec: &'a TunableSpec,
        problem: Vec<ScalarValue>,
        service: &'a Service,
        candidates: &'a dyn Candidates,
        settings: Settings,
    ) -> KernelMeasure<'a> {
        KernelMeasure {
            spec,
            problem,
            service,
            candidates,
            client: Client::new(settings.launch.clone()),
            on_cpu: None,
            reference: None,
            resources: HashMap::new(),
            reference_seconds: None,
            verified: Verified::Consensus,
            consensus: Consensus::new(
                settings
                    .folder
                    .join(format!("consensus-{}", std::process::id())),
            ),
            ready: HashMap::new(),
            seen: HashMap::new(),
            tokens: Tokens::new(settings.jobserver.clone(), settings.jobs),
            contention: Contention::default(),
            fault: None,
            blames_reference: false,
            start: None,
            excluded: 0.0,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            settings,
        }
    }

    /// Compares the wrapper's arguments with the kernel's, and computes the reference. `configs` are
    /// some valid ones; the first whose source compiles serves for both.
    ///
    /// # Errors
    ///
    /// They differ, or the reference is missing or at fault: mistakes that no config mends.
    pub fn prepare(&mut self, configs: &[u64]) -> Result<(), String> {
        let Some(config) = self.prepare_to_verify(configs)? else {
            return Ok(());
        };
        // The problem's own outputs now: if the reference is at fault, nothing else is worth doing.
        self.blames_reference = true;
        if self.reference.is_some()
            && let Ok(Some(plan)) = self.candidates.call(config, &self.problem)
        {
            let problem = self.problem.clone();
            match self.outputs(&plan, &problem)? {
                Some(Outputs::File(_, seconds)) => self.reference_seconds = Some(seconds),
                _ => self.verified = Verified::SmallSizes,
            }
        }
        self.blames_reference = false;
        Ok(())
    }

    /// The same without calling the reference, for [`verify`](KernelMeasure::verify). Gives the config
    /// whose source served.
    ///
    /// # Errors
    ///
    /// As those of [`prepare`](KernelMeasure::prepare).
    pub fn prepare_to_verify(&mut self, configs: &[u64]) -> Result<Option<u64>, String> {
        bico_device::os::supported()?;
        let mut refused = None;
        let compiles = |config: &&u64| {
            let unit = self.candidates.unit(**config);
            unit.is_ok_and(|unit| match self.service.object(&unit) {
                Ok(_) => true,
                Err(error) => {
                    refused.get_or_insert((unit, error));
                    false
                }
            })
        };
        let compiled = configs.iter().find(compiles);
        if let (None, Some((unit, error))) = (compiled, refused)
            && unit.gpu.is_some()
        {
            // The reference stands in the same file: it is not to blame for it.
            return Err(format!(
                "the kernel in `{}` does not compile, in any of {} configs that were tried: {}",
                self.spec.source.path.text,
                configs.len(),
                error.summary
            ));
        }
        let Some(&config) = compiled.or(configs.first()) else {
            return Ok(None);
        };
        let (unit, entry) = (
            self.candidates.unit(config)?,
            self.candidates.entry(config)?,
        );
        self.check_arguments(&unit, &entry, Role::Kernel)?;
        self.blames_reference = true;
        self.prepare_reference(config)?;
        self.blames_reference = false;
        Ok(Some(config))
    }

    fn check_arguments(&self, unit: &Unit, entry: &str, role: Role) -> Result<(), String> {
        let passed = passed(self.spec, role == Role::Kernel);
        if unit.gpu.is_some() {
            return parameters::check(self.service, unit, self.spec, &passed, role);
        }
        let probes = self.settings.folder.join("probes");
        signature::check(self.service, unit, entry, &passed, role, &probes)
    }

    fn prepare_reference(&mut self, config: u64) -> Result<(), String> {
        let Some((unit, entry)) = self.candidates.reference(config)? else {
            return Ok(());
        };
        let passed = passed(self.spec, false);
        self.check_arguments(&unit, &entry, Role::Reference)?;
        let folder = &self.settings.folder;
        let built = build::build(self.service, &unit, &entry, &passed, folder);
        let built = built.map_err(|failure| match failure {
            Failure::Compile(why) => format!(
                "the reference `{entry}` in `{}` does not compile: {why}",
                unit.source.display()
            ),
            other => failure_text(&other).to_string(),
        })?;
        // A reference in C runs on the CPU, whatever the kernel runs on.
        if unit.gpu.is_none() && self.settings.launch.place != Place::Cpu {
            let launch = Launch {
                place: Place::Cpu,
                ..self.settings.launch.clone()
            };
            self.on_cpu = Some(Client::new(launch));
        }
        self.reference = Some(Compiled {
            name: entry,
            kernel: built.kernel,
            hash: built.hash,
            folder: self.settings.folder.join("references"),
            seconds: self.settings.reference_seconds,
        });
        self.verified = Verified::Reference;
        Ok(())
    }

    /// After [`prepare`](KernelMeasure::prepare) failed: whether the reference is at fault, and not the kernel.
    pub fn blames_reference(&self) -> bool {
        self.blames_reference
    }

    /// How results are checked.
    pub fn verified(&self) -> Verified {
        self.verified
    }

    /// What disturbed the measurements.
    pub fn contention(&self) -> &Contention {
        &self.contention
    }

    /// A mistake of the reference, met at some small size; those sizes were left out.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// The reference's outputs at some sizes; `None` without a reference.
    fn outputs(
        &mut self,
        plan: &CallPlan,
        scalars: &[ScalarValue],
    ) -> Result<Option<Outputs>, String> {
        let Some(reference) = &self.reference else {
            return Ok(None);
        };
        let start = Instant::now();
        let call = plan::call(self.spec, plan, scalars, false, self.settings.seed)?;
        if let Some((dims, Facts::Cuda(gpu))) = call.dims.zip(self.candidates.device()) {
            let empty = dims
                .is_empty()
                .then(|| "its grid or its block is empty".to_string());
            if let Some(why) = empty.or_else(|| model::obstacle(gpu, &dims, None, 0)) {
                let (name, label) = (&reference.name, plan::label(self.spec, scalars));
                return Err(format!(
                    "the reference `{name}` cannot be launched at {label}: {why}"
                ));
            }
        }
        let memory = plan::memory(&call);
        let result = reference.outputs(
            self.on_cpu.as_mut().unwrap_or(&mut self.client),
            &call,
            &plan::label(self.spec, scalars),
            memory,
        );
        self.excluded += start.elapsed().as_secs_f64();
        result.map(Some)
    }

    /// Compiles a config and plans its checks.
    fn make_ready(&mut self, config: u64) -> Result<Ready, Failure> {
        if let Some(ready) = self.ready.get(&config) {
            return Ok(ready.clone());
        }
        let built = self.compiled(config)?;
        let checks = self.checks(config)?;
        let mut identity = Hasher::new();
        identity.field(built.hash.to_string());
        for check in &checks {
            identity.field(check.call.to_json().compact());
        }
        let ready = Ready {
            kernel: built.kernel,
            identity: identity.finish(),
            checks,
        };
        self.ready.insert(config, ready.clone());
        Ok(ready)
    }

    /// Compiles a config that the device can launch.
    fn compiled(&mut self, config: u64) -> Result<Built, Failure> {
        let unit = self.candidates.unit(config).map_err(Failure::Worker)?;
        let entry = self.candidates.entry(config).map_err(Failure::Worker)?;
        let passed = passed(self.spec, true);
        let folder = &self.settings.folder;
        let built = build::build(self.service, &unit, &entry, &passed, folder)?;
        if let Some(resources) = built.resources {
            self.resources.insert(config, resources);
            self.launchable(config, &resources, built.max_threads)?;
        }
        Ok(built)
    }

    /// Whether the device can launch a config, now that its registers are known.
    fn launchable(
        &self,
        config: u64,
        resources: &Resources,
        max_threads: Option<u32>,
    ) -> Result<(), Failure> {
        let Ok(Some(plan)) = self.candidates.call(config, &self.problem) else {
            return Ok(());
        };
        let Some((dims, Facts::Cuda(gpu))) = plan.dims.zip(self.candidates.device()) else {
            return Ok(());
        };
        if let Some(most) = max_threads.filter(|most| dims.threads() > u64::from(*most)) {
            return Err(Failure::Unlaunchable(format!(
                "a block has {} threads, the kernel's `__launch_bounds__` says {most}",
                dims.threads()
            )));
        }
        let (registers, fixed) = (resources.registers.into(), resources.shared_bytes.into());
        match model::obstacle(gpu, &dims, Some(registers), fixed) {
            Some(why) => Err(Failure::Unlaunchable(why)),
            None => Ok(()),
        }
    }

    /// Small sizes that the config allows.
    fn small_checks(&mut self, config: u64) -> Vec<Check> {
        let mut checks = Vec::new();
        for scalars in awkward::sizes(&self.problem, &self.candidates.tiles(config)) {
            if checks.len() == plan::MOST_SIZES {
                break;
            }
            // What cannot be evaluated there is no size of the kernel.
            let Ok(Some(plan)) = self.candidates.call(config, &scalars) else {
                continue;
            };
            if plan.largest() > plan::LARGEST_BUFFER {
                continue;
            }
            match self.check(&plan, &scalars) {
                Ok(Some(check)) => checks.push(check),
                Ok(None) => {}
                Err(text) => {
                    self.fault.get_or_insert(text);
                }
            }
        }
        checks
    }

    /// The same, then the problem.
    fn checks(&mut self, config: u64) -> Result<Vec<Check>, Failure> {
        let mut checks = self.small_checks(config);
        let problem = self.problem.clone();
        let plan = self
            .candidates
            .call(config, &problem)
            .map_err(Failure::Worker)?;
        let plan =
            plan.ok_or_else(|| Failure::Worker("a `require` excludes the problem's sizes".into()))?;
        if let Some(dims) = plan.dims.filter(Dims::is_empty) {
            return Err(Failure::Unlaunchable(format!(
                "`launch` gives a grid of {:?} blocks of {:?} threads: nothing would run",
                dims.grid, dims.block
            )));
        }
        let check = self.check(&plan, &problem).map_err(Failure::Worker)?;
        let mut check = match check {
            Some(check) => check,
            None => self.bare_check(&plan, &problem).map_err(Failure::Worker)?,
        };
        check.allow = match self.reference_seconds {
            Some(seconds) => self.settings.hang_seconds.max(3.0 * seconds + 1.0),
            None => self.settings.hang_seconds,
        };
        checks.push(check);
        Ok(checks)
    }

    /// A check against the reference, if there is one; `None` where that takes too long.
    fn check(&mut self, plan: &CallPlan, scalars: &[ScalarValue]) -> Result<Option<Check>, String> {
        let mut check = self.bare_check(plan, scalars)?;
        match self.outputs(plan, scalars)? {
            Some(Outputs::File(path, seconds)) => {
                check.reference = Some(path);
                check.allow = check.allow.min(20.0 * seconds + 1.0);
            }
            Some(Outputs::Slow) => return Ok(None),
            None => {}
        }
        Ok(Some(check))
    }

    fn bare_check(&self, plan: &CallPlan, scalars: &[ScalarValue]) -> Result<Check, String> {
        Ok(Check {
            label: plan::label(self.spec, scalars),
            call: plan::call(self.spec, plan, scalars, true, self.settings.seed)?,
            reference: None,
            opinions: Vec::new(),
            save: None,
            allow: self.settings.hang_seconds,
        })
    }

    fn tolerance(&self) -> Tolerance {
        Tolerance {
            rtol: self.spec.verify.rtol,
            atol: self.spec.verify.atol,
        }
    }

    /// Asks for something that is timed: alone on the machine, as far as that can be had. The lock
    /// comes first, then quiet in this build; the other way round two builds would wait for each other.
    fn ask_alone(&mut self, request: &Request, allow: f64) -> Result<Reply, Ended> {
        let start = Instant::now();
        let patience = self.settings.lock_seconds;
        let lock = Request::Lock {
            path: self.settings.lock.clone(),
            patience,
        };
        // A runner's clock may differ from ours, and the worker may have to be started.
        match self.client.ask(&lock, patience + 10.0)? {
            Reply::Locked { held, .. } => self.contention.unlocked += u32::from(!held),
            other => {
                return Err(Ended::Broken(format!(
                    "the measuring worker answered {other:?}"
                )));
            }
        }
        if self.settings.launch.place != Place::Cpu {
            // A GPU does not mind what the processors do meanwhile: compiling runs on.
            self.excluded += start.elapsed().as_secs_f64();
            self.contention.measurements += 1;
            return self.client.ask(request, allow);
        }
        let quiet = self.service.quiet();
        let (tokens, all) = self.tokens.take();
        self.contention.jobs += u32::from(!all);
        self.excluded += start.elapsed().as_secs_f64();
        self.contention.look(self.cores);
        let reply = self.client.ask(request, allow);
        drop(tokens);
        drop(quiet);
        reply
    }

    fn try_config(
        &mut self,
        ready: &Ready,
        config: u64,
        best: Option<f64>,
    ) -> Result<Times, Failure> {
        let mut checks = ready.checks.clone();
        self.consensus.equip(config, &mut checks);
        if let (Some(best), Some(problem)) = (best, checks.last_mut()) {
            problem.allow = problem.allow.min((20.0 * best + 1.0).max(1.0));
        }
        let request = Request::Trial(Trial {
            kernel: ready.kernel.clone(),
            memory: checks
                .iter()
                .map(|check| plan::memory(&check.call))
                .max()
                .unwrap_or(0),
            checks,
            tolerance: self.tolerance(),
            timing: Some(Timing {
                seconds: self.settings.trial_seconds,
                interval: self.settings.interval,
                warm: self.spec.cache_warm,
                best,
            }),
        });
        let used = self.client.is_used();
        let mut answer = self.ask_alone(&request, self.settings.hang_seconds);
        if used && matches!(answer, Err(Ended::Crashed { .. })) {
            // An earlier config may have broken the worker: only a crash in a fresh one is this config's.
            answer = self.ask_alone(&request, self.settings.hang_seconds);
        }
        let tried = self.tried(answer)?;
        let Some(times) = tried.times else {
            return Err(Failure::Worker("it was not timed".into()));
        };
        self.note(&times);
        if let Request::Trial(trial) = request {
            self.consensus
                .record(config, &trial.checks, tried.opinion)?;
        }
        Ok(times)
    }

    /// What a worker says of a trial.
    fn tried(&mut self, answer: Result<Reply, Ended>) -> Result<Tried, Failure> {
        match answer {
            Ok(Reply::Tried(Ok(tried))) => Ok(tried),
            Ok(Reply::Tried(Err(failure))) => {
                if matches!(failure, Failure::OutOfBounds(_)) {
                    // Who knows what else it hit: the next config gets a fresh worker.
                    self.client.end();
                }
                Err(failure)
            }
            Ok(other) => Err(Failure::Worker(format!(
                "the measuring worker answered {other:?}"
            ))),
            Err(ended) => Err(failure_of(ended)),
        }
    }

    fn note(&mut self, times: &Times) {
        self.contention.runs += u64::from(times.runs);
        self.contention.disturbed += u64::from(times.disturbed);
        self.contention.timed += 1;
        self.contention.throttled += u32::from(times.throttled);
    }

    /// Plays finals until all entrants that remain have come through; those that kill the worker
    /// leave.
    fn play(&mut self, configs: &[(u64, Ready)]) -> HashMap<u64, Result<Sample, Failure>> {
        let mut results = HashMap::new();
        let mut left: Vec<&(u64, Ready)> = configs.iter().collect();
        while !left.is_empty() {
            let mut entrants = Vec::new();
            for (config, ready) in &left {
                let Some(mut check) = ready.checks.last().cloned() else {
                    continue;
                };
                self.consensus
                    .equip(*config, std::slice::from_mut(&mut check));
                check.save = None;
                entrants.push(Entrant {
                    kernel: ready.kernel.clone(),
                    check,
                });
            }
            let request = Request::Finals(Finals {
                memory: entrants
                    .iter()
                    .map(|entrant| plan::memory(&entrant.check.call))
                    .sum(),
                entrants,
                tolerance: self.tolerance(),
                timing: Timing {
                    seconds: self.settings.finals_seconds,
                    interval: self.settings.interval,
                    warm: self.spec.cache_warm,
                    best: None,
                },
            });
            let used = self.client.is_used();
            let (failure, entrant) = match self.ask_alone(&request, self.settings.hang_seconds) {
                // Not for what the trials before left in the worker: once more in a fresh one.
                Err(Ended::Crashed { .. }) if used => continue,
                Ok(Reply::Finals(times)) => {
                    for ((config, _), times) in left.iter().zip(times) {
                        if let Ok(times) = &times {
                            self.note(times);
                        }
                        results.insert(*config, times.map(|times| sample(&times)));
                    }
                    break;
                }
                Ok(other) => (
                    Failure::Worker(format!("the measuring worker answered {other:?}")),
                    None,
                ),
                Err(Ended::Broken(text)) => (Failure::Worker(text), None),
                Err(Ended::Crashed { how, during }) => {
                    let entrant = during.entrant;
                    (failure_of(Ended::Crashed { how, during }), entrant)
                }
                Err(Ended::TimedOut { seconds, during }) => {
                    let entrant = during.entrant;
                    (failure_of(Ended::TimedOut { seconds, during }), entrant)
                }
            };
            match entrant.filter(|entrant| *entrant < left.len()) {
                Some(entrant) => {
                    results.insert(left.remove(entrant).0, Err(failure));
                }
                None => {
                    results.extend(
                        left.drain(..)
                            .map(|(config, _)| (*config, Err(failure.clone()))),
                    );
                }
            }
        }
        results
    }
}

impl Measure for KernelMeasure<'_> {
    fn spent(&self) -> f64 {
        self.start.map_or(0.0, |start| {
            (start.elapsed().as_secs_f64() - self.excluded).max(0.0)
        })
    }

    fn announce(&mut self, upcoming: &[u64]) {
        self.begin();
        let units = upcoming
            .iter()
            .filter(|config| !self.ready.contains_key(config));
        self.service.announce(
            units
                .filter_map(|config| self.candidates.unit(*config).ok())
                .collect(),
        );
    }

    fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome {
        self.begin();
        let ready = match self.make_ready(config) {
            Ok(ready) => ready,
            Err(failure) => return Outcome::Failed(failure),
        };
        if let Some((first, result)) = self.seen.get(&ready.identity)
            && *first != config
        {
            return match result {
                Ok(sample) => Outcome::Same(*first, sample.clone()),
                Err(failure) => Outcome::Failed(failure.clone()),
            };
        }
        let result = self
            .try_config(&ready, config, best)
            .map(|times| sample(&times));
        // A worker that could not be had says nothing of the config.
        if !matches!(result, Err(Failure::Worker(_))) {
            self.seen.insert(ready.identity, (config, result.clone()));
        }
        match result {
            Ok(sample) => Outcome::Timed(sample),
            Err(failure) => Outcome::Failed(failure),
        }
    }

    fn resources(&self, config: u64) -> Option<Usage> {
        let resources = self.resources.get(&config)?;
        let plan = self.candidates.call(config, &self.problem).ok()??;
        let dynamic = plan.dims.map_or(0, |dims| u64::from(dims.shared));
        Some(Usage {
            registers: resources.registers,
            on_chip_bytes: u64::from(resources.shared_bytes) + dynamic,
            spill_bytes: resources.spill_bytes,
        })
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        self.begin();
        let mut entrants: Vec<(u64, Ready)> = Vec::new();
        let mut outcomes: Vec<Result<u64, Failure>> = Vec::new();
        for config in configs {
            outcomes.push(self.make_ready(*config).and_then(|ready| {
                // Configs of the same code share one entrant.
                if let Some((first, _)) = entrants
                    .iter()
                    .find(|(_, other)| other.identity == ready.identity)
                {
                    return Ok(*first);
                }
                self.consensus.verdict(*config)?;
                entrants.push((*config, ready));
                Ok(*config)
            }));
        }
        let results = self.play(&entrants);
        let missing = || Err(Failure::Worker("it was not timed".into()));
        configs
            .iter()
            .zip(outcomes)
            .map(|(config, outcome)| {
                match outcome
                    .map(|first| (first, results.get(&first).cloned().unwrap_or_else(missing)))
                {
                    Ok((first, Ok(sample))) if first != *config => Outcome::Same(first, sample),
                    Ok((_, Ok(sample))) => Outcome::Timed(sample),
                    Ok((_, Err(failure))) | Err(failure) => Outcome::Failed(failure),
                }
            })
            .collect()
    }
}

impl KernelMeasure<'_> {
    fn begin(&mut self) {
        if self.start.is_none() {
            self.start = Some(Instant::now());
            self.excluded = 0.0;
        }
    }
}

fn sample(times: &Times) -> Sample {
    Sample {
        seconds: times.seconds,
        low: times.low,
        high: times.high,
        runs: times.runs,
        cut: times.cut,
        throttled: times.throttled,
    }
}

fn failure_of(ended: Ended) -> Failure {
    match ended {
        Ended::Crashed { how, during } => Failure::Crash(format!("{how}, at {}", during.step)),
        Ended::TimedOut { seconds, during } => Failure::Timeout(format!(
            "stopped after {} s, at {}",
            (seconds * 10.0).round() / 10.0,
            during.step
        )),
        Ended::Broken(text) => Failure::Worker(text),
    }
}

fn failure_text(failure: &Failure) -> &str {
    match failure {
        Failure::Compile(text)
        | Failure::Crash(text)
        | Failure::Timeout(text)
        | Failure::Wrong(text)
        | Failure::OutOfBounds(text)
        | Failure::Unwritten(text)
        | Failure::Memory(text)
        | Failure::Unlaunchable(text)
        | Failure::Worker(text) => text,
    }
}
