//! `cargo bico check`.

mod perf;

use super::package::Kernels;
use crate::Error;
use crate::check::{Asked, Report, check};
use crate::out::out;
use crate::package::make_target;
use bico_build::env::Mode;
use std::fmt::Write;

/// Verifies configs of a package's kernels on this machine's devices, or compares winners' speed with bico.lock.
///
/// Each config runs at awkward sizes (0, 1, primes, one off a tile, beyond 16 bits), on inputs of its own seed, and is
/// compared with the reference; nothing is written to bico.lock. A config that is wrong, writes outside its
/// buffers, crashes or hangs fails the command; one that does not compile or cannot be launched here does
/// not, unless none is left.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico check                         ten configs of each kernel
  cargo bico check --winners --strict      what bico.lock holds, at every awkward size
  cargo bico check --perf                  whether winners are as fast as bico.lock says
  cargo bico check gemm --problem m=129,n=257 --seed 7")]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Kernels,
    #[command(flatten)]
    asked: Asked,
    /// Compare winners' times with those of their references in place of verifying: fails with status 1 where one
    /// became slower, 3 where the machine is too noisy to tell
    #[arg(long, conflicts_with_all = ["configs", "winners", "problem", "problems", "large", "seed", "strict"])]
    perf: bool,
    /// Fail, too, where sizes were left out that the reference cannot take, or a config allows none
    #[arg(long)]
    strict: bool,
    /// JSON, one object for each tunable, problem and device
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let env = arguments.package.env(Mode::Tune)?;
    make_target(&env)?;
    if arguments.perf {
        return perf::run(&env, &arguments.package.only(), arguments.json);
    }
    let mut reports: Vec<Report> = Vec::new();
    let mut written = Ok(());
    let (only, asked) = (&arguments.package.only(), &arguments.asked);
    let ended = check(&env, only, asked, &mut |report| {
        if !arguments.json {
            let is_beside =
                |last: &Report| last.tunable == report.tunable && last.device == report.device;
            let head = !reports.last().is_some_and(is_beside);
            if written.is_ok() {
                written = out(text(report, head));
            }
        }
        reports.push(report.clone());
    });
    if arguments.json {
        let text = serde_json::to_string_pretty(&reports).map_err(Error::work)?;
        out(&(text + "\n"))?;
    }
    ended?;
    written?;
    verdict(&reports, arguments.strict)
}

/// What to do about wrong configs.
const WRONG: &str = "mend the kernel, or keep them out by `require(..)`; then `cargo bico tune` measures what bico.lock needs";

/// What the command says in the end, if it fails.
fn verdict(reports: &[Report], strict: bool) -> Result<(), Error> {
    if reports.is_empty() {
        let error = Error::work("there is nothing to check in this package");
        return Err(error.help(crate::package::NO_TUNABLE));
    }
    let wrong: u64 = reports.iter().map(|report| report.wrong).sum();
    // What passes has something that is right, and nothing that is wrong.
    let is_bad = |r: &&Report| r.error.is_some() || r.wrong > 0 || r.right == 0;
    let bad = reports.iter().filter(is_bad);
    // Nor has an empty space.
    let has_more = bad.clone().any(|report| report.configs < report.valid);
    let is_unchecked = |r: &&Report| r.unchecked > 0 && r.unchecked == r.configs;
    let names = |of: &mut dyn Iterator<Item = &Report>| {
        let names = of.map(|report| format!("{} ({})", report.tunable, report.problem));
        names.collect::<Vec<_>>().join(", ")
    };
    let bad = names(&mut bad.into_iter());
    let unchecked = names(&mut reports.iter().filter(is_unchecked));
    let open = |report: &&Report| strict && (report.incomplete || report.unchecked > 0);
    let open = names(&mut reports.iter().filter(open));
    let (text, help) = match wrong {
        _ if bad.is_empty() && !open.is_empty() => (
            format!("not checked at every size: {open}"),
            "let `require(..)` allow more sizes, or leave `--strict` out",
        ),
        _ if bad.is_empty() => return Ok(()),
        0 if unchecked == bad => (
            format!("no size was checked of {bad}"),
            "name some: `cargo bico check --problem n=64`, or `--problems` for the attribute's own",
        ),
        0 if !has_more => (
            format!("no config was right: {bad}"),
            "what failed is said above; there are no other configs",
        ),
        0 => (
            format!("no config was right: {bad}"),
            "what failed is said above; `cargo bico check --configs 100` tries more",
        ),
        1 => (format!("1 config is wrong: {bad}"), WRONG),
        _ => (format!("{wrong} configs are wrong: {bad}"), WRONG),
    };
    Err(Error::Work(text).help(help))
}

