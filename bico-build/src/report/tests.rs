use super::*;
use bico_core::Value;
use bico_search::rank::{Kind, Ranked};
use bico_search::search::{
    Budget, Configs, Failure, Found, Measure, Observer, Outcome, Sample, Search, by_name, run,
};

struct Tiles(Vec<String>);

fn tiles() -> Tiles {
    Tiles(["MR", "ISA"].map(String::from).to_vec())
}

impl Configs for Tiles {
    fn len(&self) -> u64 {
        11_520
    }

    fn names(&self) -> &[String] {
        &self.0
    }

    fn values(&self, config: u64) -> Vec<Value> {
        vec![Value::Int(config as i64), Value::Str("x86-64-v3")]
    }

    fn neighbours(&self, _: u64) -> Vec<u64> {
        Vec::new()
    }
}

fn amounts(_: &[Value]) -> (Option<f64>, Option<f64>) {
    (Some(2e9), Some(1e6))
}

/// Config `c` takes `40 - 4 c` ms; odd ones above 4 fail.
struct Machine {
    works: bool,
}

impl Measure for Machine {
    fn spent(&self) -> f64 {
        0.0
    }

    fn announce(&mut self, _: &[u64]) {}

    fn measure(&mut self, config: u64, _: Option<f64>) -> Outcome {
        if !self.works {
            return Outcome::Failed(Failure::Compile("no such flag\nsecond line".into()));
        }
        match config {
            5 | 7 => Outcome::Failed(Failure::Wrong("a[3]".into())),
            _ => {
                let seconds = 0.040 - 0.004 * config as f64;
                Outcome::Timed(Sample::new(seconds, seconds, seconds, 3))
            }
        }
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        configs
            .iter()
            .map(|config| self.measure(*config, None))
            .collect()
    }
}

fn ranked() -> Ranked {
    Ranked::new(
        vec![3, 4, 5, 6, 7, 0],
        vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        Kind::Seconds,
    )
}

fn search(evaluations: u64, works: bool, observer: &mut dyn Observer) -> Found {
    let (configs, ranked) = (tiles(), ranked());
    let budget = Budget {
        evaluations,
        ..Budget::default()
    };
    let mut strategy = by_name("guided", 0).unwrap();
    run(
        &Search {
            amounts: &amounts,
            ..Search::new(&configs, &ranked, budget)
        },
        &mut *strategy,
        &mut Machine { works },
        observer,
    )
}

fn summary(found: &Found, contention: Option<&str>) -> String {
    let (configs, ranked) = (tiles(), ranked());
    let (key, problem) = ("gemm", "m=64, n=100");
    Summary {
        default: None,
        key,
        problem,
        configs: &configs,
        amounts: &amounts,
        ranked: &ranked,
        found,
        seconds: 31.2,
        contention,
    }
    .to_string()
}

#[test]
fn the_steps_of_a_search() {
    let found = search(6, true, &mut ());
    let lines = steps(&found.trail, &tiles());
    let expected = [
        "Place  Latency     Throughput  Config",
        "    1  16.0 ms  125.0 GFLOP/s  MR=6 ISA=x86-64-v3",
        "    2  24.0 ms  83.33 GFLOP/s  MR=4 ISA=x86-64-v3",
        "    3  28.0 ms  71.43 GFLOP/s  MR=3 ISA=x86-64-v3",
        "    4  40.0 ms  50.00 GFLOP/s  MR=0 ISA=x86-64-v3",
        "Budget  Latency     Throughput     Best  Sink  Config",
        "     1  28.0 ms  71.43 GFLOP/s  28.0 ms     1  MR=3 ISA=x86-64-v3",
        "     3  24.0 ms  83.33 GFLOP/s  24.0 ms     1  MR=4 ISA=x86-64-v3",
        "     5  16.0 ms  125.0 GFLOP/s  16.0 ms     1  MR=6 ISA=x86-64-v3",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn the_closing_line() {
    assert_eq!(
        summary(&search(6, true, &mut ()), None),
        "gemm (m=64, n=100): MR=6 ISA=x86-64-v3, median 16.0 ms, 125.0 GFLOP/s, 2.5x as fast as the first config, 1.75x as fast as the top-ranked; 6 of 11,520 configs measured (2 failed: 2 wrong), 31 s; rank correlation of prediction and time 0.20; the first that is not right, MR=5 ISA=x86-64-v3: wrong: a[3]"
    );
    let line = summary(&search(1, true, &mut ()), Some("the machine was busy"));
    assert!(
        line.ends_with(
            "GFLOP/s, itself the top-ranked; 1 of 11,520 configs measured, 31 s; the machine was busy"
        ),
        "{line}"
    );
}

#[test]
fn the_closing_line_of_a_failure() {
    assert_eq!(
        summary(&search(2, false, &mut ()), None),
        "gemm (m=64, n=100): no config ran and was right; 2 of 11,520 configs measured (2 failed: 2 compile), 31 s; the first failure: compile: no such flag"
    );
    assert_eq!(
        summary(&search(0, true, &mut ()), None),
        "gemm (m=64, n=100): nothing measured; 0 of 11,520 configs measured, 31 s"
    );
}

#[test]
fn the_line_follows_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("screen");
    let screen = std::fs::File::create(&path).unwrap();
    let mut progress = Progress::new(Some(screen));
    let task = Task {
        key: "gemm".into(),
        hash: String::new(),
        problem: "n=8".into(),
        problem_key: "n=8".into(),
        device: "a CPU".into(),
        deed: Deed::Search,
    };
    progress.begins(task, 0);
    let found = search(6, true, &mut progress);
    assert!(
        progress
            .line(79)
            .ends_with("6/6  best 125.0 GFLOP/s  0 s left"),
        "{}",
        progress.line(79)
    );
    progress.ends(&found);
    let screen = std::fs::read_to_string(&path).unwrap();
    assert!(
        screen.contains("gemm (n=8)  [") && screen.ends_with("\x1b[K\r"),
        "{screen:?}"
    );
}
