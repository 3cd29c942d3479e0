//! A view for people.

use super::{Condition, Place, Values, View};
use bico_build::report;
use bico_build::report::columns;
use std::fmt;

/// Values of a parameter that are listed.
const LISTED: usize = 16;

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = vec![self.head(), self.parameters()];
        if !self.conditions.is_empty() {
            parts.push(self.removed());
        }
        if let Some(why) = &self.why_empty {
            parts.push(format!("there is no config: {why}\n"));
        }
        if !self.top.is_empty() {
            parts.push(self.ranking());
        }
        if !self.notes.is_empty() {
            let notes = self.notes.iter().map(|note| format!("note: {note}\n"));
            parts.push(notes.collect());
        }
        f.write_str(&parts.join("\n"))
    }
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| cell.to_string()).collect()
}

impl View {
    fn head(&self) -> String {
        let (tunable, device, problem) = (&self.tunable, &self.device, &self.problem);
        let configs = report::count(self.configs);
        let all = self.combinations.map_or(String::new(), |all| {
            format!(" of {} combinations", report::count(all))
        });
        let plural = if self.configs == 1 { "" } else { "s" };
        format!("{tunable} on {device}\n{problem}: {configs} config{plural}{all}\n")
    }

    fn parameters(&self) -> String {
        let rows = self
            .parameters
            .iter()
            .map(|of| vec![of.name.clone(), of.listed()]);
        let rows: Vec<_> = std::iter::once(row(&["parameter", "values"]))
            .chain(rows)
            .collect();
        columns(&rows, 2)
    }

    /// How many configs each condition removes.
    fn removed(&self) -> String {
        let head = row(&["alone", "in order", "left", "only it"]);
        let rows = self.conditions.iter().map(Condition::cells);
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        let counts = columns(&rows, 0);
        let texts = self.conditions.iter().map(Condition::named);
        let texts = std::iter::once("condition".to_string()).chain(texts);
        let lines = counts.lines().zip(texts);
        lines
            .map(|(counts, text)| format!("{counts}  {text}\n"))
            .collect()
    }

    fn ranking(&self) -> String {
        let predicted = match self.ranked_by {
            "score" => "score",
            _ => "predicted",
        };
        let head = row(&["rank", predicted, "config"]);
        let rows = self.top.iter().map(|place| place.cells(self.ranked_by));
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        let mut text = columns(&rows, 3);
        let (shown, all) = (self.top.len() as u64, self.ranked as u64);
        if all < self.configs {
            let (all, configs) = (report::count(all), report::count(self.configs));
            text += &format!("of a sample of {all} configs: all {configs} are too many to rank\n");
        } else if shown < all {
            text += &format!("of {}; `--csv` has all\n", report::count(all));
        }
        text
    }
}

impl Values {
    fn listed(&self) -> String {
        let few = self.values.len() <= LISTED;
        let shown = if few { self.values.len() } else { LISTED - 1 };
        let values: Vec<String> = self.values[..shown].iter().map(bare).collect();
        let mut listed = values.join(", ");
        if let (false, Some(last)) = (few, self.values.last()) {
            listed += &format!(", .. {} ({} values)", bare(last), self.values.len());
        }
        match &self.follows {
            Some(follows) if listed.is_empty() => follows.clone(),
            Some(follows) => format!("{follows}: {listed}"),
            None => listed,
        }
    }
}

impl Condition {
    fn cells(&self) -> Vec<String> {
        let cell = |count: Option<u64>| count.map_or_else(|| "-".to_string(), report::count);
        [self.alone, self.in_order, self.left, self.only_it]
            .map(cell)
            .to_vec()
    }

    fn named(&self) -> String {
        match self.written {
            true => self.text.clone(),
            false => format!("{} (of any launch)", self.text),
        }
    }
}

impl Place {
    fn cells(&self, ranked_by: &str) -> Vec<String> {
        let predicted = match ranked_by {
            "score" => score(self.predicted),
            _ => report::time(self.predicted),
        };
        let config = self
            .config
            .iter()
            .map(|(name, value)| format!("{name}={}", bare(value)));
        let config: Vec<String> = config.collect();
        vec![self.rank.to_string(), predicted, config.join(" ")]
    }
}

/// A value without quotes.
fn bare(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), String::from)
}

/// Five digits: only the order counts.
fn score(score: f64) -> String {
    match score.abs() {
        0.0 | 1e-3..1e6 => format!("{score:.4}"),
        _ => format!("{score:.4e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_short() {
        let shown = [13.947_107_213, 0.0, -2e-7, 3e9].map(score);
        assert_eq!(shown, ["13.9471", "0.0000", "-2.0000e-7", "3.0000e9"]);
    }

    #[test]
    fn long_lists_are_cut() {
        let values = |count: usize, follows: Option<&str>| Values {
            name: "N".to_string(),
            follows: follows.map(String::from),
            values: (1..=count).map(serde_json::Value::from).collect(),
        };
        assert_eq!(values(3, None).listed(), "1, 2, 3");
        assert_eq!(values(2, Some("= A + 1")).listed(), "= A + 1: 1, 2");
        assert_eq!(values(0, Some("in 0..A")).listed(), "in 0..A");
        assert_eq!(
            values(100, None).listed(),
            "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, .. 100 (100 values)"
        );
    }
}
