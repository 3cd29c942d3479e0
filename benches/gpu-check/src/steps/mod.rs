//! One run: the steps in order, each within the time that is left.

mod machine;
mod packages;
mod profile;
mod proofs;
mod sample;
mod tuning;
mod winners;

use crate::child::Children;
use crate::clock::Clock;
use crate::look::Known;
use crate::report::{Outcome, Report, Step};
use crate::{goals, library, markdown, work};
use packages::PACKAGES;
use std::fs;
use std::path::{Path, PathBuf};

/// Seconds of a run, and of the self-test, for which machines without a GPU are slow.
const LIMIT: u64 = 540;
const SELF_TEST_LIMIT: u64 = 1800;
/// The space that is searched three times.
const STRATEGIES: &str = "gemm-cuda";
/// Kernels at fault.
const FAULTY: &str = "faulty";
/// Packages that are tuned for something else than their winners.
const OTHERS: [&str; 2] = [STRATEGIES, FAULTY];

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The bundle
    #[arg(long)]
    bundle: PathBuf,
    /// Where results go
    #[arg(long, default_value = "gpu-check-results")]
    out: PathBuf,
    /// What the whole run may take [default: 540; 1800 for the self-test]
    #[arg(long)]
    seconds: Option<u64>,
    /// Of the random inputs; by default another one each time
    #[arg(long)]
    seed: Option<u64>,
    /// Everything at small sizes, on the host driver of this folder
    #[arg(long, value_name = "HOST_DRIVER")]
    self_test: Option<PathBuf>,
    /// Only steps whose names begin with these words: `tune` is all tuning, `tune reduce` one kernel's
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
}

/// A run on its way.
struct Run<'a> {
    arguments: &'a Arguments,
    clock: Clock,
    children: Children,
    /// Copies of the packages, and their target folder.
    work: PathBuf,
    report: Report,
}

/// All steps; gives the number of those that failed.
pub(crate) fn run(arguments: &Arguments) -> Result<u8, String> {
    let mut run = Run::new(arguments)?;
    run.machine();
    run.occupancy();
    run.tune();
    run.check();
    run.compare();
    run.launch();
    run.strategies();
    run.example();
    run.sample();
    run.faults();
    run.profile();
    run.finish()
}

