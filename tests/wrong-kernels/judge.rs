//! What a build made of the kernels, against what the table says.

use crate::harness::Package;
use crate::table::{Row, Today};
use serde_json::Value;

/// What a row of the table says and the build did not do; empty if all is as it says.
pub(crate) fn judge(package: &Package, rows: &[Row]) -> Vec<String> {
    let mut surprises = Vec::new();
    for row in rows {
        let trail = package.trail(row.name);
        let mut surprise = |what: String| {
            surprises.push(format!(
                "{} ({}), {:?}: {what}",
                row.name, row.wrong, row.today
            ));
        };
        if let Some(alarm) = failure(&trail, 0) {
            surprise(format!("its right variant fails: {alarm}"));
        }
        let failed = failure(&trail, 1);
        println!("{:<28} {}", row.name, told(failed.as_deref(), row.today));
        match (&failed, row.today) {
            (Some(why), Today::Caught(reason)) if says(why, reason) => {}
            (None, Today::Open(_) | Today::Never(_)) => {}
            (Some(why), _) => surprise(format!("its wrong variant fails: {why}")),
            (None, _) => surprise(format!(
                "its wrong variant passes: {}",
                package.entries(row.name)
            )),
        }
        // Who is tempted takes the wrong one, or the row shows nothing.
        let expected = u32::from(failed.is_none());
        let winner = &package.winner(row.name)["VARIANT"];
        if *winner != expected {
            surprise(format!("VARIANT = {winner} wins"));
        }
    }
    surprises
}

/// Whether the parts of a reason, which `..` divides, are in a text one after the other.
fn says(text: &str, reason: &str) -> bool {
    let after = |text: &str, part: &str| Some(text.split_once(part)?.1.to_string());
    let mut parts = reason.split("..");
    parts
        .try_fold(text.to_string(), |left, part| after(&left, part))
        .is_some()
}

/// What happened, for people.
fn told(failed: Option<&str>, today: Today) -> String {
    let open = match today {
        Today::Caught(_) => String::new(),
        Today::Open(would) => format!("; what would catch it: {would}"),
        Today::Never(why) => format!("; for ever: {why}"),
    };
    match failed {
        Some(why) => format!("caught: {why}{open}"),
        None => format!("accepted{open}"),
    }
}

/// Why a variant failed, in the words of the trail; `None` if it is right as far as the build saw.
#[track_caller]
fn failure(trail: &[Value], variant: u32) -> Option<String> {
    let rows: Vec<&Value> = trail
        .iter()
        .filter(|row| row["values"]["VARIANT"] == variant)
        .collect();
    assert!(!rows.is_empty(), "VARIANT = {variant} is not in {trail:#?}");
    let failed = rows.iter().find(|row| row["failure"].is_string());
    if failed.is_none() {
        assert!(
            rows.iter().all(|row| row["seconds"].is_number()),
            "{rows:#?}"
        );
    }
    failed.map(|row| {
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        format!("{}: {}", text("failure"), text("detail"))
    })
}
