//! `cargo bico check`.

use super::package::Package;
use crate::Error;
use crate::check::{Asked, Report, Sizes, check};
use bico_build::env::Mode;
use std::fmt::Write;

/// Verifies configs of a package's kernels on this machine's devices, without timing them.
///
/// Each config runs at small awkward sizes (1, primes, one off a tile), on inputs of its own seed, and is
/// compared with the reference; nothing is written to bico.lock. A config that is wrong, writes outside its
/// buffers, crashes or hangs fails the command; one that does not compile or cannot be launched here does
/// not, unless none is left.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Package,
    /// Configs of each problem, spread evenly over its space
    #[arg(short, long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    configs: u64,
    /// The winners of bico.lock in place of configs that are spread
    #[arg(long)]
    winners: bool,
    /// Further sizes, `m=64,n=64`: what is not named is as in the attribute; may be repeated
    #[arg(long, value_name = "SIZES", value_parser = Sizes::read)]
    problem: Vec<Sizes>,
    /// The attribute's own sizes too
    #[arg(long)]
    problems: bool,
    /// Seed of the inputs; tuning has 0
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// JSON, one object for each tunable, problem and device
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let env = arguments.package.env(Mode::Tune)?;
    let asked = Asked {
        only: arguments.package.only.clone(),
        configs: arguments.configs,
        winners: arguments.winners,
        sizes: arguments.problem.clone(),
        problems: arguments.problems,
        seed: arguments.seed,
    };
    let mut reports: Vec<Report> = Vec::new();
    let ended = check(&env, &asked, &mut |report| {
        if !arguments.json {
            let head = reports.last().is_none_or(|last| !last.is_beside(report));
            print!("{}", text(report, head));
        }
        reports.push(report.clone());
    });
    if arguments.json {
        let text = serde_json::to_string_pretty(&reports).map_err(Error::work)?;
        println!("{text}");
    }
    ended?;
    verdict(&reports)
}

/// What the command says in the end, if it fails.
fn verdict(reports: &[Report]) -> Result<(), Error> {
    if reports.is_empty() {
        return Err(Error::work("there is nothing to check in this package"));
    }
    let wrong: u64 = reports.iter().map(|report| report.wrong).sum();
    let bad: Vec<String> = reports
        .iter()
        .filter(|report| !report.passes())
        .map(|report| format!("{} ({})", report.tunable, report.problem))
        .collect();
    match (wrong, bad.is_empty()) {
        (_, true) => Ok(()),
        (0, _) => Err(Error::work(format!(
            "nothing was right of {}",
            bad.join(", ")
        ))),
        (1, _) => Err(Error::work(format!(
            "1 config is wrong: {}",
            bad.join(", ")
        ))),
        _ => Err(Error::work(format!(
            "{wrong} configs are wrong: {}",
            bad.join(", ")
        ))),
    }
}

/// A line of the table, under its head where that is wanted, and what is to be said of it.
fn text(report: &Report, head: bool) -> String {
    let mut out = String::new();
    let Report {
        tunable, device, ..
    } = report;
    if head {
        let _ = writeln!(out, "{tunable} on {device}, seed {}\n", report.seed);
        let _ = writeln!(
            out,
            "{:>10} {:>8} {:>6} {:>6} {:>7} {:>10} {:>6} {:>8}  problem",
            "valid", "configs", "right", "wrong", "failed", "unchecked", "runs", "seconds"
        );
    }
    let _ = writeln!(
        out,
        "{:>10} {:>8} {:>6} {:>6} {:>7} {:>10} {:>6} {:>8.1}  {}",
        report.valid,
        report.configs,
        report.right,
        report.wrong,
        report.failed,
        report.unchecked,
        report.runs,
        report.seconds,
        report.problem
    );
    for fault in &report.failures {
        let sort = if fault.wrong { "wrong" } else { "failed" };
        let _ = writeln!(
            out,
            "  {sort}: {}: {}: {}",
            fault.config, fault.kind, fault.detail
        );
    }
    for note in &report.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    if let Some(error) = &report.error {
        let _ = writeln!(out, "{}", error.trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Fault;

    fn report(right: u64, wrong: u64, failed: u64) -> Report {
        let fault = |sort| Fault {
            config: "TILE=4".to_string(),
            wrong: sort,
            kind: "wrong",
            detail: "c[0] is 1.5, expected 2.0, at n = 1".to_string(),
        };
        let mut failures = vec![fault(true); wrong as usize];
        failures.extend(vec![fault(false); failed as usize]);
        Report {
            tunable: "gemm".to_string(),
            device: "a GPU (sm_80)".to_string(),
            problem: "n=8".to_string(),
            seed: 1,
            valid: 100,
            configs: right + wrong + failed,
            right,
            wrong,
            failed,
            unchecked: 0,
            runs: 8 * right,
            seconds: 0.25,
            failures,
            notes: Vec::new(),
            error: None,
        }
    }

    #[test]
    fn a_wrong_config_fails_the_command_and_one_that_cannot_run_does_not() {
        assert!(verdict(&[report(3, 0, 0), report(2, 0, 1)]).is_ok());
        let said = |reports: &[Report]| verdict(reports).unwrap_err().to_string();
        assert_eq!(said(&[report(3, 1, 0)]), "1 config is wrong: gemm (n=8)");
        assert_eq!(
            said(&[report(3, 0, 0), report(0, 0, 3)]),
            "nothing was right of gemm (n=8)"
        );
        assert!(verdict(&[]).is_err());
    }

    #[test]
    fn each_failure_is_named() {
        let text = text(&report(3, 1, 1), true);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "gemm on a GPU (sm_80), seed 1");
        let words: Vec<&str> = lines[3].split_whitespace().collect();
        assert_eq!(words, ["100", "5", "3", "1", "1", "0", "24", "0.2", "n=8"]);
        assert_eq!(
            lines[4],
            "  wrong: TILE=4: wrong: c[0] is 1.5, expected 2.0, at n = 1"
        );
        assert!(lines[5].starts_with("  failed: TILE=4: "));
    }
}
