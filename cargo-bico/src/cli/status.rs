//! `cargo bico status`.

use super::package::Package;
use crate::Error;
use crate::names::{LOCKED, known};
use crate::out::{line, out};
use crate::status::{Row, State, Survey};
use bico_build::env::Mode;
use bico_build::report::columns;
use serde::Serialize;
use std::collections::BTreeSet;

/// Says whether bico.lock still fits the sources. Needs no device and no compiler.
///
/// A result is `stale` when the kernel's source, what that includes, its space, launch, verification or flags
/// changed since it was tuned, `faulty` when it names a config outside of the space; a problem is `missing` when no
/// device has a result of it. Each of these fails the command (status 1). A result is `outdated` when an older bico verified it,
/// `unused` when its tunable or problem is gone: these are warnings.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico status           in CI: fails where a result is stale, faulty or missing
  cargo bico status --prune   removes results that nothing asks for")]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Package,
    /// List fresh results, too
    #[arg(long)]
    all: bool,
    /// Remove unused results from bico.lock
    #[arg(long)]
    prune: bool,
    /// JSON: how many there are of each kind, and every result
    #[arg(long)]
    json: bool,
}

/// The JSON.
#[derive(Serialize)]
struct Report<'a> {
    counts: serde_json::Map<String, serde_json::Value>,
    results: &'a [Row],
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let survey = Survey::new(arguments.package.env(Mode::Off)?)?;
    let mut rows = survey.rows()?;
    let only = &arguments.package.only;
    known(LOCKED, "tunable", only, survey.tunables())?;
    rows.retain(|row| only.is_empty() || only.contains(&row.tunable));
    if arguments.prune {
        survey.prune(&rows)?;
    }
    if arguments.json {
        let count = |state: State| (state.name().to_string(), count(&rows, state).into());
        let report = Report {
            counts: State::ALL.map(count).into_iter().collect(),
            results: &rows,
        };
        let text = serde_json::to_string_pretty(&report).map_err(Error::work)?;
        line(&text)?;
    } else {
        out(text(&rows, arguments.all))?;
    }
    match count(&rows, State::Unused) {
        0 => {}
        1 if arguments.prune => eprintln!("removed 1 unused result from bico.lock"),
        unused if arguments.prune => eprintln!("removed {unused} unused results from bico.lock"),
        unused => {
            let are = if unused == 1 {
                " of bico.lock is"
            } else {
                "s of bico.lock are"
            };
            eprintln!(
                "warning: {unused} result{are} unused: `cargo bico status --prune` removes what nothing asks for"
            );
        }
    }
    verdict(&rows)
}

fn count(rows: &[Row], state: State) -> usize {
    rows.iter().filter(|row| row.state == state).count()
}

/// `3 fresh, 1 stale`: the kinds that there are.
fn counts(rows: &[Row], which: impl Fn(State) -> bool) -> String {
    let states = State::ALL.into_iter().filter(|state| which(*state));
    let counts = states.map(|state| (count(rows, state), state.name()));
    let counts = counts.filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    counts.join(", ")
}

/// A line for each result that is not fresh, or for all, and how many there are of each kind.
fn text(rows: &[Row], all: bool) -> String {
    if rows.is_empty() {
        return "there is nothing to tune in this package\n".to_string();
    }
    let shown = rows.iter().filter(|row| all || row.state != State::Fresh);
    let cells = shown.map(|row| {
        let cells = [
            row.state.name(),
            &row.tunable,
            &row.problem,
            row.device.as_deref().unwrap_or("-"),
            row.note.as_deref().unwrap_or_default(),
        ];
        cells.map(String::from).to_vec()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let gap = if cells.is_empty() { "" } else { "\n" };
    format!("{}{gap}{}\n", columns(&cells, 5), counts(rows, |_| true))
}

/// What the command says in the end, if it fails.
fn verdict(rows: &[Row]) -> Result<(), Error> {
    let failing = counts(rows, State::fails);
    if failing.is_empty() {
        return Ok(());
    }
    let devices = rows.iter().filter(|row| row.state.fails());
    let devices = BTreeSet::from_iter(devices.filter_map(|row| row.device.as_deref()));
    let place = match devices.is_empty() {
        true => "a machine with the device".to_string(),
        false => Vec::from_iter(devices).join(", and on "),
    };
    Err(Error::Work(format!(
        "bico.lock does not fit the sources: {failing}\n  = help: run `cargo bico tune` on {place}; commit bico.lock"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(tunable: &str, device: Option<&str>, state: State, note: &str) -> Row {
        Row {
            tunable: tunable.to_string(),
            device: device.map(String::from),
            problem: "n=8".to_string(),
            state,
            changed: Vec::new(),
            note: (!note.is_empty()).then(|| note.to_string()),
        }
    }

    #[test]
    fn what_is_not_fresh_is_listed_and_fails() {
        let rows = [
            row("gemm", Some("cpu"), State::Fresh, ""),
            row(
                "glu",
                Some("NVIDIA H100 (sm_90)"),
                State::Stale,
                "changed: flags",
            ),
            row("glu", Some("cpu"), State::Outdated, "old"),
            row("new", None, State::Missing, "none"),
        ];
        let expected = "\
stale     glu  n=8  NVIDIA H100 (sm_90)  changed: flags
outdated  glu  n=8  cpu                  old
missing   new  n=8  -                    none

1 fresh, 1 outdated, 1 stale, 1 missing
";
        assert_eq!(text(&rows, false), expected);
        let all = text(&rows, true);
        assert!(all.starts_with("fresh     gemm  n=8  cpu\n"), "{all}");
        assert_eq!(text(&rows[..1], false), "1 fresh\n");
        assert_eq!(
            text(&[], false),
            "there is nothing to tune in this package\n"
        );

        let said = |rows: &[Row]| verdict(rows).unwrap_err().to_string();
        assert_eq!(
            said(&rows),
            "bico.lock does not fit the sources: 1 stale, 1 missing\n  = help: run `cargo bico tune` on NVIDIA H100 (sm_90); commit bico.lock"
        );
        assert!(said(&rows[3..]).contains("on a machine with the device;"));
        let unused = row("old", Some("cpu"), State::Unused, "");
        assert!(verdict(&[rows[0].clone(), rows[2].clone(), unused]).is_ok());
    }
}
