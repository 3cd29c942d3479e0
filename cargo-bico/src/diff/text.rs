//! Changes as tables for people and for pull requests.

use super::{Change, Kind, Side};
use crate::config::assignment;
use bico_build::report::columns;
use bico_build::report::time;
use std::fmt::Write;

/// A table for each tunable and device, and how many results changed.
pub(crate) fn for_people(changes: &[Change], same: usize) -> String {
    let mut out = String::new();
    for group in groups(changes) {
        let _ = writeln!(out, "{} on {}\n", group[0].tunable, group[0].device);
        let head = ["problem", "", "config", "time", "interval", "verdict"];
        let mut rows = vec![head.map(String::from).to_vec()];
        for change in group {
            let sides = [("old", &change.old), ("new", &change.new)];
            let sides = sides.map(|(name, side)| Some((name, side.as_ref()?)));
            for (at, (name, side)) in sides.into_iter().flatten().enumerate() {
                let [low, high] = side.interval_seconds.map(time);
                let first = |text: String| if at == 0 { text } else { String::new() };
                rows.push(vec![
                    first(change.problem.clone()),
                    name.to_string(),
                    assignment(&side.config),
                    time(side.seconds),
                    format!("{low} to {high}"),
                    first(verdict(change)),
                ]);
            }
        }
        out += &columns(&rows, 6);
        out.push('\n');
    }
    out + &summary(changes, same) + "\n"
}

/// The same for a pull request.
pub(crate) fn markdown(changes: &[Change], same: usize) -> String {
    let mut out = format!("**bico.lock**: {}\n", summary(changes, same));
    for group in groups(changes) {
        let (tunable, device) = (cell(&group[0].tunable), cell(&group[0].device));
        let _ = writeln!(out, "\n**{tunable}** on {device}\n");
        out += "| problem | old | new | old time | new time | |\n|---|---|---|---|---|---|\n";
        for change in group {
            let config = |side: &Option<Side>| match side {
                Some(side) => cell(&assignment(&side.config)),
                None => "-".to_string(),
            };
            let timed = |side: &Option<Side>| match side {
                Some(side) => {
                    let [low, high] = side.interval_seconds.map(time);
                    format!("{} ({low} to {high})", time(side.seconds))
                }
                None => "-".to_string(),
            };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} |",
                cell(&change.problem),
                config(&change.old),
                config(&change.new),
                timed(&change.old),
                timed(&change.new),
                cell(&verdict(change))
            );
        }
    }
    out
}

fn groups(changes: &[Change]) -> impl Iterator<Item = &[Change]> {
    changes.chunk_by(|a, b| (&a.tunable, &a.device) == (&b.tunable, &b.device))
}

/// `another winner, 12.3 % less time; changed: source`
fn verdict(change: &Change) -> String {
    let what = match change.kind {
        Kind::Added => "added",
        Kind::Removed => "removed",
        Kind::Winner => "another winner",
        Kind::Again => "the same winner",
    };
    let mut text = what.to_string();
    if let (Some(old), Some(new)) = (&change.old, &change.new) {
        text += &match change.within_noise {
            _ if old.seconds == new.seconds && old.timed == new.timed => {
                ", the same time".to_string()
            }
            None => ", times of another kind".to_string(),
            Some(true) => format!(", {} (within noise)", share(old, new)),
            Some(false) => format!(", {}", share(old, new)),
        };
    }
    if !change.kernel.is_empty() {
        text += &format!("; changed: {}", change.kernel.join(", "));
    }
    text
}

/// `12.3 % less time`
fn share(old: &Side, new: &Side) -> String {
    let percent = 100.0 * (new.seconds / old.seconds - 1.0);
    match percent < 0.0 {
        true => format!("{:.1} % less time", -percent),
        false => format!("{percent:.1} % more time"),
    }
}

/// `2 other winners, 1 added; 7 unchanged`
fn summary(changes: &[Change], same: usize) -> String {
    let kinds = [
        (Kind::Winner, "with another winner"),
        (Kind::Again, "with the same winner"),
        (Kind::Added, "added"),
        (Kind::Removed, "removed"),
    ];
    let counts = kinds.map(|(kind, name)| {
        let count = changes.iter().filter(|change| change.kind == kind).count();
        (count > 0).then(|| format!("{count} {name}"))
    });
    let counts = counts.into_iter().flatten();
    let counts: Vec<String> = counts.chain([format!("{same} unchanged")]).collect();
    counts.join(", ")
}

/// A text in a cell of Markdown. The lock holds neither line ends nor backslashes.
fn cell(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let special = matches!(c, '|' | '*' | '_' | '<' | '[' | '#' | '`');
            special.then_some('\\').into_iter().chain([c])
        })
        .collect()
}
