//! A status as a table of at most a hundred columns.

use super::{Arm, State, Status};
use crate::choice::Sizes;
use crate::{Config, Standing, Value};
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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head(f)?;
        if self.arms.is_empty() {
            return match &self.config {
                Some(config) => write!(f, "\n{}", Wrapped("serves ", items(config, |_| true), 0)),
                None => Ok(()),
            };
        }
        let configs: Vec<Config> = self.arms.iter().map(|arm| arm.config).collect();
        let Apart { common, own } = apart(&configs);
        if !common.is_empty() {
            write!(f, "\n{}", Wrapped("all with ", common, 0))?;
        }
        let titles = ["pulls", "mean", "interval", "", "config"];
        let [pulls, mean, interval, standing, config] = titles;
        write!(
            f,
            "\n    {pulls:>6}  {mean:>9}   {interval:19} {standing:7}  {config}"
        )?;
        for (arm, own) in self.arms.iter().zip(own) {
            write!(f, "\n{}", self.row(arm, own))?;
        }
        Ok(())
    }
}

impl Status {
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tunable)?;
        let consts = self.consts.iter();
        let consts = consts.map(|(name, value)| format!("{name}={}", Plain(*value)));
        let sizes = self.sizes.iter().map(|size| Sizes(&[*size]).to_string());
        let at: Vec<String> = sizes.chain(consts).collect();
        if !at.is_empty() {
            write!(
                f,
                " {}",
                Wrapped("at ", at, self.tunable.chars().count() + 1)
            )?;
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

    fn row(&self, arm: &Arm, own: Vec<String>) -> String {
        let mark = match self.config == Some(arm.config) {
            true => '>',
            false => ' ',
        };
        let mean = arm.seconds.map(|s| Time(s).to_string());
        let interval = arm
            .interval
            .map(|[low, high]| format!("{} - {}", Time(low), Time(high)));
        let standing = match arm.standing {
            Standing::Untried => "untried",
            Standing::Open => "",
            Standing::Dropped => "dropped",
            Standing::Failed => "failed",
        };
        let (mean, interval) = (mean.unwrap_or_default(), interval.unwrap_or_default());
        let row = format!(
            "  {mark} {:>6}  {mean:>9}   {interval:19} {standing:7}  {}",
            arm.pulls,
            Wrapped("", own, BEFORE)
        );
        row.trim_end().to_string()
    }
}

/// What configs have in common, and what each has for itself, as `MR=8`.
pub(crate) struct Apart {
    pub(crate) common: Vec<String>,
    pub(crate) own: Vec<Vec<String>>,
}

/// A single config has nothing in common with any.
pub(crate) fn apart(configs: &[Config]) -> Apart {
    let shared = |name: &str| {
        let mut values = configs.iter().map(|config| config.get(name));
        let first = values.next();
        configs.len() > 1 && values.all(|value| Some(value) == first)
    };
    let own = |config: &Config| items(config, |name| !shared(name));
    Apart {
        common: configs
            .first()
            .map_or_else(Vec::new, |config| items(config, shared)),
        own: configs.iter().map(own).collect(),
    }
}

/// `MR=8` for each parameter that is wanted.
fn items(config: &Config, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let items = config.iter().filter(|(name, _)| wanted(name));
    items
        .map(|(name, value)| format!("{name}={}", Plain(value)))
        .collect()
}

/// Without quotes: this is for reading.
struct Plain(Value);

impl fmt::Display for Plain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Str(text) => f.write_str(text),
            other => other.fmt(f),
        }
    }
}

/// Items behind a word, with commas, in as many lines as it takes. The first begins at a column, the
/// others below the first item.
struct Wrapped<'a>(&'a str, Vec<String>, usize);

impl fmt::Display for Wrapped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrapped(word, items, start) = self;
        f.write_str(word)?;
        let indent = start + word.chars().count();
        let mut column = indent;
        for (i, item) in items.iter().enumerate() {
            let last = i + 1 == items.len();
            let long = item.chars().count() + usize::from(!last);
            if i > 0 && column + 1 + long > WIDTH {
                write!(f, "\n{:indent$}", "")?;
                column = indent;
            } else if i > 0 {
                f.write_str(" ")?;
                column += 1;
            }
            write!(f, "{item}{}", if last { "" } else { "," })?;
            column += long;
        }
        Ok(())
    }
}

/// A time in three digits: `1.23 µs`.
pub(super) struct Time(pub(super) f64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0;
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
            true => write!(f, "{number:.digits$} {unit}"),
            false => write!(f, "{number:.1e} {unit}"),
        }
    }
}
