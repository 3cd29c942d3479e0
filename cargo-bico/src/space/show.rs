//! A view for people.

use super::{Condition, Place, Values, View};
use crate::columns::columns;
use bico_build::report;
use std::fmt;

/// Values of a parameter that are listed.
const LISTED: usize = 16;

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = report::count;
        write!(f, "{} on {}\n", self.tunable, self.device)?;
        if !self.problem.is_empty() {
            write!(f, "{}: ", self.problem)?;
        }
        write!(f, "{} {}", count(self.configs), plural(self.configs))?;
        match self.combinations {
            Some(all) => writeln!(f, " of {} combinations", count(all))?,
            None => writeln!(f)?,
        }
        writeln!(f, "\n{}", self.parameters())?;
        if !self.conditions.is_empty() {
            writeln!(f, "{}", self.removed())?;
        }
        if let Some(why) = &self.why_empty {
            writeln!(f, "there is no config: {why}\n")?;
        }
        if !self.top.is_empty() {
            writeln!(f, "{}", self.ranking())?;
        }
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        Ok(())
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "config" } else { "configs" }
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| cell.to_string()).collect()
}

impl View {
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
        let head = row(&["condition removes", "alone", "in order", "left", "only it"]);
        let rows = self.conditions.iter().map(Condition::cells);
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        columns(&rows, 1)
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
        let mut listed = self.values[..shown].join(", ");
        if let (false, Some(last)) = (few, self.values.last()) {
            listed += &format!(", .. {last} ({} values)", self.values.len());
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
        let text = match self.written {
            true => self.text.clone(),
            false => format!("{} (of any launch)", self.text),
        };
        vec![
            text,
            cell(self.alone),
            cell(self.in_order),
            cell(self.left),
            cell(self.only_it),
        ]
    }
}

impl Place {
    fn cells(&self, ranked_by: &str) -> Vec<String> {
        let predicted = match ranked_by {
            "score" => self.predicted.to_string(),
            _ => report::time(self.predicted),
        };
        let config = self
            .config
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let config: Vec<String> = config.collect();
        vec![self.rank.to_string(), predicted, config.join(" ")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let values = |count: usize, follows: Option<&str>| Values {
            name: "N".to_string(),
            follows: follows.map(String::from),
            values: (1..=count).map(|n| n.to_string()).collect(),
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
