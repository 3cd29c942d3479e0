//! The devices of this machine that a run may tune for.

use super::plan::{Plan, ProblemPlan};
use crate::compile::Service;
use crate::env::{Env, Mode, Skip};
#[cfg(feature = "tune")]
use crate::measure::{self, Gpu, Processor, Program};
use bico_core::device::{CudaFacts, DeviceKey, Facts};
use bico_core::{Lists, Value};
use bico_syntax::Language;
use bico_syntax::bind::{Bound, Rules};

/// One device to measure on.
#[cfg_attr(feature = "workers", derive(Clone))]
pub struct Target {
    pub facts: Facts,
    #[cfg(feature = "tune")]
    pub processor: Processor,
    /// How many equal ones this machine has.
    #[cfg(feature = "tune")]
    pub local: usize,
    /// Names the device on its machine, for the machine-wide lock.
    pub lock: String,
}

/// What kernels of either kind are tuned for.
pub struct Devices {
    cpu: [Target; 1],
    gpus: Vec<Target>,
    /// Kinds of GPU that nobody may have tuned for. Kernels are ranked for the first one that has a config where there is none.
    pub(super) kinds: [Facts; 4],
    /// Why there is no GPU.
    pub missing: Option<String>,
}

impl Devices {
    /// The CPU, and the GPUs where `gpus` asks for them: one of each kind.
    pub fn find(env: &Env, gpus: bool, service: &Service) -> Devices {
        let mut found = match gpus && may_measure(env) {
            true => find(env),
            false => Ok(Vec::new()),
        };
        // Without a compiler every config would fail alike.
        if found.as_ref().is_ok_and(|gpus| !gpus.is_empty())
            && let Err(error) = service.compiler(Language::Cuda)
        {
            found = Err(error.summary);
        }
        Devices {
            cpu: [Target {
                facts: bico_host::this_cpu().clone(),
                #[cfg(feature = "tune")]
                processor: Processor::Cpu,
                #[cfg(feature = "tune")]
                local: 1,
                lock: "cpu".to_string(),
            }],
            kinds: kinds(),
            missing: found.as_ref().err().cloned(),
            gpus: found.unwrap_or_default(),
        }
    }

    /// Of the GPUs only this one.
    #[cfg(feature = "workers")]
    pub(super) fn only(&self, gpu: &Target) -> Devices {
        Devices {
            cpu: self.cpu.clone(),
            gpus: vec![gpu.clone()],
            kinds: self.kinds.clone(),
            missing: None,
        }
    }

    /// What a kernel can be measured on here.
    pub fn of(&self, language: Language) -> &[Target] {
        match language.is_cuda() {
            true => &self.gpus,
            false => &self.cpu,
        }
    }

    /// Some device of the kind that a kernel needs: to evaluate what does not depend on which.
    pub fn facts(&self, language: Language) -> &Facts {
        let first = self.of(language).first();
        first.map_or(&self.kinds[0], |target| &target.facts)
    }

    /// A GPU that a kernel has a config for at all sizes: not all kernels are for older ones.
    pub(super) fn stand_in(&self, plan: &Plan) -> &Facts {
        let has_config = |facts: &Facts, problem: &ProblemPlan| {
            let rules = Rules::new(&plan.found.spec, facts, &problem.scope);
            matches!(rules.and_then(|rules| rules.first()), Ok(Some(_)))
        };
        let fits = |facts: &&Facts| plan.problems.iter().all(|of| has_config(facts, of));
        self.kinds.iter().find(fits).unwrap_or(&self.kinds[0])
    }

    /// The least compute capability that a config is for, of those that brought something; 0 if none is known.
    pub(super) fn least(&self, bound: &Bound<'_>, values: &[Value]) -> u16 {
        let oldest = Facts::Cuda(CudaFacts::typical("a GPU", "", 75));
        let is_config = |facts: &&Facts| {
            let rules = Rules::new(bound.spec, facts, &bound.scope);
            matches!(rules.and_then(|rules| rules.allow(values)), Ok(true))
        };
        let mut all = [&oldest].into_iter().chain(&self.kinds);
        all.find(is_config).and_then(Facts::capability).unwrap_or(0)
    }

    /// Keys of what a kernel can be measured on here.
    pub(super) fn keys(&self, language: Language) -> Vec<DeviceKey> {
        let targets = self.of(language).iter();
        targets.map(|target| target.facts.key()).collect_vec()
    }

