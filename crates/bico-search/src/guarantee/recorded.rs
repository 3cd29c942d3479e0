//! Recorded spaces: the law of random search beside what was computed elsewhere, and the bounds under
//! the noise that was recorded.

use super::Settings;
use super::bootstrap::bounds;
use super::draws::Draws;
use super::noise::normals;
use crate::search::{Failure, Outcome, Sample};
use crate::space::Draw;
use bico_core::Lists;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The folder of the recorded spaces: `BICO_SPACES`, by default beside the workspace.
fn folder() -> PathBuf {
    #[allow(clippy::disallowed_methods)] // A setting of tests: no build reads it.
    let set = std::env::var_os("BICO_SPACES");
    set.map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/spaces").into(),
        PathBuf::from,
    )
}

/// A recorded config: its mean time, and the standard deviation of that mean where it is known.
struct Recorded {
    time: f64,
    deviation: Option<f64>,
}

/// All configs of a space; those that failed are `None`.
fn configs(path: &Path) -> Vec<Option<Recorded>> {
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect_vec());
    let head = lines.next().unwrap();
    let column = |name| head.iter().position(|known| *known == name);
    let (time, status) = (column("time_ms").unwrap(), column("status").unwrap());
    let (spread, runs) = (column("time_std_ms"), column("n_runs"));
    let number = |line: &[&str], at: Option<usize>| -> Option<f64> { line[at?].parse().ok() };
    lines
        .map(|line| {
            let time = number(&line, Some(time)).filter(|_| line[status] == "ok")?;
            let deviation = number(&line, spread)
                .zip(number(&line, runs))
                .map(|(spread, runs)| spread / runs.sqrt());
            Some(Recorded { time, deviation })
        })
        .collect_vec()
}

/// Whether there are recorded spaces. Says so past the harness, which keeps what a passing test prints.
fn are_there(folder: &Path) -> bool {
    let found = folder.is_dir();
    if !found {
        let folder = folder.display();
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED, no {folder}: set BICO_SPACES to the recorded spaces"
        );
    }
    found
}

#[test]
fn means_of_random_search_are_those_computed_elsewhere() {
    let folder = folder();
    if !are_there(&folder) {
        return;
    }
    let text = std::fs::read_to_string(folder.join("kernel_tuner.json")).unwrap();
    let table: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    for (name, strategies) in table["spaces"].as_object().unwrap() {
        let means: BTreeMap<String, f64> =
            serde_json::from_value(strategies["uniform_random_exact"].clone()).unwrap();
        let configs = configs(&folder.join(format!("{name}.csv.gz")));
        let time = |config: &Option<Recorded>| config.as_ref().map_or(f64::NAN, |of| of.time);
        let law = Draws::new(configs.iter().map(time).collect_vec());
        for (draws, mean) in means {
            let own = law.fraction_of_optimum(draws.parse().unwrap());
            // Their times have more digits than the files' six.
            assert!(
                (own - mean).abs() < 1e-6,
                "{name}, {draws}: {own}, not {mean}"
            );
            compared += 1;
        }
    }
    assert!(compared > 0, "kernel_tuner.json names no space");
}

#[test]
fn bounds_hold_on_recorded_kernels_with_their_own_noise() {
    let folder = folder();
    if !are_there(&folder) {
        return;
    }
    let (searches, evaluations) = (12, 40);
    let settings = Settings {
        resamples: 500,
        ..Settings::default()
    };
    let mut random = fastrand::Rng::with_seed(3);
    let (mut held, mut of) = (0, 0);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".csv.gz"))
        .collect_vec();
    paths.sort();
    for path in paths {
        let configs = configs(&path);
        if configs
            .iter()
            .flatten()
            .all(|config| config.deviation.is_none())
        {
            continue;
        }
        for _ in 0..searches {
            let drawn: Vec<&Option<Recorded>> = Draw::new(configs.len() as u64, random.fork())
                .take(evaluations)
                .map(|config| &configs[config as usize])
                .collect_vec();
            let outcomes: Vec<Outcome> = drawn
                .iter()
                .map(|config| measured(config.as_ref(), &mut random))
                .collect_vec();
            let bounds = bounds(&outcomes, &settings);
            let truth = |place: usize| drawn[place].as_ref().map(|config| config.time);
            let mut bounds = bounds.iter().flatten();
            held += u32::from(bounds.all(|bound| truth(bound.carrier) <= Some(bound.seconds)));
            of += 1;
        }
    }
    // 95 % of them, and what chance does to so many searches.
    assert!(of >= 100 && held * 100 >= of * 92, "{held} of {of}");
}

/// A config measured anew.
fn measured(config: Option<&Recorded>, random: &mut fastrand::Rng) -> Outcome {
    let Some(config) = config else {
        return Outcome::Failed(Failure::Crash(String::new()));
    };
    let deviation = config.deviation.unwrap_or(0.0);
    let seconds = config.time + deviation * normals(random).0;
    Outcome::Timed(Sample::new(
        seconds,
        seconds - 1.96 * deviation,
        seconds + 1.96 * deviation,
        9,
    ))
}
