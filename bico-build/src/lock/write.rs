//! [`Lock`] -> text: the same lock gives the same bytes, made to be read in a review.

use super::model::VERSION;
use super::{Budget, Config, Entry, Hashes, Lock, Trial, Value, Verified, facts, text};
use std::collections::BTreeMap;
use std::fmt::Write;

/// JSON with its layout.
pub(super) enum Json {
    /// A number, `true` or `false`, or a quoted text.
    Plain(String),
    /// An object over several lines.
    Block(Vec<(String, Json)>),
    /// An object in one line.
    Line(Vec<(String, Json)>),
    /// A list with an element per line.
    List(Vec<Json>),
    /// A list in one line.
    Row(Vec<Json>),
}

/// The text of a lock.
///
/// # Errors
///
/// The lock holds what no reader would take back: a text with a quote, a time that is not finite,
/// a device without facts.
pub fn to_text(lock: &Lock) -> Result<String, String> {
    let devices = block(&lock.devices, |_, facts| facts::write(facts))?;
    let kernels = block(&lock.kernels, |key, kernel| {
        if !text::is_key(key) {
            return Err(format!(
                "`{}` cannot be the key of a tunable",
                key.escape_debug()
            ));
        }
        block(kernel, |device, problems| {
            if !lock.devices.contains_key(device) {
                return Err(format!("there are no facts of the device `{device}`"));
            }
            block(problems, |_, entry| self::entry(entry))
        })
        .map_err(|fault| format!("{key}: {fault}"))
    })?;
    let version = Json::Plain(VERSION.to_string());
    let mut out = String::new();
    named(
        [
            ("devices", devices),
            ("kernels", kernels),
            ("version", version),
        ],
        Json::Block,
    )
    .write(&mut out, 0);
    out.push('\n');
    Ok(out)
}

fn block<T>(
    map: &BTreeMap<String, T>,
    mut value: impl FnMut(&str, &T) -> Result<Json, String>,
) -> Result<Json, String> {
    let fields = map.iter().map(|(key, of)| {
        if key.is_empty() {
            return Err("an empty key".to_string());
        }
        Json::text(key)?;
        Ok((key.clone(), value(key, of)?))
    });
    fields.collect::<Result<_, String>>().map(Json::Block)
}

fn named<const N: usize>(
    fields: [(&str, Json); N],
    layout: fn(Vec<(String, Json)>) -> Json,
) -> Json {
    layout(
        fields
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect(),
    )
}

fn entry(entry: &Entry) -> Result<Json, String> {
    let Entry {
        hashes,
        winner,
        interval,
        verified,
        strategy,
        budget,
        ..
    } = entry;
    let trials = entry.trials.iter().map(trial).collect::<Result<_, _>>()?;
    let mut fields = vec![
        ("budget", self::budget(budget)?),
        ("evaluations", Json::count(entry.evaluations)?),
    ];
    if let Some(first) = &entry.first {
        fields.push(("first", trial(first)?));
    }
    fields.push(("hashes", self::hashes(hashes)?));
    if let Some(ranked) = &entry.ranked {
        fields.push(("ranked", trial(ranked)?));
    }
    if let Some(resources) = &entry.resources {
        let numbers = [
            ("on_chip_bytes", Json::count(resources.on_chip_bytes)?),
            ("registers", Json::count(resources.registers.into())?),
            ("spill_bytes", Json::count(resources.spill_bytes.into())?),
        ];
        let numbers = numbers.map(|(name, number)| (name.to_string(), number));
        fields.push(("resources", Json::Line(numbers.into())));
    }
    if let Some(source) = &entry.source {
        fields.push(("source", Json::text(source)?));
    }
    let verified = match verified {
        Verified::Reference => "reference",
        Verified::SmallSizes => "reference at small sizes",
        Verified::Consensus => "consensus",
        Verified::Nothing => "no",
    };
    fields.extend([
        ("space_size", Json::count(entry.space_size)?),
        ("strategy", Json::text(strategy)?),
        ("toolchain", Json::text(&entry.toolchain)?),
        ("trials", Json::List(trials)),
        ("verified", Json::text(verified)?),
        ("winner", self::winner(winner, interval)?),
    ]);
    Ok(Json::Block(
        fields
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect(),
    ))
}

