//! What a search's budget guarantees: for people in a line or two, and as a table beside the trail.

use super::format::{count, time};
use bico_core::Lists;
use bico_search::guarantee::{Guarantee, Scaled};
use bico_search::search::{Csv, Label, Winner};
use std::io;

/// What a search guarantees: the first line of the config that ships, with what of the budget was enough, by the trials; one more
/// line, by the trials too, where the tunable has a `budget_scale`:
///
/// `with 95 % reliability the winner's median call takes at most 9.91 ms; 37 of the 64 evaluations were enough (within 0.5 %)`
///
/// `4 * TILE <= 8192 (2,304 of 11,520 configs) guarantees at most 9.93 ms by the trials (within 0.5 %); 9 of the 31
/// measured there are within 5 % of the best`
pub struct GuaranteeLines<'a> {
    /// The winner, and the seconds that its median call keeps: [`bico_search::guarantee::shipped`].
    pub shipped: Option<(&'a Winner, f64)>,
    /// What the trials guarantee.
    pub guarantee: &'a Guarantee,
    /// What it guarantees over the tunable's scale.
    pub scaled: Option<&'a Scaled>,
}

impl GuaranteeLines<'_> {
    /// The lines; none where nothing ran.
    pub fn lines(&self) -> Vec<String> {
        self.evaluations()
            .into_iter()
            .chain(self.scale())
            .collect_vec()
    }

    fn evaluations(&self) -> Option<String> {
        let guarantee = self.guarantee;
        let settings = &guarantee.settings;
        let last = guarantee.last()?;
        let (time, share) = (time(self.shipped?.1), percent(settings.reliability));
        let mut line =
            format!("with {share} reliability the winner's median call takes at most {time}");
        let plateau = guarantee.plateau().unwrap_or(last.evaluation);
        if plateau == last.evaluation {
            line += "; the last evaluation still improved it";
        } else {
            let (enough, all) = (count(plateau), count(last.evaluation));
            let within = percent(settings.threshold);
            line += &format!("; {enough} of the {all} evaluations were enough (within {within})");
        }
        if let Some(rank) = guarantee.rank {
            let (place, of) = (count(rank.place), count(rank.of));
            line += &format!("; the best drawn is one of the best {place} of {of} configs");
        }
        Some(line)
    }

    fn scale(&self) -> Option<String> {
        let scaled = self.scaled?;
        let settings = &self.guarantee.settings;
        let (level, last) = (scaled.plateau()?, scaled.last()?);
        let about = if scaled.exact { "" } else { "about " };
        let mut line = format!(
            "{} <= {} ({about}{} of {} configs) guarantees at most {} by the trials",
            scaled.text,
            level.budget,
            count(level.valid),
            count(last.valid),
            time(level.guaranteed?)
        );
        if level.budget < last.budget {
            line += &format!(" (within {})", percent(settings.threshold));
        }
        let (good, all) = (count(level.good), count(level.measured));
        let near = percent(settings.near);
        line += &format!("; {good} of the {all} measured there are within {near} of the best");
        Some(line)
    }

    /// Adds the tables of one problem to a file, one row for each budget.
    ///
    /// In every row:
    ///
    /// - `problem`, `device`;
    /// - `over`: `evaluations`, `scale` for the rows of `budget_scale`, or `winner` for the one row of the config that ships;
    /// - `budget`: so many evaluations, or the value of the scale;
    /// - `chosen`, `seconds`: the fastest config within the budget, and its median as measured: by the trials, the
    ///   winner's by the finals;
    /// - `carrier`, `guaranteed`: the config that the guarantee is that of, and the seconds that its median keeps;
    /// - `reliability`: how often it does. It is that of all rows of one `over` together;
    /// - `plateau`: `true` in the row after which the guarantee stopped improving.
    ///
    /// Over evaluations:
    ///
    /// - `sink`: configs so far that nothing is significantly better than;
    /// - `covered`: outcomes of the whole trail that are guaranteed;
    /// - `drawn`, `drawn_mean`: after a random search, the seconds that the best of so many draws from the configs of this
    ///   trail reaches with the reliability, and on average.
    ///
    /// Over the scale:
    ///
    /// - `valid`: configs of the space within the budget, an estimate where there are more than 100,000;
    /// - `measured`: how many of them were measured;
    /// - `good`: how many of those are within 5 % of the best of all.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write(&self, table: &mut Csv, label: &Label) -> io::Result<()> {
        table.head(HEAD.split(','));
        let guarantee = self.guarantee;
        let row = |over: &str, budget: String, fastest: Kept, safest: Kept, plateau: bool| {
            vec![
                label.problem.clone(),
                label.device.clone(),
                over.to_string(),
                budget,
                or_empty(fastest.0),
                seconds(fastest.1),
                or_empty(safest.0),
                seconds(safest.1),
                guarantee.settings.reliability.to_string(),
                plateau.to_string(),
            ]
        };
        let columns = HEAD.split(',').count();
        let plateau = guarantee.plateau();
        for step in &guarantee.steps {
            let (fastest, safest) = ((step.chosen, step.best), (step.carrier, step.guaranteed));
            let (budget, last) = (step.evaluation, plateau == Some(step.evaluation));
            let mut row = row("evaluations", budget.to_string(), fastest, safest, last);
            row.extend([step.sink.to_string(), step.covered.to_string()]);
            row.extend([seconds(step.drawn), seconds(step.drawn_mean)]);
            row.resize(columns, String::new());
            table.row(row);
        }
        if let (Some((winner, kept)), Some(step)) = (self.shipped, guarantee.last()) {
            let config = Some(winner.config);
            let (own, kept) = ((config, Some(winner.sample.seconds)), (config, Some(kept)));
            let mut row = row("winner", step.evaluation.to_string(), own, kept, false);
            row.resize(columns, String::new());
            table.row(row);
        }
        for level in self.scaled.iter().flat_map(|scaled| &scaled.levels) {
            let (fastest, safest) = (
                (level.chosen, level.best),
                (level.carrier, level.guaranteed),
            );
            let last = self.scaled.and_then(Scaled::plateau) == Some(level);
            let mut row = row("scale", level.budget.to_string(), fastest, safest, last);
            row.resize(columns - 3, String::new());
            row.extend([level.valid, level.measured, level.good].map(|count| count.to_string()));
            table.row(row);
        }
        table.flush()
    }
}

