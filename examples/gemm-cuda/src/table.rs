//! Trails as tables for people.

use crate::trail::{Trail, Trial};
use std::fmt::Write;

/// Two searches side by side, a line per evaluation.
pub fn side_by_side(left: (&str, &Trail), right: (&str, &Trail)) -> String {
    let mut out = String::new();
    let columns = [left, right].map(|(name, trail)| column(name, &trail.trials));
    let width = width(&columns[0]);
    let nothing = String::new();
    for line in 0..columns[0].len().max(columns[1].len()) {
        let [left, right] = [0, 1].map(|side: usize| columns[side].get(line).unwrap_or(&nothing));
        let gap = width - left.chars().count();
        let _ = writeln!(out, "{}", format!("{left}{:gap$}   {right}", "").trim_end());
    }
    out
}

/// The lines of one search, its name on top.
fn column(name: &str, trials: &[Trial]) -> Vec<String> {
    let mut lines = vec![
        name.to_string(),
        format!(
            "{:>6} {:>12} {:>8} {:>10} {:>4}  {}",
            "Budget", "Latency", "TFLOP/s", "Best", "Sink", "Config"
        ),
    ];
    lines.extend(trials.iter().enumerate().map(|(at, trial)| {
        let time = match &trial.time {
            Ok(seconds) => milliseconds(*seconds),
            Err(failure) => failure.replace('_', " "),
        };
        format!(
            "{:>6} {time:>12} {:>8} {:>10} {:>4}  {}",
            at + 1,
            trial.flops_per_second.map_or("-".into(), teraflops),
            trial.best.map_or("-".into(), milliseconds),
            trial.sink,
            trial.config,
        )
    }));
    lines
}

fn width(lines: &[String]) -> usize {
    let widths = lines.iter().map(|line| line.chars().count());
    widths.max().unwrap_or(0)
}

/// What each strategy found, and how much faster than it the last one's is.
pub fn summary(searches: &[(&str, &Trail)]) -> String {
    let best: Vec<Option<&Trial>> = searches.iter().map(|(_, trail)| fastest(trail)).collect();
    let last = best.last().copied().flatten();
    let name = searches.last().map_or("", |(name, _)| name);
    let mut out = format!(
        "{:<12} {:>6} {:>12} {:>8}  {:<12} {name} is faster by\n",
        "Strategy", "Budget", "Best", "TFLOP/s", "Config"
    );
    for ((name, trail), best) in searches.iter().zip(&best) {
        let spent = trail.trials.len();
        let Some((best, time)) = best.and_then(|best| Some((best, *best.time.as_ref().ok()?)))
        else {
            let _ = writeln!(out, "{name:<12} {spent:>6} {:>12}", "none ran");
            continue;
        };
        let factor = last.and_then(|last| Some(time / last.time.as_ref().ok()?));
        let _ = writeln!(
            out,
            "{name:<12} {spent:>6} {:>12} {:>8}  {:<12} {}",
            milliseconds(time),
            best.flops_per_second.map_or("-".into(), teraflops),
            best.config,
            factor.map_or("-".into(), |factor| format!("{factor:.2}x")),
        );
    }
    out
}

fn fastest(trail: &Trail) -> Option<&Trial> {
    let ran = trail.trials.iter().filter(|trial| trial.time.is_ok());
    let time = |trial: &Trial| trial.time.as_ref().map_or(f64::INFINITY, |time| *time);
    ran.min_by(|a, b| time(a).total_cmp(&time(b)))
}

/// `9.823 ms`
pub fn milliseconds(seconds: f64) -> String {
    format!("{:.3} ms", seconds * 1e3)
}

/// `10.49`
pub fn teraflops(per_second: f64) -> String {
    format!("{:.2}", per_second * 1e-12)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(times: &[Result<f64, &str>]) -> Trail {
        let mut best = None;
        let trials = times.iter().map(|time| {
            let time = time.map_err(str::to_string);
            if let Ok(time) = time {
                best = Some(best.map_or(time, |best: f64| best.min(time)));
            }
            Trial {
                config: "8x32x4".into(),
                flops_per_second: time.as_ref().ok().map(|time| 1e11 / time),
                time,
                best,
                sink: 1,
            }
        });
        Trail {
            device: "a GPU".into(),
            problem: "m=1".into(),
            trials: trials.collect(),
        }
    }

    #[test]
    fn searches_of_different_lengths_stand_side_by_side() {
        let (guided, random) = (trail(&[Ok(0.01)]), trail(&[Err("out_of_bounds"), Ok(0.02)]));
        let table = side_by_side(("guided", &guided), ("random", &random));
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 4);
        let right = lines[0].find("random").unwrap();
        assert_eq!(lines[1][..right].trim(), lines[1][right..].trim());
        assert_eq!(
            lines[2].split_whitespace().collect::<Vec<_>>(),
            [
                "1", "10.000", "ms", "10.00", "10.000", "ms", "1", "8x32x4", "1", "out", "of",
                "bounds", "-", "-", "1", "8x32x4"
            ]
        );
        assert!(lines[3][..right].trim().is_empty());
        assert!(
            lines[3].contains("20.000 ms     5.00  20.000 ms"),
            "{table}"
        );
    }

    #[test]
    fn the_summary_compares_with_the_last() {
        let searches = [
            trail(&[Err("crash")]),
            trail(&[Ok(0.02), Ok(0.015)]),
            trail(&[Ok(0.01)]),
        ];
        let names = ["sequential", "random", "guided"];
        let pairs: Vec<_> = names.into_iter().zip(&searches).collect();
        let text = summary(&pairs);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("guided is faster by"));
        assert!(lines[1].ends_with("none ran"), "{text}");
        assert!(lines[2].ends_with("1.50x"), "{text}");
        assert!(lines[3].ends_with("1.00x"), "{text}");
    }
}