/// Cells in columns of the table.
fn row(cells: &[String], last: &str) -> String {
    let widths = [10, 8, 6, 6, 7, 10, 6, 8];
    let cells = cells.iter().zip(widths);
    let cells = cells.map(|(cell, width)| format!("{cell:>width$} "));
    format!("{} {last}\n", cells.collect::<String>())
}

/// A line of the table, under its head where that is wanted, and what is to be said of it.
fn text(report: &Report, head: bool) -> String {
    let mut out = String::new();
    if head {
        let (tunable, device, seed) = (&report.tunable, &report.device, report.seed);
        let _ = writeln!(out, "{tunable} on {device}, seed {seed}\n");
        let names = [
            "valid",
            "configs",
            "right",
            "wrong",
            "failed",
            "unchecked",
            "runs",
            "seconds",
        ];
        out += &row(&names.map(String::from), "problem");
    }
    let counts = [
        report.valid,
        report.configs,
        report.right,
        report.wrong,
        report.failed,
        report.unchecked,
        report.runs,
    ];
    let mut cells = counts.map(|count| count.to_string()).to_vec();
    cells.push(format!("{:.1}", report.seconds));
    out += &row(&cells, &report.problem);
    for fault in &report.failures {
        let sort = if fault.wrong { "wrong" } else { "failed" };
        let (config, kind, detail) = (&fault.config, fault.kind, &fault.detail);
        let _ = writeln!(out, "  {sort}: {config}: {kind}: {detail}");
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
    use crate::check::report::Fault;

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
            incomplete: false,
            runs: 8 * right,
            seconds: 0.25,
            failures,
            notes: Vec::new(),
            error: None,
        }
    }

    #[test]
    fn a_wrong_config_fails_the_command_and_one_that_cannot_run_does_not() {
        assert!(verdict(&[report(3, 0, 0), report(2, 0, 1)], true).is_ok());
        let first = |error: Error| error.to_string().lines().next().unwrap().to_string();
        let said = |reports: &[Report]| {
            let error = verdict(reports, false).unwrap_err();
            assert!(error.to_string().contains("\n  = help: "));
            first(error)
        };
        assert_eq!(said(&[report(3, 1, 0)]), "1 config is wrong: gemm (n=8)");
        assert_eq!(
            said(&[report(3, 0, 0), report(0, 0, 3)]),
            "no config was right: gemm (n=8)"
        );
        let unchecked = Report {
            unchecked: 3,
            configs: 3,
            ..report(0, 0, 0)
        };
        assert_eq!(
            said(std::slice::from_ref(&unchecked)),
            "no size was checked of gemm (n=8)"
        );
        assert_eq!(
            said(&[unchecked, report(0, 0, 3)]),
            "no config was right: gemm (n=8), gemm (n=8)"
        );
        assert!(verdict(&[], false).is_err());
        // More are tried only where there are more.
        for (valid, tries) in [(100, true), (3, false), (0, false)] {
            let all = Report {
                valid,
                ..report(0, 0, 3)
            };
            let error = verdict(&[all], false).unwrap_err().to_string();
            assert_eq!(error.contains("--configs 100"), tries, "{error}");
        }
        let left = Report {
            incomplete: true,
            ..report(3, 0, 0)
        };
        assert!(verdict(std::slice::from_ref(&left), false).is_ok());
        let strict = verdict(&[report(1, 0, 0), left], true).unwrap_err();
        assert_eq!(first(strict), "not checked at every size: gemm (n=8)");
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
