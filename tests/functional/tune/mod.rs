//! `cargo bico tune` as somebody lives with it.

mod display;
mod manners;
pub(crate) mod resumed;
mod workspace;

use crate::harness::{Output, Package};

/// What a run said on stdout, with numbers and the device's name masked, and without what depends on the machine's mood.
fn masked(package: &Package, output: &Output) -> String {
    let lock = package.lock();
    let device = lock["devices"].as_object().unwrap().keys().next().unwrap();
    let target = package.target().display().to_string();
    let text = output
        .stdout
        .replace(device, "DEVICE")
        .replace(&target, "TARGET");
    // Costs and guarantees.
    let lines = text.lines().filter(|line| !line.starts_with("work: "));
    let lines = lines.map(|line| {
        let end = line.find(" configs measured, ");
        let line = end.map_or(line, |end| &line[..end]);
        numberless(&line.replace("about ", ""))
    });
    lines.map(|line| line + "\n").collect()
}

/// Each number as `#`, also where it is a time with its unit.
fn numberless(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        out += &rest[..at];
        out.push('#');
        rest = &rest[at..];
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
        let number = &rest[..end.unwrap_or(rest.len())];
        rest = &rest[number.trim_end_matches([',', '.']).len()..];
        for unit in [" ns", " µs", " ms", " s"] {
            rest = rest.strip_prefix(unit).unwrap_or(rest);
        }
    }
    out + rest
}
