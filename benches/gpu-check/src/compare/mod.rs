//! One kernel's winners, checked and compared, in a process of its own: a kernel that breaks the GPU breaks nothing
//! else.

mod blas;
mod family;
#[cfg(test)]
mod fixture;
mod gpu;
mod lt;
mod order;
mod prepared;
pub(crate) mod record;
mod rivals;
mod timing;
mod traffic;

pub(crate) use family::Family;
pub(crate) use timing::Timed;

use bico::Value;
use bico_build::lock::Lock;
use bico_build::report::assignment;
use bico_core::device::{CudaFacts, Facts};
use bico_device::measure::Bytes;
use bico_search::space::Space;
use bico_syntax::Element;
use bico_syntax::bind::Scope;
use blas::Blas;
use cargo_bico::Features;
use cargo_bico::opened::{Configs, Package, Tunable};
use gpu::Gpu;
use order::Order;
use prepared::{Loaded, Prepared};
use record::{Check, Comparison, Record, Records, Traffic};
use std::path::PathBuf;
use std::time::Instant;
use timing::Contender;

/// Names of contenders.
pub(crate) const TUNED: &str = "tuned";
pub(crate) const FIRST: &str = "first valid config";
pub(crate) const ROW_MAJOR: &str = "blocks row by row";
pub(crate) const TUNED_ROW_MAJOR: &str = "blocks row by row, tuned";
pub(crate) const GROUPED: &str = "blocks in groups";
pub(crate) const LIBRARY: &str = "library";
pub(crate) const HEURISTIC: &str = "cuBLASLt's heuristics";
pub(crate) const SEARCHED: &str = "cuBLASLt, the best of its proposals";
pub(crate) const COPY: &str = "copy";

/// Most seconds of one comparison's timing, and in the self-test, whose times say nothing.
const TIMING: f64 = 4.0;
const SELF_TEST_TIMING: f64 = 0.2;

/// What the process is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The package's folder
    #[arg(long)]
    package: PathBuf,
    /// Its features
    #[arg(long, value_delimiter = ',')]
    features: Vec<String>,
    /// The tunable
    #[arg(long)]
    key: String,
    /// The folder of the rivals
    #[arg(long)]
    rivals: PathBuf,
    /// Where the records go
    #[arg(long)]
    records: PathBuf,
    /// What all of it may take
    #[arg(long)]
    seconds: f64,
    /// Of the random inputs
    #[arg(long)]
    seed: u64,
    /// Small sizes
    #[arg(long)]
    self_test: bool,
}

/// Whether two scopes are of one problem.
fn is_same(a: &Scope, b: &Scope) -> bool {
    a.sizes == b.sizes && a.problem_consts == b.problem_consts
}

/// One kernel on one GPU.
struct Comparing<'a> {
    arguments: &'a Arguments,
    facts: &'a CudaFacts,
    gpu: &'a Gpu,
    blas: Option<&'a Blas>,
    family: Family,
    tunable: &'a Tunable<'a>,
    /// The same kernel, without groups of blocks.
    row_by_row: Option<&'a Tunable<'a>>,
    lock: &'a Lock,
    records: Records,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let facts = bico_device::cuda::facts(0)?;
    let features = Features::Some {
        names: arguments.features.clone(),
        default: false,
    };
    let manifest = arguments.package.join("Cargo.toml");
    let package = Package::open(&manifest, &features, Facts::Cuda(facts.clone()))?;
    let lock = package.lock()?;
    let tunables = package.tunables()?;
    let find = |key: &str| tunables.iter().find(|tunable| tunable.key() == key);
    let tunable = find(&arguments.key).ok_or_else(|| format!("no tunable `{}`", arguments.key))?;
    let gpu = Gpu::new(&facts)?;
    let family = Family::of(&arguments.key);
    let mut records = Records::append(&arguments.records)?;
    let blas = match family.has_products() {
        true => {
            let blas = Blas::new(&gpu);
            let (version, missing) = match &blas {
                Ok(blas) => (Some(blas.version()), None),
                Err(why) => (None, Some(why.clone())),
            };
            records.write(&Record::Blas { version, missing })?;
            blas.ok()
        }
        false => None,
    };
    let mut comparing = Comparing {
        arguments,
        facts: &facts,
        gpu: &gpu,
        blas: blas.as_ref(),
        family,
        tunable,
        row_by_row: (family == Family::Batched)
            .then(|| find(family::TUNED_ROW_BY_ROW))
            .flatten(),
        lock: &lock,
        records,
    };
    let mut faults = Vec::new();
    let mut sizes: Vec<Scope> = tunable.problems().cloned().collect();
    if let Some(some) = sizes.first().cloned() {
        let more = family.more(&some, arguments.self_test);
        sizes.extend(
            more.into_iter()
                .filter(|more| !tunable.problems().any(|p| is_same(p, more))),
        );
    }
    let most = match arguments.self_test {
        true => SELF_TEST_TIMING,
        false => TIMING,
    };
    for (done, scope) in sizes.iter().enumerate() {
        let left = arguments.seconds - start.elapsed().as_secs_f64();
        if left <= 0.0 {
            let sizes = scope.describe();
            comparing.records.write(&Record::Missing { sizes })?;
            continue;
        }
        let share = left / (sizes.len() - done) as f64;
        // Half of it goes into compiling, filling and the reference.
        let result = comparing.compare(scope, (share / 2.0).clamp(0.0, most));
        faults.extend(
            result
                .err()
                .map(|error| format!("{}: {error}", scope.describe())),
        );
    }
    match faults.len() {
        0 => Ok(()),
        1 => Err(faults.remove(0)),
        count => Err(format!("{count} faults, the first: {}", faults.remove(0))),
    }
}