fn said(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

impl<'a> Run<'a> {
    fn new(arguments: &'a Arguments) -> Result<Run<'a>, String> {
        let seconds = arguments.seconds.unwrap_or(match arguments.self_test {
            Some(_) => SELF_TEST_LIMIT,
            None => LIMIT,
        });
        let clock = Clock::new(seconds);
        let out = &arguments.out;
        let (logs, scratch) = (out.join("logs"), out.join("work"));
        // What an earlier run left would be taken for this one's.
        for folder in [&logs, &scratch] {
            if folder.exists() {
                fs::remove_dir_all(folder).map_err(said(folder))?;
            }
            fs::create_dir_all(folder).map_err(said(folder))?;
        }
        let absolute = |path: &Path| path.canonicalize().map_err(said(path));
        let (bundle, work) = (absolute(&arguments.bundle)?, absolute(&scratch)?);
        let all = PACKAGES.iter().map(|package| package.folder);
        for package in all.chain(OTHERS) {
            let from = bundle.join("packages").join(package);
            // The faults have no sizes to shrink, and one search finds them all.
            let small = arguments.self_test.is_some() && package != FAULTY;
            work::copy(&from, &work.join(package), small)?;
        }
        let mut environment = vec![
            ("BICO_CACHE".to_string(), "off".to_string()),
            (
                "CARGO_TARGET_DIR".to_string(),
                work.join("target").display().to_string(),
            ),
            // FP32 is FP32, also for a library that could round to less.
            ("NVIDIA_TF32_OVERRIDE".to_string(), "0".to_string()),
        ];
        let paths = match &arguments.self_test {
            Some(host) => {
                let host = absolute(host)?;
                let nvrtc = host.join("libnvrtc.so").display().to_string();
                environment.push(("BICO_NVRTC".to_string(), nvrtc));
                vec![host]
            }
            None => library::folders(&work),
        };
        if !paths.is_empty() {
            let before = bico_build::env::get("LD_LIBRARY_PATH").unwrap_or_default();
            let paths = paths.into_iter().chain(std::env::split_paths(&before));
            let joined = std::env::join_paths(paths).map_err(|error| error.to_string())?;
            let joined = joined.to_string_lossy().into_owned();
            environment.push(("LD_LIBRARY_PATH".to_string(), joined));
        }
        Ok(Run {
            arguments,
            clock,
            children: Children {
                folder: bundle,
                logs: absolute(&logs)?,
                environment,
            },
            work,
            report: Report {
                command: std::env::args()
                    .skip(1)
                    .fold("gpu-check".into(), |all, a| all + " " + &a),
                self_test: arguments.self_test.is_some(),
                limit_seconds: seconds,
                seed: arguments.seed.unwrap_or_else(machine::seed),
                ..Report::default()
            },
        })
    }

    /// All are, where nobody says which.
    fn is_asked_for(&self, step: &str) -> bool {
        let only = &self.arguments.only;
        only.is_empty() || only.iter().any(|words| begins_with(step, words))
    }

    /// Runs a step with the seconds that it may take: at most `most`, and not at all where less than `least` are left.
    fn step(
        &mut self,
        name: &str,
        least: f64,
        most: f64,
        work: impl FnOnce(&mut Run<'a>, f64) -> Result<Outcome, String>,
    ) {
        if !self.is_asked_for(name) {
            return;
        }
        let (begun, left) = (self.clock.elapsed(), self.clock.left());
        // Who gives the run more time gives it to every step.
        let most = most * (self.report.limit_seconds as f64 / LIMIT as f64).max(1.0);
        println!("== {name}");
        let outcome = if left < least {
            Outcome::Skipped(format!("{left:.0} s are left, it needs {least:.0}"))
        } else {
            work(self, most.min(left)).unwrap_or_else(Outcome::Failed)
        };
        let seconds = self.clock.elapsed() - begun;
        match &outcome {
            Outcome::Passed => println!("   passed, {seconds:.1} s"),
            Outcome::Failed(why) => println!("   FAILED, {seconds:.1} s: {why}"),
            Outcome::Skipped(why) => println!("   skipped: {why}"),
        }
        self.report.steps.push(Step {
            name: name.to_string(),
            outcome,
            seconds,
        });
    }

    /// Runs a program of the bundle as a step's work.
    fn program(
        &self,
        log: &str,
        seconds: f64,
        name: &str,
        arguments: &[&str],
        folder: &Path,
    ) -> Result<crate::child::Ended, String> {
        let program = self.children.program(name);
        self.children.run(log, seconds, &program, arguments, folder)
    }

    /// Writes the reports and the locks; gives the number of failed steps.
    fn finish(mut self) -> Result<u8, String> {
        self.smi("at the end");
        let out = &self.arguments.out;
        let checked = self.report.steps.iter().filter(|step| {
            ["check", "compare"]
                .iter()
                .any(|start| step.name.starts_with(start))
        });
        let complete = checked.clone().count() > 0
            && checked
                .into_iter()
                .all(|step| step.outcome == Outcome::Passed);
        let report = &mut self.report;
        report.goals = goals::reached(
            &report.comparisons,
            &report.winners,
            &report.checks,
            complete,
        );
        if report.self_test {
            // Nothing of the host driver's may look like a GPU's; a wrong result is one anywhere.
            for (at, goal) in report.goals.iter_mut().enumerate() {
                if goal.verdict == "met" || (at > 0 && goal.measured.is_some()) {
                    goal.verdict = "self-test";
                }
            }
        }
        let device = match (report.self_test, report.machine.device.as_str()) {
            (true, _) => "self-test".to_string(),
            (false, "") => "no-gpu".to_string(),
            (false, device) => slug(device),
        };
        let day = report.date.split(' ').next().unwrap_or("").to_string();
        let name = format!("{day}-{device}");
        let mut files = Vec::new();
        for end in ["md", "json"] {
            let file = format!("{name}.{end}");
            files.push((file.clone(), format!("benches/results/{file}")));
        }
        let tuned = |folder: &str| {
            let of = |known: &&Known| known.package == folder;
            let mut keys = report.machine.tunables.iter().filter(of);
            keys.any(|known| report.tuned.iter().any(|tuned| tuned.kernel == known.key))
        };
        let compared = PACKAGES
            .iter()
            .map(|package| (package.folder, package.place, tuned(package.folder)));
        let searched = (
            STRATEGIES,
            "examples/gemm-cuda",
            !report.strategies.is_empty(),
        );
        for (package, place, is_new) in compared.chain([searched]) {
            let lock = self.work.join(package).join("bico.lock");
            if is_new && lock.is_file() {
                let file = format!("{package}.bico.lock");
                let to = out.join(&file);
                fs::copy(&lock, &to).map_err(said(&to))?;
                files.push((file, format!("{place}/bico.lock")));
            }
        }
        if report.self_test {
            // Nothing of it belongs into the repository.
            files.iter_mut().for_each(|(_, place)| place.clear());
        }
        report.files = files;
        report.seconds = self.clock.elapsed();
        let json = serde_json::to_string_pretty(report).map_err(|error| error.to_string())? + "\n";
        for (end, text) in [("md", markdown::text(report)), ("json", json)] {
            let path = out.join(format!("{name}.{end}"));
            fs::write(&path, text).map_err(said(&path))?;
        }
        show(report, out);
        Ok(u8::try_from(report.failed()).unwrap_or(u8::MAX))
    }
}

/// What came of it, on standard output.
fn show(report: &Report, out: &Path) {
    println!(
        "\n{:.0} s, {} of {} steps failed",
        report.seconds,
        report.failed(),
        report.steps.len()
    );
    for reached in &report.goals {
        let measured = reached
            .measured
            .map_or("-".into(), |ratio| format!("{ratio:.3}"));
        println!(
            "{:<12}  {measured:>7}  {}: {} ({})",
            reached.verdict, reached.kernel, reached.goal, reached.sizes
        );
    }
    println!("\nIn {}:", out.display());
    for (file, place) in &report.files {
        match place.as_str() {
            "" => println!("  {file}"),
            place => println!("  {file}  ->  {place}"),
        }
    }
}

/// Is a step meant by some words? Not if the last one of them is only half of a word of its name.
fn begins_with(name: &str, words: &str) -> bool {
    let rest = name.strip_prefix(words);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// `nvidia-h100-80gb-hbm3`
fn slug(device: &str) -> String {
    let name = device.split(" (").next().unwrap_or(device);
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    #[test]
    fn steps_by_their_words() {
        for (words, meant) in [("tune", true), ("tune contract", true), ("tune con", false)] {
            assert_eq!(super::begins_with("tune contract", words), meant, "{words}");
        }
        assert!(!super::begins_with(
            "tune contract_by_rows",
            "tune contract"
        ));
    }

    #[test]
    fn devices_as_names_of_files() {
        assert_eq!(
            super::slug("NVIDIA H100 80GB HBM3 (sm_90)"),
            "nvidia-h100-80gb-hbm3"
        );
    }
}
