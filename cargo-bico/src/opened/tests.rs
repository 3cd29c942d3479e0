//! Packages as programs open them.

use super::*;
use bico_build::lock::{Entry, Trial, Verified};
use bico_core::Map;
use bico_core::device::CudaFacts;

const SOURCE: &str = "#[bico::tunable(source = \"k.cu\", space(TILE in [32, 64, 128]), \
    require(n >= TILE), launch(grid = n.div_ceil(TILE), block = TILE), problem(n = 100), problem(n = 50))]\n\
    pub fn scale(stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;\n\
    #[cfg(feature = \"more\")]\n\
    #[bico::tunable(source = \"k.cu\", space(A in [1]), launch(grid = 1, block = A), problem(n = 1))]\n\
    pub fn other(stream: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;\n";

fn package(folder: &Path, names: &[&str]) -> Package {
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).unwrap();
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = "[package]\nname = \"p\"\n[workspace]\n[features]\nmore = []\n";
    write("Cargo.toml", manifest);
    write("src/lib.rs", SOURCE);
    write("k.cu", "__global__ void scale(float *y, unsigned n) {}");
    let features = Features::Some {
        names: names.iter().map(|name| name.to_string()).collect(),
        default: false,
    };
    let facts = Facts::Cuda(CudaFacts::typical("a GPU", "", 80));
    Package::open(folder, &features, facts).unwrap()
}

#[test]
fn tunables_and_configs_of_a_package() {
    let folder = tempfile::tempdir().unwrap();
    let keys = |names: &[&str]| -> Vec<String> {
        let package = package(folder.path(), names);
        let tunables = package.tunables().unwrap();
        tunables.iter().map(|t| t.key().to_string()).collect()
    };
    assert_eq!(keys(&[]), ["scale"]);
    assert_eq!(keys(&["more"]), ["scale", "other"]);
    let package = package(folder.path(), &[]);
    let tunables = package.tunables().unwrap();
    let problems: Vec<&Scope> = tunables[0].problems().collect();
    let len = |scope: &Scope| tunables[0].at(scope).map(|configs| configs.space().len());
    assert_eq!((len(problems[0]), len(problems[1])), (Ok(2), Ok(1)));
    let larger = problems[0].clone().with_size("n", Value::Int(128));
    assert_eq!(len(&larger), Ok(3));
    let none = problems[0].clone().with_size("n", Value::Int(1));
    assert!(
        len(&none)
            .unwrap_err()
            .to_string()
            .contains("`scale` is empty at (n=1)")
    );
}

#[test]
fn winners_are_the_locks_own_or_of_other_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let package = package(folder.path(), &[]);
    let tunables = package.tunables().unwrap();
    let scale = &tunables[0];
    let entry = |tile: i64| Entry {
        hashes: scale.plan.hashes.clone(),
        winner: Trial {
            config: Map::from_iter([("TILE".to_string(), lock::Value::Int(tile))]),
            seconds: 1.0,
            place: lock::Place::default(),
        },
        timed: None,
        tested: None,
        ratio: None,
        interval: [1.0, 1.0],
        verified: Verified::Reference,
        rules: 1,
        strategy: String::new(),
        budget: lock::Budget {
            evaluations: 1,
            seconds: 1.0,
        },
        evaluations: 1,
        space_size: 2,
        toolchain: String::new(),
        trials: Vec::new(),
        first: None,
        ranked: None,
        resources: None,
        source: None,
    };
    let problems: Vec<&Scope> = scale.problems().collect();
    let winner = |lock: &Lock, n: i64| {
        let scope = problems[0].clone().with_size("n", Value::Int(n));
        scale.at(&scope).unwrap().winner(lock)
    };
    let mut lock = package.lock().unwrap();
    assert_eq!(winner(&lock, 100), None);
    let entries = [("n=100", 64), ("n=50", 32)].map(|(n, tile)| (n.to_string(), entry(tile)));
    let device = package.facts.key();
    let kernel = Map::from_iter([(device.clone(), Map::from_iter(entries))]);
    lock.kernels.insert("scale".to_string(), kernel);
    assert_eq!(winner(&lock, 100), Some(vec![Value::Int(64)]));
    assert_eq!(winner(&lock, 50), Some(vec![Value::Int(32)]));
    assert_eq!(winner(&lock, 40), Some(vec![Value::Int(32)]));
    // What was found for another kernel of this name is no winner.
    let kernel = lock
        .kernels
        .get_mut("scale")
        .and_then(|k| k.get_mut(&device));
    for (_, entry) in kernel.unwrap().iter_mut() {
        entry.hashes.source = bico_build::compile::Hash(0);
    }
    assert_eq!(winner(&lock, 100), None);
}