impl<'a> Comparing<'a> {
    fn checked(
        &mut self,
        configs: &Configs<'_>,
        config: &[Value],
        wrong: Option<String>,
    ) -> Result<(), String> {
        let check = Check {
            kernel: self.arguments.key.clone(),
            sizes: configs.problem().to_string(),
            config: assignment(configs.space().names(), config),
            wrong: wrong.clone(),
        };
        let said = check.config.clone();
        self.records.write(&Record::Check(check))?;
        match wrong {
            None => Ok(()),
            Some(wrong) => Err(format!(
                "{said} at ({}) is wrong: {wrong}",
                configs.problem()
            )),
        }
    }

    fn compare(&mut self, scope: &Scope, seconds: f64) -> Result<(), String> {
        let gpu = self.gpu;
        let configs = self.tunable.at(scope)?;
        let winner = configs.winner(self.lock);
        let winner = winner.ok_or("the lock has no winner that is valid at these sizes")?;
        let own = self.own(&configs, scope, &winner);
        let all: Vec<Vec<Value>> = own.iter().map(|(_, config)| config.clone()).collect();
        configs.announce(&all);
        let mut prepared = Prepared::new(gpu, &configs.call(&winner)?, self.arguments.seed)?;
        let expected = prepared.expected(gpu, &configs)?;
        let mut loaded = Vec::new();
        let mut traffic = Vec::new();
        let mut notes = Vec::new();
        for (name, config) in own {
            let ready = configs
                .call(&config)
                .map_err(String::from)
                .and_then(|call| prepared.load(gpu, &call));
            // Of another config than the winner nobody said that it can be launched here.
            let run = ready.and_then(|kernel| {
                let got = prepared.run(gpu, |_| gpu.launch(&kernel.kernel))?;
                Ok((kernel, got))
            });
            match run {
                Ok((kernel, got)) => {
                    let wrong = prepared.difference(&got, &expected);
                    self.checked(&configs, &config, wrong)?;
                    let moved = self.traffic(&configs, scope, &config, &prepared, &kernel);
                    traffic.extend(moved.map(|moved| (name.to_string(), moved)));
                    loaded.push((name, assignment(configs.space().names(), &config), kernel));
                }
                Err(error) if name == TUNED => return Err(error),
                Err(error) => notes.push(format!("{name}: {error}")),
            }
        }
        let mut contenders: Vec<Contender<'_>> = loaded
            .iter()
            .map(|(name, config, kernel)| Contender {
                name: name.to_string(),
                detail: config.clone(),
                run: Box::new(|| gpu.launch(&kernel.kernel)),
            })
            .collect();
        match self.rival(scope, &mut prepared, &expected) {
            Ok(rival) => contenders.extend(rival),
            Err(error) => notes.push(format!("{LIBRARY}: {error}")),
        }
        // They share C with the rival, whose result was right.
        if self.family.has_products() && contenders.iter().any(|of| of.name == LIBRARY) {
            match rivals::proposals(gpu, &mut prepared, self.family, scope, &expected) {
                Ok(proposals) => contenders.extend(proposals),
                Err(error) => notes.push(error),
            }
        }
        let timed = timing::compare(gpu, &mut contenders, seconds)?;
        drop(contenders);
        self.records.write(&Record::Comparison(Comparison {
            kernel: self.arguments.key.clone(),
            sizes: configs.problem().to_string(),
            flops: self.family.flops(scope),
            bytes: prepared.bytes() as f64,
            l2_bytes: self.facts.l2_bytes as f64,
            contenders: timed,
            traffic,
            notes,
        }))
    }

