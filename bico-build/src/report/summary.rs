//! The closing line of a search.

use super::format;
use bico_core::{Lists, Value, own};
use bico_search::rank::{Kind, Ranked, spearman};
use bico_search::search::{Amounts, Configs, Failure, Found, Stop, Winner};
use bico_syntax::bind::bare;
use std::fmt;

/// What a search came to, in one line:
///
/// `gemm (m=1024, n=1024, k=1024): MR=8 NR=48, median 9.82 ms (caches flushed), 218.7 GFLOP/s, about 4.1x as fast as the
/// first config, 1.08x as fast as the top-ranked; 64 of 11,520 configs measured (3 failed: 2 compile, 1 crash), 31 s`
///
/// A ratio is one of medians that were measured together in the finals or, where one of the two was not there, of those of
/// both trials; `about`, where the other one's trial was cut short.
pub struct Summary<'a> {
    /// The tunable.
    pub key: &'a str,
    /// The problem, for people; may be empty.
    pub problem: &'a str,
    /// The configs.
    pub configs: &'a dyn Configs,
    /// Their work.
    pub amounts: Amounts<'a>,
    /// Their ranking.
    pub ranked: &'a Ranked,
    /// The config that would run without bico, where the author says.
    pub default: Option<u64>,
    /// What was found.
    pub found: &'a Found,
    /// Seconds that the search took.
    pub seconds: f64,
    /// What disturbed the measuring, if anything did.
    pub contention: Option<&'a str>,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key)?;
        if !self.problem.is_empty() {
            write!(f, " ({})", self.problem)?;
        }
        f.write_str(": ")?;
        let measured = self.found.trail.evaluated().count() as u64;
        match &self.found.winner {
            Some(winner) => self.winner(f, winner)?,
            None if measured == 0 => f.write_str("nothing measured")?,
            None => f.write_str("no config ran and was right")?,
        }
        let (count, all) = (format::count(measured), self.configs.len());
        write!(f, "; {count} of {} configs measured", format::count(all))?;
        self.failed(f)?;
        write!(f, ", {}", format::duration(self.seconds))?;
        if let Some(correlation) = self.correlation() {
            let what = "rank correlation of prediction and time";
            write!(f, "; {what} {correlation:.2}")?;
        }
        f.write_str(match self.found.stop {
            Stop::Plateau => "; stopped early: no improvement for half of the search",
            Stop::Gain => "; stopped early: another evaluation is expected to gain next to nothing",
            Stop::Evaluations | Stop::Seconds | Stop::Exhausted => "",
        })?;
        if let Some(contention) = self.contention {
            write!(f, "; {contention}")?;
        }
        let trail = &self.found.trail;
        match &self.found.winner {
            None => trail.failures().first().map_or(Ok(()), |failure| {
                write!(f, "; the first failure: {}", one_line(failure))
            }),
            // However few are: a kernel with a mistake may have a winner.
            Some(_) => trail.first_wrong().map_or(Ok(()), |(config, failure)| {
                let config = assignment(self.configs.names(), &self.configs.values(config));
                write!(
                    f,
                    "; the first that is not right, {config}: {}",
                    one_line(failure)
                )
            }),
        }
    }
}

/// What a compiler says goes on for many lines.
fn one_line(failure: &Failure) -> String {
    let text = failure.to_string();
    text.lines().next().unwrap_or_default().to_string()
}

impl Summary<'_> {
    /// The winner, its time and throughput, and what the search gained.
    fn winner(&self, f: &mut fmt::Formatter<'_>, winner: &Winner) -> fmt::Result {
        let (winner, sample) = (winner.config, &winner.sample);
        let seconds = sample.seconds;
        let config = assignment(self.configs.names(), &self.configs.values(winner));
        if !config.is_empty() {
            write!(f, "{config}, ")?;
        }
        write!(f, "median {}", format::time(seconds))?;
        if let Some(caches) = sample.caches.name() {
            write!(f, " (caches {caches})")?;
        }
        let (flops, bytes) = (self.amounts)(&self.configs.values(winner));
        let per_second = |amount: f64| amount / seconds;
        if seconds > 0.0
            && let Some(done) = format::throughput(flops.map(per_second), bytes.map(per_second))
        {
            write!(f, ", {done}")?;
        }
        if self.found.stays {
            let who = match self.default == Some(winner) {
                true => "the default",
                false => "the winner of before",
            };
            write!(f, ", {who}, which nothing is clearly faster than")?;
        }
        let first = match self.default {
            Some(default) => (default, "the default"),
            None => (0, "the first config"),
        };
        let top = self.ranked.order.first().copied();
        let top = top.filter(|top| *top != first.0);
        let others = [(Some(first.0), first.1), (top, "the top-ranked")];
        for (other, name) in others {
            // How much faster it is, where the other one ran.
            let both = other.and_then(|other| self.found.trail.both(other, winner));
            if other == Some(winner) && other == self.default {
                // So it was said.
            } else if other == Some(winner) {
                write!(f, ", itself {name}")?;
            } else if let Some((other, own)) = both.filter(|(_, own)| own.seconds > 0.0) {
                let about = if other.cut { "about " } else { "" };
                let ratio = format::ratio(other.seconds / own.seconds);
                write!(f, ", {about}{ratio} as fast as {name}")?;
            }
        }
        Ok(())
    }

    /// How well the ranking agrees with what was measured: Spearman's coefficient.
    fn correlation(&self) -> Option<f64> {
        let (mut predicted, mut measured) = (Vec::new(), Vec::new());
        let sign = match self.ranked.kind {
            Kind::Seconds => 1.0,
            Kind::Score => -1.0,
        };
        for row in self.found.trail.trials() {
            if let (Some(prediction), Some(sample)) = (row.predicted, row.outcome.sample()) {
                predicted.push(sign * prediction);
                measured.push(sample.seconds);
            }
        }
        spearman(&predicted, &measured)
    }

    /// How many configs failed, by kind, in the order of first appearance.
    fn failed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: Vec<(&'static str, u64)> = Vec::new();
        for failure in self.found.trail.failures() {
            let (kind, _) = failure.parts();
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((kind, 1)),
            }
        }
        if kinds.is_empty() {
            return Ok(());
        }
        let total = format::count(kinds.iter().map(|(_, count)| count).sum());
        let kinds = kinds.iter().map(|(kind, count)| format!("{count} {kind}"));
        let kinds: Vec<String> = kinds.collect_vec();
        write!(f, " ({total} failed: {})", kinds.join(", "))
    }
}

/// A config for people: `MR=8 NR=48 ISA=x86-64-v4`.
pub fn assignment(names: &[String], values: &[Value]) -> String {
    let pairs = own(names, values).map(|(name, value)| format!("{name}={}", bare(value)));
    let pairs: Vec<String> = pairs.collect_vec();
    pairs.join(" ")
}
