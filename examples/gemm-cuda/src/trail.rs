//! The trails of the searches: what `cargo build` left beside its other results.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// One search: a strategy, on a device, for a problem.
#[derive(Debug)]
pub struct Trail {
    /// The device's key.
    pub device: String,
    /// The problem's sizes.
    pub problem: String,
    /// The evaluations, in order.
    pub trials: Vec<Trial>,
}

/// One evaluation. The best and the sink are as if the search had begun with nothing.
#[derive(Debug)]
pub struct Trial {
    /// `TILE_M x TILE_N x TILE_K`
    pub config: String,
    /// Seconds of a call, or the kind of failure.
    pub time: Result<f64, String>,
    /// Of this config.
    pub flops_per_second: Option<f64>,
    /// The lowest time so far.
    pub best: Option<f64>,
    /// Configs so far that none measured so far is significantly faster than.
    pub sink: usize,
}

/// What is read of a line.
#[derive(Deserialize)]
struct Row {
    device: String,
    problem: String,
    kind: String,
    values: BTreeMap<String, serde_json::Value>,
    seconds: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    failure: Option<String>,
    flops_per_second: Option<f64>,
}

/// Where the build script of this package left its trails: `target/bico/gemm-cuda`. The target folder
/// is found as bico finds it, by cargo's mark above OUT_DIR.
pub fn folder() -> PathBuf {
    let out = Path::new(env!("OUT_DIR"));
    let target = out
        .ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").is_file());
    target
        .unwrap_or(out)
        .join("bico")
        .join(env!("CARGO_PKG_NAME"))
}

/// Reads the trails of one tunable, one for each device; none where it was never searched.
pub fn read(file: &Path) -> Result<Vec<Trail>, String> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("could not read `{}`: {error}", file.display())),
    };
    let mut searches: Vec<(Trail, Interval)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let row: Row = serde_json::from_str(line)
            .map_err(|error| format!("{}:{}: {error}", file.display(), number + 1))?;
        // What an earlier search found would hide what this one finds by itself; finals are no evaluations.
        if matches!(row.kind.as_str(), "incumbent" | "final") {
            continue;
        }
        let known = searches
            .iter()
            .position(|(trail, _)| trail.device == row.device && trail.problem == row.problem);
        let at = known.unwrap_or_else(|| {
            let trail = Trail {
                device: row.device.clone(),
                problem: row.problem.clone(),
                trials: Vec::new(),
            };
            searches.push((trail, Interval::default()));
            searches.len() - 1
        });
        let (trail, intervals) = &mut searches[at];
        trail
            .trials
            .push(trial(row, trail.trials.last(), intervals));
    }
    Ok(searches.into_iter().map(|(trail, _)| trail).collect())
}

/// The intervals of the times of one search.
#[derive(Default)]
struct Interval {
    lows: Vec<f64>,
    /// The lowest upper end.
    high: Option<f64>,
}