fn budget(budget: &Budget) -> Result<Json, String> {
    let fields = [
        ("evaluations", Json::count(budget.evaluations)?),
        ("seconds", Json::seconds(budget.seconds)?),
    ];
    Ok(named(fields, Json::Line))
}

fn hashes(hashes: &Hashes) -> Result<Json, String> {
    let hash = |hash: crate::compile::Hash| Json::text(&hash.to_string());
    let fields = [
        ("flags", hash(hashes.flags)?),
        ("launch", hash(hashes.launch)?),
        ("source", hash(hashes.source)?),
        ("space", hash(hashes.space)?),
        ("verify", hash(hashes.verify)?),
    ];
    Ok(named(fields, Json::Block))
}

fn winner(winner: &Trial, interval: &[f64; 2]) -> Result<Json, String> {
    let [low, high] = *interval;
    let interval = Json::Row(vec![Json::seconds(low)?, Json::seconds(high)?]);
    let fields = [
        ("config", config(&winner.config)?),
        ("interval_seconds", interval),
        ("seconds", Json::seconds(winner.seconds)?),
    ];
    Ok(named(fields, Json::Line))
}

fn trial(trial: &Trial) -> Result<Json, String> {
    Ok(named(
        [
            ("config", config(&trial.config)?),
            ("seconds", Json::seconds(trial.seconds)?),
        ],
        Json::Line,
    ))
}

fn config(config: &Config) -> Result<Json, String> {
    let fields = config.iter().map(|(name, value)| {
        if !text::is_identifier(name) {
            return Err(format!(
                "`{}` cannot be the name of a parameter",
                name.escape_debug()
            ));
        }
        let json = match value {
            Value::Str(value) => Json::text(value)?,
            Value::Float(value) if !value.is_finite() => return Err(format!("{name} is {value}")),
            other => Json::Plain(other.to_string()),
        };
        Ok((name.clone(), json))
    });
    fields.collect::<Result<_, String>>().map(Json::Line)
}

/// A time as the lock keeps it: four significant digits.
pub fn rounded(seconds: f64) -> f64 {
    format!("{seconds:.3e}").parse().unwrap_or(seconds)
}

impl Json {
    pub(super) fn text(text: &str) -> Result<Json, String> {
        match text::fault(text) {
            Some(fault) => Err(format!("\"{}\" holds {fault}", text.escape_debug())),
            None => Ok(Json::Plain(format!("\"{text}\""))),
        }
    }

    fn count(count: u64) -> Result<Json, String> {
        match i64::try_from(count) {
            Ok(count) => Ok(Json::Plain(count.to_string())),
            Err(_) => Err(format!("{count} is too large")),
        }
    }

    fn seconds(seconds: f64) -> Result<Json, String> {
        if !seconds.is_finite() || seconds < 0.0 {
            return Err(format!("a time of {seconds} seconds"));
        }
        // Never with an exponent, so that columns can be compared by eye; `abs` for -0.
        Ok(Json::Plain(rounded(seconds).abs().to_string()))
    }

    fn write(&self, out: &mut String, depth: usize) {
        match self {
            Json::Plain(text) => out.push_str(text),
            Json::Block(fields) => {
                lines(out, depth, ['{', '}'], fields, |out, (name, value)| {
                    let _ = write!(out, "\"{name}\": ");
                    value.write(out, depth + 1);
                });
            }
            Json::List(elements) => lines(out, depth, ['[', ']'], elements, |out, element| {
                element.write(out, depth + 1)
            }),
            Json::Line(fields) => {
                row(out, ['{', '}'], fields, |out, (name, value)| {
                    let _ = write!(out, "\"{name}\": ");
                    value.write(out, depth);
                });
            }
            Json::Row(elements) => row(out, ['[', ']'], elements, |out, element| {
                element.write(out, depth)
            }),
        }
    }
}

fn lines<T>(
    out: &mut String,
    depth: usize,
    [open, close]: [char; 2],
    items: &[T],
    write: impl Fn(&mut String, &T),
) {
    out.push(open);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        indent(out, depth + 1);
        write(out, item);
    }
    if !items.is_empty() {
        out.push('\n');
        indent(out, depth);
    }
    out.push(close);
}

fn row<T>(
    out: &mut String,
    [open, close]: [char; 2],
    items: &[T],
    write: impl Fn(&mut String, &T),
) {
    out.push(open);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        write(out, item);
    }
    out.push(close);
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}
