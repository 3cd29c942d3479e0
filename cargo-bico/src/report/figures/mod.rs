//! The charts of a report, each with what it finds as its title, how to read it, and its data as a table.

mod budget;
mod devices;
mod parameters;
mod prediction;
mod tallies;

pub(super) use budget::{evaluations, seconds};
pub(super) use devices::devices;
pub(super) use parameters::{effects, pair};
pub(super) use prediction::prediction;
pub(super) use tallies::{costs, failures};

use super::chart::{Chart, Ink};
use super::text::escaped;
use crate::names::plain;
use std::fmt::Write;

/// A chart with all that belongs to it.
pub(super) struct Figure {
    /// What it is of, in a word: the name of its place on the page.
    pub(super) name: &'static str,
    /// What it finds.
    pub(super) title: String,
    /// What is drawn how.
    pub(super) legend: Vec<(Ink, String)>,
    pub(super) chart: Chart,
    /// How to read it, for whoever sees it and whoever does not.
    pub(super) caption: String,
    pub(super) data: Table,
}

/// A chart's data.
pub(super) struct Table {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new<const N: usize>(head: [&str; N], rows: Vec<Vec<String>>) -> Table {
        Table {
            head: head.map(String::from).to_vec(),
            rows,
        }
    }
}

impl Figure {
    /// Its HTML. `place` is that of what it belongs to: the names of elements begin with it.
    pub(super) fn html(&self, place: &str, level: u8) -> String {
        let (id, title) = (format!("{place}-{}", self.name), escaped(&self.title));
        let mut out = format!(
            "<figure class=\"chart\" id=\"{id}\">\n<h{level} id=\"{id}-title\">{title}</h{level}>\n"
        );
        if !self.legend.is_empty() {
            out += "<ul class=\"legend\">";
            for (ink, text) in &self.legend {
                let (variable, text) = (ink.variable(), escaped(text));
                let _ = write!(
                    out,
                    "<li><span style=\"background: var({variable})\"></span>{text}</li>"
                );
            }
            out += "</ul>\n";
        }
        let role = format!(
            "<svg role=\"img\" aria-labelledby=\"{id}-title\" aria-describedby=\"{id}-how\" "
        );
        out += &self.chart.svg().replacen("<svg ", &role, 1);
        let caption = escaped(&self.caption);
        let _ = writeln!(out, "<figcaption id=\"{id}-how\">{caption}</figcaption>");
        let _ = writeln!(
            out,
            "<details><summary>Data of this chart</summary>\n{}</details>\n</figure>",
            self.data.html(&self.title)
        );
        out
    }
}

impl Table {
    /// A table that scrolls in a box of its own.
    pub(super) fn html(&self, caption: &str) -> String {
        let caption = escaped(caption);
        let mut out = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\"><table>\n<caption>{caption}</caption>\n<thead><tr>"
        );
        for name in &self.head {
            let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(name));
        }
        out += "</tr></thead>\n<tbody>\n";
        for row in &self.rows {
            out += "<tr>";
            for (at, cell) in row.iter().enumerate() {
                let cell = escaped(cell);
                let _ = match at {
                    0 => write!(out, "<th scope=\"row\">{cell}</th>"),
                    _ => write!(out, "<td>{cell}</td>"),
                };
            }
            out += "</tr>\n";
        }
        out += "</tbody>\n</table></div>\n";
        out
    }
}

/// Names of devices for charts: of what their keys say in brackets, only what tells them apart.
pub(super) fn short_devices(keys: &[&str]) -> Vec<String> {
    let parts = |key: &str| match key.split_once(" (") {
        Some((name, more)) => (name.to_string(), more.trim_end_matches(')').to_string()),
        None => (key.to_string(), String::new()),
    };
    let shown = |key: &&str| {
        let (name, more) = parts(key);
        let alike: Vec<String> = keys
            .iter()
            .map(|key| parts(key))
            .filter(|of| of.0 == name)
            .map(|of| of.1)
            .collect();
        let words = |text: &str| {
            text.replace(',', "")
                .split(' ')
                .map(String::from)
                .collect::<Vec<_>>()
        };
        let common = |word: &String| alike.iter().all(|other| words(other).contains(word));
        let own = words(&more);
        let apart = own.iter().enumerate().filter(|(_, word)| !common(word));
        let apart: Vec<String> = apart
            .map(|(at, word)| match word.parse::<u32>().is_ok() && at > 0 {
                // `model 17`
                true => format!("{} {word}", own[at - 1]),
                false => word.clone(),
            })
            .collect();
        match apart.is_empty() {
            true => plain(&name),
            false => plain(&format!("{name} ({})", apart.join(", "))),
        }
    };
    keys.iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::short_devices;

    #[test]
    fn devices_keep_what_tells_them_apart() {
        let keys = [
            "AMD EPYC (AuthenticAMD family 25 model 1, x86-64-v3)",
            "AMD EPYC (AuthenticAMD family 25 model 17, x86-64-v4)",
            "NVIDIA H200 (sm_90)",
            "other",
        ];
        let short = [
            "AMD EPYC (model 1, x86-64-v3)",
            "AMD EPYC (model 17, x86-64-v4)",
            "NVIDIA H200",
            "other",
        ];
        assert_eq!(short_devices(&keys), short);
    }
}
