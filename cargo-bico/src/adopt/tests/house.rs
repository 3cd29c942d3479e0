//! A package in a folder, what a program learned of it, and its lock.

use super::*;

pub(crate) const SOURCE: &str = "#[bico::tunable(source = \"k.c\", space(TILE in [1, 2, 4, 8, 16]), require(TILE <= device.cores), \
    problem(n = 64, alpha = 1.0), problem(n = 100, alpha = 1.0), verify(reference = \"k.c\", rtol = 1e-3))]\n\
    pub fn scale(#[len(n)] y: &mut [f32], alpha: f32, n: u32) -> bico::Result<()>;\n\
    #[bico::tunable(source = \"k.c\", entry = \"scale\", space(A in [1, 2]), problem(n = 8, const ACT = \"silu\"))]\n\
    pub fn act(#[len(n)] y: &mut [f32], n: u32) -> bico::Result<()>;\n";

/// A package in a folder, and a cache beside it.
pub(crate) struct House {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) facts: Facts,
}

pub(crate) fn cpu(cores: i64) -> Facts {
    Facts::Cpu(CpuFacts {
        vendor: "AuthenticAMD".into(),
        brand: "AMD EPYC".into(),
        family: 26,
        model: 2,
        level: "x86-64-v4".into(),
        cores,
        l1d_bytes: 48 << 10,
        l2_bytes: 1 << 20,
        l3_bytes: 32 << 20,
        vector_bits: 512,
        features: vec!["avx2".into(), "fma".into()],
    })
}

pub(crate) fn arm(name: &str, value: Value, pulls: u64, seconds: f64) -> ArmRecord {
    ArmRecord {
        config: vec![(name.to_string(), value)],
        pulls,
        mean: (seconds / 64.0).ln(),
        variance: 0.0004,
        seconds,
    }
}

pub(crate) fn tile(tile: i64, pulls: u64, seconds: f64) -> ArmRecord {
    arm("TILE", Value::Int(tile), pulls, seconds)
}

pub(crate) fn record(n: i64, settled: Option<usize>, arms: &[ArmRecord]) -> Record {
    Record {
        bucket: vec![(n as f64).log2().round() as i64],
        sizes: vec![("n".to_string(), n)],
        consts: Vec::new(),
        settled,
        arms: arms.to_vec(),
    }
}

impl House {
    pub(crate) fn new() -> House {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("src")).unwrap();
        let house = House {
            folder,
            facts: cpu(8),
        };
        house.write("Cargo.toml", "[package]\nname = \"p\"\n[workspace]\n");
        house.write("src/lib.rs", SOURCE);
        house.write("k.c", "void scale(float *y, float alpha, unsigned n) {}");
        house
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        std::fs::write(self.folder.path().join(file), text).unwrap();
    }

    pub(crate) fn plans(&self) -> Vec<Plan> {
        let env = self.env();
        let found = package::tunables(&env, &[]).unwrap().into_iter();
        let plan = |found| Plan::new(found, &env.manifest_dir, &self.facts).unwrap();
        found.map(plan).collect()
    }

    pub(crate) fn env(&self) -> Env {
        package::env(self.folder.path(), &Features::All, Mode::Off).unwrap()
    }

    /// What a program on this device does.
    pub(crate) fn learn(&self, tunable: &str, driver: &str, records: &[Record]) {
        let plans = self.plans();
        let plan = plans.iter().find(|plan| plan.key() == tunable).unwrap();
        self.learn_as(tunable, &plan.hashes.kernel().to_string(), driver, records);
    }

    pub(crate) fn learn_as(&self, tunable: &str, hash: &str, driver: &str, records: &[Record]) {
        let name = Name {
            tunable: tunable.to_string(),
            device: self.facts.key(),
            driver: driver.to_string(),
            hash: hash.to_string(),
        };
        let folder = self.folder.path().join("cache").join(LEARNED);
        let memory = Memory::open_in(&folder, name, &self.facts);
        assert!(records.iter().all(|record| memory.save(record)));
    }

    pub(crate) fn asked(&self) -> Asked {
        Asked {
            cache: Some(self.folder.path().join("cache")),
            ..Asked::default()
        }
    }

    pub(crate) fn adopt(&self) -> Adopted {
        self.adopt_with(&self.asked())
    }

    pub(crate) fn adopt_with(&self, asked: &Asked) -> Adopted {
        adopt(self.folder.path(), &Features::All, asked).unwrap()
    }

    pub(crate) fn lock(&self) -> Option<Lock> {
        lock::load(&self.folder.path().join("bico.lock")).unwrap()
    }

    pub(crate) fn entry(&self, problem: &str) -> Entry {
        self.lock().unwrap().kernels["scale"][&self.facts.key()][problem].clone()
    }

    /// The lock with an entry as tuning makes it, on some device.
    pub(crate) fn tuned(&self, facts: &Facts, problem: &str, config: i64, verified: Verified) {
        let plan = &self.plans()[0];
        let trial = |tile: i64| lock::Trial {
            config: [("TILE".to_string(), lock::Value::Int(tile))]
                .into_iter()
                .collect(),
            seconds: 1e-3,
            place: lock::Place::default(),
        };
        let entry = Entry {
            hashes: plan.hashes.clone(),
            winner: trial(config),
            timed: None,
            tested: None,
            ratio: None,
            interval: [1e-3, 1e-3],
            verified,
            rules: lock::RULES,
            strategy: "adaptive".to_string(),
            budget: lock::Budget {
                evaluations: 20,
                seconds: 60.0,
            },
            evaluations: 4,
            space_size: 4,
            toolchain: "cc".to_string(),
            trials: vec![trial(config)],
            first: Some(trial(1)),
            ranked: None,
            resources: None,
            source: None,
        };
        let path = self.folder.path().join("bico.lock");
        let put = |lock: &mut Lock| {
            lock.devices.insert(facts.key(), facts.clone());
            let kernel = lock.kernels.or_default("scale".to_string());
            let problems = kernel.or_default(facts.key());
            problems.insert(problem.to_string(), entry);
        };
        lock::modify(&path, None, put).unwrap();
    }
}
