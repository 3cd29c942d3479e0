//! Results and trails as tables for people.

use super::{Found, Shown};
use crate::config::{assignment, in_order};
use crate::names::plain;
use crate::status::Row as Standing;
use crate::trail::{Ratio, Row, Trail};
use bico_build::report::between;
use bico_build::report::{count, ratio, throughput, time};
use std::fmt::Write;

const HEAD: [&str; 10] = [
    "problem",
    "winner",
    "time",
    "interval",
    "over reference",
    "over first",
    "over ranked",
    "evaluated",
    "verified",
    "state",
];

/// A column that stands where somebody was measured beside the reference.
const OVER_REFERENCE: usize = 4;

/// A table for each tunable and device.
pub(crate) fn table(shown: &[Shown]) -> String {
    let mut out = String::new();
    let same =
        |a: &Shown, b: &Shown| (&a.row.tunable, &a.row.device) == (&b.row.tunable, &b.row.device);
    for group in shown.chunk_by(same) {
        let row = &group[0].row;
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = match &row.device {
            Some(device) => writeln!(out, "{} on {device}\n", row.tunable),
            None => writeln!(out, "{}\n", row.tunable),
        };
        let lines = group.iter().map(|shown| match &shown.found {
            Some(found) => cells(shown, found),
            None => vec![shown.row.problem.clone(), state(&shown.row)],
        });
        let head = group.iter().any(|shown| shown.found.is_some());
        let head = head.then(|| HEAD.map(String::from).to_vec());
        let mut lines: Vec<Vec<String>> = head.into_iter().chain(lines).collect();
        let mut found = group.iter().filter_map(|shown| shown.found.as_ref());
        let has_references = found.any(|found| found.over_reference.is_some());
        let whole = lines.iter_mut().filter(|line| line.len() > OVER_REFERENCE);
        for line in whole.filter(|_| !has_references) {
            line.remove(OVER_REFERENCE);
        }
        out += &between(&lines, 2, if has_references { 8 } else { 7 });
    }
    out
}

fn cells(
    Shown {
        row, parameters, ..
    }: &Shown,
    found: &Found,
) -> Vec<String> {
    let [low, high] = found.interval_seconds.map(time);
    // By the times of the lock: the winner's is that of the finals, the other's may be that of its trial.
    let over = |factor: Option<f64>| match factor {
        None => "-".to_string(),
        Some(1.0) => "itself".to_string(),
        Some(factor) => format!("~{}", ratio(factor)),
    };
    vec![
        row.problem.clone(),
        in_order(&found.config, parameters),
        time(found.seconds),
        format!("{low} to {high}"),
        found.over_reference.map_or_else(|| "-".to_string(), ratio),
        over(found.over_first),
        over(found.over_ranked),
        format!(
            "{} of {}",
            count(found.evaluations),
            count(found.space_size)
        ),
        found.verified.clone(),
        state(row),
    ]
}

/// `stale, changed: source`
fn state(row: &Standing) -> String {
    match &row.note {
        Some(note) => format!("{}, {note}", row.state.name()),
        None => row.state.name().to_string(),
    }
}

/// A table for each search: what each evaluation of the budget brought.
pub(crate) fn trails(tunable: &str, trails: &[Trail]) -> String {
    let mut out = String::new();
    for trail in trails {
        let (problem, device) = (plain(&trail.problem), plain(&trail.device));
        let _ = writeln!(out, "\nthe trail of {tunable} ({problem}) on {device}\n");
        let head = [
            "Budget",
            "Latency",
            "Throughput",
            "Best",
            "Sink",
            "Config",
            "Why",
        ];
        let head = head.map(String::from).to_vec();
        let rows = trail.rows.iter().map(line);
        out += &between(&Vec::from_iter([head].into_iter().chain(rows)), 0, 5);
    }
    out
}

fn line(row: &Row) -> Vec<String> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
    let failure = row.failure.as_ref();
    let failure = failure.map(|kind| plain(&kind.replace('_', " ")));
    let rates = throughput(row.flops_per_second, row.bytes_per_second);
    vec![
        row.evaluation.to_string(),
        or_dash(row.seconds.map(time).or(failure)),
        or_dash(rates),
        or_dash(row.best.map(|best| time(best.seconds))),
        row.sink.to_string(),
        plain(&assignment(&row.values)),
        why(row),
    ]
}

