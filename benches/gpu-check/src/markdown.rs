//! The report for people.

use crate::compare::TUNED;
use crate::compare::record::Comparison;
use crate::goals::TIE;
use crate::report::{Outcome, Report};
use crate::trail::Searched;
use std::fmt::Write;

/// The whole text.
pub(crate) fn text(report: &Report) -> String {
    let mut out = String::new();
    let device = match report.machine.device.as_str() {
        "" => "no GPU",
        device => device,
    };
    let _ = writeln!(out, "# GPU check: {device}, {}\n", report.date);
    if report.self_test {
        out.push_str(
            "**Self-test on the host driver: not run on a GPU. No time below is that of any GPU; problems and budgets are small.**\n\n",
        );
    }
    let _ = writeln!(
        out,
        "`{}`: {:.0} s of {} s, {} of {} steps failed. Random inputs by seed {}.\n",
        report.command,
        report.seconds,
        report.limit_seconds,
        report.failed(),
        report.steps.len(),
        report.seed
    );
    goals(&mut out, report);
    steps(&mut out, report);
    machine(&mut out, report);
    searched(&mut out, "Tuned", &report.tuned);
    checks(&mut out, report);
    comparisons(&mut out, report);
    if let Some(profile) = &report.profile {
        let _ = writeln!(out, "## Profiled\n\n```text\n{profile}\n```\n");
    }
    searched(&mut out, "One space, three strategies", &report.strategies);
    if let Some(tables) = &report.strategy_tables {
        let _ = writeln!(out, "```text\n{}\n```\n", tables.trim_end());
    }
    if !report.sampled.is_empty() {
        searched(&mut out, "A search beside a sample", &report.sampled);
    }
    if let Some(launch) = &report.launch {
        let _ = writeln!(out, "## Dispatch\n\n`bico-bench launch`: `{launch}`\n");
    }
    if !report.self_test {
        out.push_str("## Files\n\n");
        let rows = report.files.iter();
        let rows = rows.map(|(file, place)| vec![file.clone(), format!("`{place}`")]);
        table(&mut out, &["file", "in the repository"], rows);
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

fn goals(out: &mut String, report: &Report) {
    out.push_str("## Goals\n\nA goal is a ratio of median times, the other's by the kernel's.\n\n");
    let rows = report.goals.iter().map(|goal| {
        let measured = goal
            .measured
            .map_or("-".to_string(), |ratio| format!("{ratio:.3}"));
        vec![
            goal.kernel.clone(),
            goal.goal.clone(),
            goal.sizes.clone(),
            format!("{:.2}", goal.least),
            measured,
            goal.verdict.to_string(),
        ]
    });
    table(
        out,
        &["kernel", "goal", "sizes", "at least", "measured", ""],
        rows,
    );
    if report.goals.iter().any(|goal| goal.verdict == TIE) {
        out.push_str(
            "A tie: the middle halves of both times overlap, so neither order is shown to be faster. What each order \
             should bring from memory is said under \"Compared\" and, where NVIDIA's profiler is there, what it did bring under \"Profiled\".\n\n",
        );
    }
}

fn steps(out: &mut String, report: &Report) {
    out.push_str("## Steps\n\n");
    let rows = report.steps.iter().map(|step| {
        let (outcome, why) = match &step.outcome {
            Outcome::Passed => ("passed", ""),
            Outcome::Failed(why) => ("**FAILED**", why.as_str()),
            Outcome::Skipped(why) => ("skipped", why.as_str()),
        };
        vec![
            step.name.clone(),
            outcome.to_string(),
            format!("{:.1}", step.seconds),
            why.to_string(),
        ]
    });
    table(out, &["step", "", "seconds", ""], rows);
}

fn machine(out: &mut String, report: &Report) {
    out.push_str("## Machine\n\n");
    let machine = &report.machine;
    let facts = machine
        .facts
        .iter()
        .map(|(name, value)| (name.clone(), value.to_string()));
    let own = [
        ("newest CUDA of the driver", machine.cuda.clone()),
        ("CUDA compiler", machine.compiler.clone()),
        (
            "cuBLAS",
            match (&report.cublas, &report.no_cublas) {
                (Some(version), _) => version.clone(),
                (None, Some(why)) => format!("not compared: {why}"),
                (None, None) => "-".to_string(),
            },
        ),
    ];
    let own = own
        .into_iter()
        .map(|(name, value)| (name.to_string(), value));
    let all = own.chain(facts).chain(report.nvidia_smi.iter().cloned());
    table(out, &["", ""], all.map(|(name, value)| vec![name, value]));
}

fn searched(out: &mut String, title: &str, searches: &[Searched]) {
    let _ = writeln!(out, "## {title}\n");
    if searches.is_empty() {
        out.push_str("Nothing.\n\n");
        return;
    }
    let over = |searched: &Searched, seconds: Option<f64>| {
        seconds.map_or("-".to_string(), |seconds| {
            format!("{:.2}", seconds / searched.winner)
        })
    };
    let rows = searches.iter().map(|searched| {
        let failures = searched.failures.iter();
        let failures: Vec<String> = failures
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        vec![
            searched.kernel.clone(),
            searched.problem.clone(),
            searched.strategy.clone(),
            searched.space.to_string(),
            searched.evaluations.to_string(),
            failures.join(", "),
            milliseconds(searched.winner),
            over(searched, searched.first),
            over(searched, searched.ranked),
            searched
                .rank_correlation
                .map_or("-".to_string(), |correlation| format!("{correlation:.2}")),
            searched.verified.clone(),
            format!("`{}`", searched.config),
        ]
    });
    let head = [
        "kernel",
        "problem",
        "strategy",
        "configs",
        "measured",
        "failed",
        "winner, ms",
        "first / winner",
        "top-ranked / winner",
        "rank correlation",
        "verified",
        "winner",
    ];
    table(out, &head, rows);
}

fn checks(out: &mut String, report: &Report) {
    out.push_str(
        "## Checked\n\nOn fresh random inputs and poisoned outputs, against references in double precision: winners at small awkward sizes, then every config that is compared below, at those sizes.\n\n",
    );
    let rows = report.winners.iter().map(|winner| {
        vec![
            winner.tunable.clone(),
            format!("winner of ({})", winner.problem),
            winner.runs.to_string(),
            winner.wrong.to_string(),
            winner.failed.to_string(),
        ]
    });
    let mut compared: Vec<(&str, &str)> = Vec::new();
    for check in &report.checks {
        let at = (check.kernel.as_str(), check.sizes.as_str());
        if !compared.contains(&at) {
            compared.push(at);
        }
    }
    let compared = compared.into_iter().map(|(kernel, sizes)| {
        let own = report
            .checks
            .iter()
            .filter(|check| (check.kernel.as_str(), check.sizes.as_str()) == (kernel, sizes));
        let right = own.clone().filter(|check| check.wrong.is_none()).count();
        let wrong = own.count() - right;
        vec![
            kernel.to_string(),
            format!("at ({sizes})"),
            right.to_string(),
            wrong.to_string(),
            "0".to_string(),
        ]
    });
    table(
        out,
        &["kernel", "what", "right", "wrong", "could not run"],
        rows.chain(compared),
    );
    for winner in &report.winners {
        for failure in &winner.failures {
            let _ = writeln!(out, "- {} ({}): {failure}", winner.tunable, winner.problem);
        }
    }
    for check in &report.checks {
        if let Some(why) = &check.wrong {
            let _ = writeln!(
                out,
                "- {} ({}), {}: {why}",
                check.kernel, check.sizes, check.config
            );
        }
    }
    out.push('\n');
}

fn comparisons(out: &mut String, report: &Report) {
    out.push_str(
        "## Compared\n\nContenders take turns on one stream; the second-level cache is flushed before each run; medians, and between which a half of the times lies.\n\n",
    );
    for comparison in &report.comparisons {
        let _ = writeln!(out, "### {} ({})\n", comparison.kernel, comparison.sizes);
        let rows = comparison.contenders.iter().map(|timed| {
            let mut row = vec![
                timed.name.clone(),
                milliseconds(timed.median),
                format!(
                    "{} .. {}",
                    milliseconds(timed.low),
                    milliseconds(timed.high)
                ),
                timed.samples.to_string(),
                rate(comparison, timed.median),
                comparison
                    .over_tuned(&timed.name)
                    .map_or("-".into(), |ratio| format!("{ratio:.3}")),
            ];
            if !comparison.traffic.is_empty() {
                row.extend(moved(comparison, &timed.name));
            }
            row.push(timed.detail.clone());
            row
        });
        let mut head = vec!["", "median, ms", "half within", "runs", "rate", "by tuned"];
        if !comparison.traffic.is_empty() {
            head.extend(MOVED);
        }
        head.push("");
        table(out, &head, rows);
        if !comparison.traffic.is_empty() {
            out.push_str(
                "By the model of the second-level cache, of which the ranking is made, and the blocks that a multiprocessor holds; all tensors once are ",
            );
            let _ = writeln!(out, "{:.3} GB.\n", comparison.bytes * 1e-9);
        }
        for note in &comparison.notes {
            let _ = writeln!(out, "- {note}");
        }
        if comparison.of(TUNED).is_none() {
            out.push_str("- the tuned kernel is missing\n");
        }
        if !comparison.notes.is_empty() {
            out.push('\n');
        }
    }
}

/// Columns for what the model predicts.
const MOVED: [&str; 4] = [
    "blocks per multiprocessor",
    "from the cache, GB",
    "memory, GB",
    "memory at its full rate, ms",
];

fn moved(comparison: &Comparison, name: &str) -> [String; 4] {
    let found = comparison.traffic.iter().find(|(of, _)| of == name);
    let Some((_, traffic)) = found else {
        return MOVED.map(|_| "-".to_string());
    };
    [
        traffic.resident.to_string(),
        format!("{:.3}", traffic.requested_bytes * 1e-9),
        format!("{:.3}", traffic.device_bytes * 1e-9),
        milliseconds(traffic.device_seconds),
    ]
}

/// Operations per second, or bytes per second if each buffer moves once.
fn rate(comparison: &Comparison, seconds: f64) -> String {
    match comparison.flops {
        Some(flops) => format!("{:.2} TFLOP/s", flops / seconds * 1e-12),
        None => format!("{:.1} GB/s", comparison.bytes / seconds * 1e-9),
    }
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.4}", seconds * 1e3)
}

fn table(out: &mut String, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let line = |cells: Vec<String>| {
        let cells = cells
            .into_iter()
            .map(|cell| cell.replace('|', "\\|").replace('\n', " "));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let _ = write!(
        out,
        "{}",
        line(head.iter().map(|cell| cell.to_string()).collect())
    );
    let _ = writeln!(out, "|{}", "---|".repeat(head.len()));
    for row in rows {
        out.push_str(&line(row));
    }
    out.push('\n');
}