    /// Why a kernel cannot be measured here for want of its device.
    pub(super) fn skip(&self, env: &Env, language: Language) -> Option<Skip> {
        let missing = may_measure(env) && self.of(language).is_empty();
        if missing { Some(Skip::NoGpu) } else { env.skip }
    }
}

/// NVIDIA's A100 (SXM, 40 GB), H100 (SXM), B200 and GeForce RTX 5090, by its datasheets.
pub(super) fn kinds() -> [Facts; 4] {
    let gpu = |capability, multiprocessors, l2_mebibytes: i64, bandwidth: i64, megahertz: i64| {
        Facts::Cuda(CudaFacts {
            multiprocessors,
            l2_bytes: l2_mebibytes << 20,
            memory_bytes_per_second: bandwidth * 1_000_000_000,
            clock_hz: megahertz * 1_000_000,
            ..CudaFacts::typical("a GPU", "", capability)
        })
    };
    [
        gpu(80, 108, 40, 1_555, 1_410),
        gpu(90, 132, 50, 3_350, 1_980),
        gpu(100, 148, 126, 8_000, 1_965),
        gpu(120, 170, 96, 1_792, 2_407),
    ]
}

/// Whether this run could measure if the device is there.
fn may_measure(env: &Env) -> bool {
    match env.mode {
        Mode::Auto => env.skip.is_none(),
        // Who asks for `tune` by name in CI means it.
        Mode::Tune => env.skip.is_none_or(|skip| skip == Skip::Ci),
        Mode::Locked | Mode::Off => false,
    }
}

/// The GPUs of the machines where workers run, one of each kind.
#[cfg(feature = "tune")]
fn find(env: &Env) -> Result<Vec<Target>, String> {
    let runners = env.workers.iter().map(|of| (of.runner.clone(), of.sends));
    let mut runners = runners.collect_vec();
    if runners.is_empty() {
        runners.push((env.runner.clone(), false));
    }
    let (mut all, mut fault) = (Vec::new(), None);
    for (runner, sends) in runners {
        let is_local = runner.is_empty();
        let program = Program {
            sends,
            ..Program::this(runner)?
        };
        match measure::gpus(&program) {
            Ok(gpus) => all.extend(gpus.into_iter().map(|gpu| (gpu, is_local))),
            Err(why) => fault = fault.or(Some(why)),
        }
    }
    match fault {
        Some(why) if all.is_empty() => Err(why),
        _ => Ok(one_of_each(all)),
    }
}

/// Nothing is measured: nobody asks.
#[cfg(not(feature = "tune"))]
fn find(_: &Env) -> Result<Vec<Target>, String> {
    Ok(Vec::new())
}

/// The first GPU of each kind: equal ones would only repeat the work.
#[cfg(feature = "tune")]
fn one_of_each(gpus: Vec<(Gpu, bool)>) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for (gpu, is_local) in gpus {
        let (lock, facts) = (gpu.lock(), Facts::Cuda(gpu.facts));
        let key = facts.key();
        let local = usize::from(is_local);
        match targets.iter_mut().find(|of| of.facts.key() == key) {
            Some(known) => known.local += local,
            None => targets.push(Target {
                facts,
                processor: Processor::Gpu(gpu.ordinal),
                local,
                lock,
            }),
        }
    }
    targets
}

#[cfg(all(test, feature = "tune"))]
mod tests {
    use super::*;

    #[test]
    fn one_of_each_kind() {
        let gpu = |ordinal, name: &str, address: &str| Gpu {
            ordinal,
            address: address.to_string(),
            driver: String::new(),
            facts: CudaFacts::typical(name, "", 80),
        };
        let targets = one_of_each(vec![
            (gpu(0, "A", "0000:01:00.0"), true),
            (gpu(1, "A", "0000:02:00.0"), true),
            (gpu(2, "B", "0000:03:00.0"), false),
        ]);
        assert_eq!((targets[0].local, targets[1].local), (2, 0));
        let processors: Vec<Processor> =
            targets.iter().map(|target| target.processor).collect_vec();
        assert_eq!(processors, [Processor::Gpu(0), Processor::Gpu(2)]);
        assert_eq!(targets[1].lock, "gpu-0000-03-00-0");
    }
}