/// A config and its seconds, in a row.
type Kept = (Option<u64>, Option<f64>);

/// `95 %`, `0.5 %`.
fn percent(share: f64) -> String {
    // Rounded, so that 0.995 does not become 99.5000001.
    let percent = (share * 1e6).round() / 1e4;
    format!("{percent} %")
}

const HEAD: &str = "problem,device,over,budget,chosen,seconds,carrier,guaranteed,reliability,plateau,sink,covered,drawn,drawn_mean,valid,measured,good";

fn or_empty(value: Option<u64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn seconds(value: Option<f64>) -> String {
    value.map(|value| format!("{value:e}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_search::guarantee::fixture::{Device, scale_of, search};
    use bico_search::guarantee::{Settings, shipped};

    fn told(
        strategy: &str,
        evaluations: u64,
        times: &[Option<f64>],
        scale: bool,
    ) -> (Vec<String>, String) {
        let found = search(strategy, evaluations, &mut Device::new(times, 0.0));
        let configs = times.len() as u64;
        let settings = Settings::default();
        let guarantee = Guarantee::new(&found.trail, configs, settings);
        let scaled = scale.then(|| {
            let scale = scale_of(&format!(
                "space(N in 0..{configs}), budget_scale = 1024 * N"
            ));
            Scaled::new(&scale.unwrap().unwrap(), &found.trail, &settings)
        });
        let winner = found.winner.as_ref();
        let lines = GuaranteeLines {
            shipped: winner.zip(shipped(&found, &settings)),
            guarantee: &guarantee,
            scaled: scaled.as_ref(),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bico/kernel.guarantee.csv");
        let mut table = Csv::create(&path, true).unwrap();
        let label = Label {
            problem: "m=64, n=2".into(),
            device: "cpu".into(),
        };
        lines.write(&mut table, &label).unwrap();
        (lines.lines(), std::fs::read_to_string(&path).unwrap())
    }

    const TIMES: [Option<f64>; 6] = [
        Some(0.004),
        None,
        Some(0.002),
        Some(0.00205),
        Some(0.0019),
        Some(0.003),
    ];

    #[test]
    fn a_line_for_evaluations_and_one_for_the_scale() {
        let (lines, table) = told("guided", 6, &TIMES, true);
        assert_eq!(
            lines,
            [
                "with 95 % reliability the winner's median call takes at most 1.90 ms; 5 of the 6 evaluations were enough (within 0.5 %)",
                "1024 * N <= 4096 (5 of 6 configs) guarantees at most 1.90 ms by the trials (within 0.5 %); 1 of the 5 measured there are within 5 % of the best",
            ]
        );
        let rows: Vec<&str> = table.lines().collect();
        assert_eq!(rows.len(), 1 + 6 + 1 + 6);
        let columns = HEAD.split(',').count();
        // The problem has a comma of its own.
        assert!(
            rows[1..]
                .iter()
                .all(|row| row.split(',').count() == columns + 1),
            "{table}"
        );
        assert_eq!(
            rows[1],
            "\"m=64, n=2\",cpu,evaluations,1,0,4e-3,0,4e-3,0.95,false,1,2,,,,,"
        );
        assert_eq!(
            rows[5],
            "\"m=64, n=2\",cpu,evaluations,5,4,1.9e-3,4,1.9e-3,0.95,true,1,6,,,,,"
        );
        assert_eq!(
            rows[7],
            "\"m=64, n=2\",cpu,winner,6,4,1.9e-3,4,1.9e-3,0.95,false,,,,,,,"
        );
        assert_eq!(
            rows[10],
            "\"m=64, n=2\",cpu,scale,2048,2,2e-3,2,2e-3,0.95,false,,,,,3,3,0"
        );
    }

    #[test]
    fn random_draws_tell_their_place() {
        let (lines, table) = told("random", 2, &[Some(1.0); 400], false);
        // One of the two is the baseline; one draw is in the best 95 % of the other 399.
        assert_eq!(
            lines,
            [
                "with 95 % reliability the winner's median call takes at most 1.00 s; 1 of the 2 evaluations were enough (within 0.5 %); the best drawn is one of the best 380 of 400 configs"
            ]
        );
        assert!(
            table.lines().nth(1).unwrap().ends_with(",1e0,1e0,,,"),
            "{table}"
        );
    }

    #[test]
    fn a_guarantee_that_still_improves_says_so() {
        let (lines, _) = told("sequential", 3, &TIMES, false);
        assert_eq!(
            lines,
            [
                "with 95 % reliability the winner's median call takes at most 2.00 ms; the last evaluation still improved it"
            ]
        );
    }

    #[test]
    fn nothing_ran_and_nothing_is_said() {
        let (lines, table) = told("sequential", 2, &[None, None], true);
        assert!(lines.is_empty());
        assert!(
            table
                .lines()
                .nth(1)
                .unwrap()
                .contains("evaluations,1,,,,,0.95,false,0,2,"),
            "{table}"
        );
    }
}
