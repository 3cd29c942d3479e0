//! A view for people.

use super::{Known, Searched, View};
use bico_build::report::{columns, count, duration, ratio, time};
use std::fmt;

/// Values of which more is said than that they are near.
const VALUES: usize = 60;

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.tunable)?;
        for search in &self.searches {
            search.show(f)?;
        }
        let rows = self.values.iter().take(VALUES).map(Known::cells);
        let head = ["value", "tried", "of best", ""].map(String::from).to_vec();
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        write!(f, "\n{}", between(&rows))?;
        if self.values.len() > VALUES {
            writeln!(
                f,
                "and {} more; `--json` has all",
                self.values.len() - VALUES
            )?;
        }
        self.narrower(f)?;
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        Ok(())
    }
}

fn between(rows: &[Vec<String>]) -> String {
    bico_build::report::between(rows, 1, 3)
}

impl Searched {
    fn name(&self) -> String {
        format!("{} on {}", self.problem, self.device)
    }

    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let best = self
            .best_seconds
            .map_or("none ran".to_string(), |of| format!("best {}", time(of)));
        let name = self.name();
        if !self.has_trail {
            let kept = self.configs;
            return writeln!(
                f,
                "  {name}: {best}; no trail, but the best {kept} that bico.lock keeps"
            );
        }
        let (tried, failed) = (count(self.configs as u64), self.failed);
        let of = self
            .space
            .map_or(String::new(), |of| format!(" of {}", count(of)));
        writeln!(
            f,
            "  {name}: {tried}{of} configs tried, {failed} failed, {best}"
        )?;
        for of in &self.enough {
            let (at, all) = (count(of.evaluations), count(of.of_evaluations));
            let (spent, whole) = (duration(of.seconds), duration(of.of_seconds));
            writeln!(
                f,
                "    within 1 % of its winner after {at} of {all} evaluations, {spent} of {whole}"
            )?;
        }
        let shares = self.parameters.iter().map(|of| match of.share {
            Some(share) => format!("{} {share:.2}", of.names.join("=")),
            None => format!("{} ?", of.names.join("=")),
        });
        let shares: Vec<String> = shares.collect();
        if !shares.is_empty() {
            writeln!(f, "    what matters (ω²): {}", shares.join(", "))?;
        }
        for pair in &self.pairs {
            let [a, b] = &pair.names;
            writeln!(f, "    {a} and {b} depend on each other: {:.2}", pair.share)?;
        }
        Ok(())
    }
}

impl Known {
    fn cells(&self) -> Vec<String> {
        let said = match (self.verdict, self.tried) {
            ("far", _) => "never within 10 %",
            ("near", _) => "",
            (_, 0) => "not tried: stays",
            _ => "tried too seldom to tell: stays",
        };
        vec![
            format!("{}={}", self.parameter, self.value),
            self.tried.to_string(),
            self.times_best.map_or("-".to_string(), ratio),
            said.to_string(),
        ]
    }
}

impl View {
    fn narrower(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let without = &self.narrower.without;
        if without.is_empty() {
            return writeln!(
                f,
                "\nno value is known to be far from the best: the space stays as it is"
            );
        }
        let plural = if without.len() == 1 { "" } else { "s" };
        writeln!(f, "\nnarrower, without {} value{plural}:\n", without.len())?;
        for line in self.narrower.attribute.lines() {
            writeln!(f, "    {line}")?;
        }
        let percent = |of: Option<f64>, none: &str| match of {
            Some(part) => format!("{:.1} %", part * 100.0),
            None => none.to_string(),
        };
        let size = |of: Option<u64>| of.map_or("?".to_string(), count);
        let head = [
            "",
            "configs",
            "narrower",
            "loses",
            "made of the other devices",
        ];
        let mut rows = vec![head.map(String::from).to_vec()];
        let has_others = self.searches.iter().any(|of| of.loss_unseen.is_some());
        for of in &self.searches {
            rows.push(vec![
                of.name(),
                size(of.space),
                size(of.narrower_space),
                percent(of.loss, "all"),
                percent(of.loss_unseen, "-"),
            ]);
        }
        if !has_others {
            rows.iter_mut().for_each(|row| row.truncate(4));
        }
        write!(f, "\n{}", columns(&rows, 1))
    }
}
