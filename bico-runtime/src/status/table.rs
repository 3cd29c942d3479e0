//! A status as a table of at most a hundred columns.
//!
//! Few programs ask: what is `#[inline]` is compiled by those that do, and not by all.

use super::{Arm, State, Status};
use crate::config::{apart, items, text};
use crate::{Config, Standing, Value};
use bico_core::Lists;
use core::fmt;

const WIDTH: usize = 100;
/// The columns before the config.
const BEFORE: usize = 52;

/// ```text
/// gemm at m=1024, n=1024, k=1024
/// on AMD EPYC (AuthenticAMD family 25 model 17, x86-64-v4): exploring, 3 of 4 tried
/// 57 calls, 57 of them timed; exploring cost 2.1 calls of the best (3.6 % of the time)
/// all with ISA=x86-64-v4, KC=512
///      pulls       mean   interval                       config
///   >     20    11.2 ms   11.1 ms - 11.3 ms              MR=8, NR=32
///          3    14.5 ms   13.2 ms - 15.9 ms     dropped  MR=6, NR=32
/// ```
impl fmt::Display for Status {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head(f)?;
        if self.arms.is_empty() {
            let Some(config) = &self.config else {
                return Ok(());
            };
            write!(f, "\n{}", wrapped("serves ", &items(config.iter()), 0))?;
            return match &self.from {
                Some(from) => write!(
                    f,
                    "\nthe winner at {}, further away than a factor of two",
                    text(from)
                ),
                None => Ok(()),
            };
        }
        let configs: Vec<Config> = self.arms.iter().map(|arm| arm.config).collect_vec();
        let (common, own) = apart(&configs);
        if !common.is_empty() {
            write!(f, "\n{}", wrapped("all with ", &common, 0))?;
        }
        f.write_str(&line([" ", "pulls", "mean", "interval", "", "config"]))?;
        for (arm, own) in self.arms.iter().zip(&own) {
            f.write_str(&self.row(arm, own))?;
        }
        Ok(())
    }
}

impl Status {
    #[inline]
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tunable)?;
        let sizes = self
            .sizes
            .iter()
            .map(|(name, size)| (*name, Value::Int(*size)));
        let at = items(sizes.chain(self.consts.iter().copied()));
        if !at.is_empty() {
            let start = self.tunable.chars().count() + 1;
            write!(f, " {}", wrapped("at ", &at, start))?;
        }
        write!(f, "\non {}", self.device)?;
        if self.ordinal > 0 {
            write!(f, " (number {})", self.ordinal)?;
        }
        match self.state {
            State::Winner => write!(f, ": its winner in the lock")?,
            State::Fixed => write!(f, ": not tuned there, fixed")?,
            State::Exploring { tried, of } => write!(f, ": exploring, {tried} of {of} tried")?,
            State::Settled => write!(f, ": settled")?,
        }
        if self.timed > 0 {
            let about = match self.state {
                State::Settled => "about ",
                _ => "",
            };
            let share = 100.0 * self.regret_share();
            write!(
                f,
                "\n{about}{} calls, {} of them timed; exploring cost {:.1} calls of the best ({share:.1} % of the time)",
                self.calls, self.timed, self.regret
            )?;
        }
        Ok(())
    }

    #[inline]
    fn row(&self, arm: &Arm, own: &[String]) -> String {
        let mark = if self.config == Some(arm.config) {
            ">"
        } else {
            " "
        };
        let mean = arm.seconds.map(time).unwrap_or_default();
        let interval = arm
            .interval
            .map(|[low, high]| format!("{} - {}", time(low), time(high)));
        let interval = interval.unwrap_or_default();
        let standing = match arm.standing {
            Standing::Untried => "untried",
            Standing::Open => "",
            Standing::Dropped => "dropped",
            Standing::Failed => "failed",
        };
        let (pulls, own) = (arm.pulls.to_string(), wrapped("", own, BEFORE));
        line([mark, &pulls, &mean, &interval, standing, &own])
    }
}

/// A line of the table, behind those before it.
#[inline]
fn line([mark, pulls, mean, interval, standing, config]: [&str; 6]) -> String {
    let line = format!("\n  {mark} {pulls:>6}  {mean:>9}   {interval:19} {standing:7}  {config}");
    line.trim_end().to_string()
}

/// Items behind a word, with commas, in as many lines as it takes. The first begins at a column, the
/// others below the first item.
#[inline]
fn wrapped(word: &str, items: &[String], start: usize) -> String {
    let indent = start + word.chars().count();
    let (mut text, mut column) = (word.to_string(), indent);
    for (i, item) in items.iter().enumerate() {
        let comma = if i + 1 == items.len() { "" } else { "," };
        let long = item.chars().count() + comma.len();
        if i > 0 && column + 1 + long > WIDTH {
            text += &format!("\n{:indent$}", "");
            column = indent;
        } else if i > 0 {
            text += " ";
            column += 1;
        }
        text += &format!("{item}{comma}");
        column += long;
    }
    text
}

/// A time in three digits: `1.23 µs`.
#[inline]
pub(super) fn time(seconds: f64) -> String {
    // What rounds to a thousand belongs to the next unit.
    let (number, unit) = match seconds {
        s if s < 999.5e-9 => (s * 1e9, "ns"),
        s if s < 999.5e-6 => (s * 1e6, "µs"),
        s if s < 999.5e-3 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = match number {
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    match number < 99_999.5 {
        true => format!("{number:.digits$} {unit}"),
        false => format!("{number:.1e} {unit}"),
    }
}