fn trial(row: Row, before: Option<&Trial>, intervals: &mut Interval) -> Trial {
    let best = before.and_then(|trial| trial.best);
    if let (Some(low), Some(high)) = (row.low, row.high) {
        intervals.lows.push(low);
        intervals.high = Some(intervals.high.map_or(high, |least| least.min(high)));
    }
    let reach = intervals.high.unwrap_or(f64::INFINITY);
    let value = |name: &str| row.values.get(name).map_or("?".into(), ToString::to_string);
    Trial {
        config: ["TILE_M", "TILE_N", "TILE_K"].map(value).join("x"),
        best: row
            .seconds
            .map_or(best, |time| Some(best.map_or(time, |best| best.min(time)))),
        time: row.seconds.ok_or(row.failure.unwrap_or_default()),
        flops_per_second: row.flops_per_second,
        sink: intervals.lows.iter().filter(|low| **low <= reach).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico::Value;
    use bico_search::rank::{Kind, Ranked};
    use bico_search::search::{
        Budget, Configs, Failure, Journal, Label, Measure, Outcome, Sample, Search, by_name, run,
    };

    /// Six tiles, the times in milliseconds; 0 is a failure.
    const TILES: [(i64, f64); 6] = [
        (4, 9.0),
        (8, 5.0),
        (16, 0.0),
        (32, 3.0),
        (64, 3.01),
        (128, 4.0),
    ];

    struct Tiles([String; 3]);

    impl Configs for Tiles {
        fn len(&self) -> u64 {
            TILES.len() as u64
        }
        fn names(&self) -> &[String] {
            &self.0
        }
        fn values(&self, config: u64) -> Vec<Value> {
            vec![
                Value::Int(TILES[config as usize].0),
                Value::Int(32),
                Value::Int(8),
            ]
        }
        fn neighbours(&self, _: u64) -> Vec<u64> {
            Vec::new()
        }
    }

    struct Told(f64);

    impl Measure for Told {
        fn spent(&self) -> f64 {
            self.0
        }
        fn announce(&mut self, _: &[u64]) {}
        fn measure(&mut self, config: u64, _: Option<f64>) -> Outcome {
            self.0 += 1.0;
            match TILES[config as usize].1 * 1e-3 {
                0.0 => Outcome::Failed(Failure::Wrong("by far".into())),
                seconds => Outcome::Timed(Sample::new(seconds, seconds * 0.99, seconds * 1.01, 5)),
            }
        }
        fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
            configs
                .iter()
                .map(|config| self.measure(*config, None))
                .collect()
        }
    }

    /// A search as a build makes it, up to the kernel.
    fn searched(file: &Path, devices: &[&str], incumbent: Option<u64>) -> Vec<Trail> {
        let tiles = Tiles(["TILE_M", "TILE_N", "TILE_K"].map(String::from));
        let ranked = Ranked::new((0..6).collect(), vec![1.0; 6], Kind::Score);
        let mut journal = Journal::create(file).unwrap();
        for device in devices {
            journal.label = Label {
                problem: "m=1".into(),
                device: device.to_string(),
            };
            let budget = Budget {
                evaluations: 6,
                ..Budget::default()
            };
            let search = Search {
                incumbent,
                amounts: &|_| (Some(6e9), None),
                ..Search::new(&tiles, &ranked, budget)
            };
            let mut strategy = by_name("sequential", 0).unwrap();
            run(&search, &mut *strategy, &mut Told(0.0), &mut journal);
        }
        read(file).unwrap()
    }

    #[test]
    fn trails_of_a_search_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let trails = searched(&folder.path().join("a.jsonl"), &["one", "two"], None);
        let devices: Vec<&str> = trails.iter().map(|trail| trail.device.as_str()).collect();
        assert_eq!(devices, ["one", "two"]);
        for trail in &trails {
            assert_eq!(trail.trials.len(), 6);
            let best: Vec<_> = trail.trials.iter().map(|trial| trial.best).collect();
            let expected = [9.0, 5.0, 5.0, 3.0, 3.0, 3.0].map(|ms| Some(ms * 1e-3));
            assert_eq!(best, expected);
            // 3.00 and 3.01 ms cannot be told apart.
            let sinks: Vec<_> = trail.trials.iter().map(|trial| trial.sink).collect();
            assert_eq!(sinks, [1, 1, 1, 1, 2, 2]);
            assert_eq!(trail.trials[2].time, Err("wrong".into()));
            assert_eq!(trail.trials[3].config, "32x32x8");
            assert_eq!(trail.trials[3].flops_per_second, Some(6e9 / 3e-3));
        }
    }

    #[test]
    fn an_earlier_winner_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let trails = searched(&folder.path().join("a.jsonl"), &["one"], Some(3));
        let configs: Vec<_> = trails[0]
            .trials
            .iter()
            .map(|trial| trial.config.as_str())
            .collect();
        assert_eq!(
            configs,
            ["4x32x8", "8x32x8", "16x32x8", "64x32x8", "128x32x8"]
        );
        assert_eq!(trails[0].trials[0].best, Some(9.0 * 1e-3));
    }

    #[test]
    fn faults_name_their_line() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(&folder.path().join("none.jsonl")).unwrap().is_empty());
        let file = folder.path().join("b.jsonl");
        std::fs::write(&file, "{}\n").unwrap();
        let error = read(&file).unwrap_err();
        assert!(
            error.contains("b.jsonl:1: missing field `device`"),
            "{error}"
        );
    }
}