/// Why a config was measured and, where it failed, what is known of that.
fn why(row: &Row) -> String {
    let mut parts = Vec::new();
    if row.kind != "trial" {
        parts.push(plain(&row.kind));
    }
    parts.extend(row.rank.map(|rank| format!("rank {rank}")));
    parts.extend(row.why.as_deref().map(plain));
    parts.extend(row.against.map(|against| {
        let Ratio { middle, low, high } = against.ratio;
        let config = against.config;
        format!("{middle:.3} of the time of config {config} ({low:.3} to {high:.3})")
    }));
    // Of a compiler's words the first line.
    let detail = row.detail.as_deref().and_then(|text| text.lines().next());
    parts.extend(detail.map(plain).filter(|text| !text.is_empty()));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::State;
    use serde_json::json;

    fn shown(problem: &str, found: bool) -> Shown {
        Shown {
            row: Standing {
                tunable: "gemm".to_string(),
                device: found.then(|| "NVIDIA H100 (sm_90)".to_string()),
                problem: problem.to_string(),
                state: if found { State::Stale } else { State::Missing },
                changed: vec!["flags"],
                note: Some("changed: flags".to_string()),
            },
            found: found.then(|| Found {
                config: [
                    ("TILE".to_string(), json!(64)),
                    ("ISA".to_string(), json!("v4")),
                ]
                .into(),
                seconds: 1.5e-3,
                interval_seconds: [1.4e-3, 1.6e-3],
                timed: None,
                over_reference: None,
                over_first: Some(4.13),
                over_ranked: Some(1.0),
                evaluations: 64,
                space_size: 11_520,
                verified: "reference, rules 2".to_string(),
                tested: None,
                strategy: "adaptive".to_string(),
                toolchain: "cc".to_string(),
                source: None,
            }),
            parameters: vec!["TILE".to_string(), "ISA".to_string()],
        }
    }

    #[test]
    fn a_table_for_each_tunable_and_device() {
        let mut bare = shown("n=100000", true);
        bare.found.as_mut().unwrap().over_first = None;
        let text = table(&[shown("n=8", true), bare, shown("n=9", false)]);
        let expected = "\
gemm on NVIDIA H100 (sm_90)

problem   winner             time            interval  over first  over ranked     evaluated  verified            state
n=8       TILE=64 ISA=v4  1.50 ms  1.40 ms to 1.60 ms       ~4.1x       itself  64 of 11,520  reference, rules 2  stale, changed: flags
n=100000  TILE=64 ISA=v4  1.50 ms  1.40 ms to 1.60 ms           -       itself  64 of 11,520  reference, rules 2  stale, changed: flags

gemm

n=9  missing, changed: flags
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_trail_tells_what_each_evaluation_brought() {
        let row = |kind: &str, at: u64, seconds: Option<f64>| {
            let best = json!({ "config": 1, "seconds": 2e-3 });
            let row = json!({
                "problem": "n=8", "device": "cpu\u{1b}", "kind": kind, "evaluation": at,
                "spent": 0.5, "config": 1, "strategy": "guided", "predicted": null,
                "values": { "TILE": 4, "ISA": "v4" }, "rank": 2, "seconds": seconds,
                "failure": seconds.is_none().then_some("out_of_bounds"),
                "detail": seconds.is_none().then_some("c[7]\nand more"),
                "flops_per_second": seconds.map(|seconds| 1e6 / seconds), "best": best, "sink": 1,
            });
            serde_json::from_value::<Row>(row).unwrap()
        };
        let trail = Trail {
            problem: "n=8".to_string(),
            device: "cpu\u{1b}".to_string(),
            hash: None,
            is_outdated: false,
            rows: vec![
                row("baseline", 1, Some(2e-3)),
                row("trial", 2, None),
                row("final", 2, Some(1.9e-3)),
            ],
        };
        let expected = "
the trail of gemm (n=8) on cpu\\u{1b}

Budget        Latency     Throughput     Best  Sink  Config         Why
     1        2.00 ms  500.0 MFLOP/s  2.00 ms     1  ISA=v4 TILE=4  baseline, rank 2
     2  out of bounds              -  2.00 ms     1  ISA=v4 TILE=4  rank 2, c[7]
     2        1.90 ms  526.3 MFLOP/s  2.00 ms     1  ISA=v4 TILE=4  final, rank 2
";
        assert_eq!(trails("gemm", &[trail]), expected);
    }
}
