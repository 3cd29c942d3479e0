//! The whole file.

use super::text::{counted, escaped};
use super::{Report, section};
use std::fmt::Write;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// What the browser may load: nothing that is not in the file.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The report as HTML. The same trails and lock give the same bytes.
pub(crate) fn html(report: &Report) -> String {
    let package = escaped(&report.package);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>How {package} was tuned</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">To the results</a>\n\
         <header>\n<h1>How {package} was tuned</h1>\n<p>{}</p>\n",
        summary(report)
    );
    if report.tunables.iter().any(|of| of.searches.is_empty()) {
        out += "<p class=\"note\">The charts are made of the trails of searches, which stay in the target folder of the machine that tuned. Where one is missing, run \
                <code>cargo bico report</code> there, or tune on a machine with the device.</p>\n";
    }
    out += &contents(report);
    out += "</header>\n<main id=\"main\">\n";
    for (number, tunable) in report.tunables.iter().enumerate() {
        out += &section::tunable(tunable, &place(number));
    }
    let _ = write!(
        out,
        "</main>\n<footer><p>Made by <code>cargo bico report</code> from bico.lock and the trails of searches. Times are medians of a call.</p></footer>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    );
    out
}

fn place(number: usize) -> String {
    format!("tunable-{number}")
}

fn summary(report: &Report) -> String {
    let tunables = &report.tunables;
    let searches: usize = tunables.iter().map(|of| of.searches.len()).sum();
    let mut devices: Vec<&str> = Vec::new();
    for tunable in tunables {
        devices.extend(tunable.kernel.keys().map(|key| key.as_str()));
    }
    devices.sort_unstable();
    devices.dedup();
    let searched = match searches {
        0 => "no trail of a search is here".to_string(),
        1 => "the trail of 1 search is here".to_string(),
        more => format!("the trails of {more} searches are here"),
    };
    let known = match devices.len() {
        0 => "bico.lock has nothing of them".to_string(),
        count => format!("bico.lock has winners on {}", counted(count, "device")),
    };
    format!(
        "{}; {known}; {searched}. bico compiles a kernel in many ways (configs), measures some, \
         and keeps the fastest that gives right results.",
        counted(tunables.len(), "tunable kernel")
    )
}

/// Links to the tunables and searches.
fn contents(report: &Report) -> String {
    let mut out = "<nav aria-label=\"Contents\"><ul>\n".to_string();
    for (number, tunable) in report.tunables.iter().enumerate() {
        let place = place(number);
        let _ = write!(
            out,
            "<li><a href=\"#{place}\">{}</a>",
            escaped(&tunable.key)
        );
        if !tunable.searches.is_empty() {
            out += "<ul>";
            for (at, search) in tunable.searches.iter().enumerate() {
                let (problem, device) = (escaped(&search.problem), escaped(&search.device));
                let _ = write!(
                    out,
                    "<li><a href=\"#{place}-search-{at}\">{problem}, on {device}</a></li>"
                );
            }
            out += "</ul>";
        }
        out += "</li>\n";
    }
    out += "</ul></nav>\n";
    out
}