    /// The winner, and configs of the same kernel to compare it with.
    fn own(
        &self,
        configs: &Configs<'_>,
        scope: &Scope,
        winner: &[Value],
    ) -> Vec<(&'static str, Vec<Value>)> {
        let space = configs.space();
        let mut own = vec![(TUNED, winner.to_vec())];
        // Untuned kernels are compared at the sizes that were tuned for.
        if self
            .tunable
            .problems()
            .any(|problem| is_same(problem, scope))
        {
            own.push((FIRST, space.config(0)));
        }
        let Some(order) = Order::of(space) else {
            return own;
        };
        own.extend(match order.is_grouped(winner) {
            true => order
                .row_major(space, winner)
                .map(|config| (ROW_MAJOR, config)),
            false => order
                .grouped(space, winner, |config| self.cost(space, scope, config))
                .map(|config| (GROUPED, config)),
        });
        // The best order of blocks with another tile than the winner's.
        let tuned = self.row_by_row.and_then(|tunable| {
            let configs = tunable.at(scope).ok()?;
            let values = configs.winner(self.lock)?;
            order::same(space, configs.space(), &values)
        });
        own.extend(
            tuned
                .filter(|config| own.iter().all(|(_, known)| known != config))
                .map(|config| (TUNED_ROW_MAJOR, config)),
        );
        own
    }

    /// What groups of blocks are chosen by: bytes from memory where there is a model, else all are equal. Which one is
    /// best hardly depends on how many blocks are resident.
    fn cost(&self, space: &Space, scope: &Scope, config: &[Value]) -> f64 {
        let at = (space, scope);
        let elements = [Element::F16; 2];
        let traffic = traffic::traffic(self.family, at, config, elements, (self.facts, 2));
        traffic.map_or(0.0, |traffic| traffic.device_bytes)
    }

    /// What the model says of a config.
    fn traffic(
        &self,
        configs: &Configs<'_>,
        scope: &Scope,
        config: &[Value],
        prepared: &Prepared,
        loaded: &Loaded,
    ) -> Option<Traffic> {
        let [c, a, _] = prepared.buffers.as_slice() else {
            return None;
        };
        let resident = self.gpu.resident(&loaded.kernel).ok()?;
        let elements = [c.element(), a.element()];
        let at = (configs.space(), scope);
        traffic::traffic(self.family, at, config, elements, (self.facts, resident))
    }

    /// What else does the same, or moves as much. A library's result is checked like a kernel's.
    fn rival<'b>(
        &self,
        scope: &Scope,
        prepared: &mut Prepared,
        expected: &[Bytes],
    ) -> Result<Option<Contender<'b>>, String>
    where
        'a: 'b,
    {
        let gpu = self.gpu;
        if self.family == Family::Memory {
            return rivals::copy(gpu, prepared).map(Some);
        }
        if !self.family.has_products() {
            return Ok(None);
        }
        let blas = self.blas.ok_or("not compared, cuBLAS is not there")?;
        let mut contender = match self.family {
            Family::Glu => {
                let facts = Facts::Cuda(self.facts.clone());
                let folder = &self.arguments.rivals;
                rivals::Separate::new(gpu, blas, prepared, scope, folder, &facts)?.contender()
            }
            _ => {
                let product = rivals::product(gpu, prepared, self.family, scope)?;
                rivals::multiplier(blas, product)
            }
        };
        let got = prepared.run(gpu, |_| (contender.run)())?;
        match prepared.difference(&got, expected) {
            None => Ok(Some(contender)),
            Some(wrong) => Err(format!("it differs from the reference: {wrong}")),
        }
    }
}
