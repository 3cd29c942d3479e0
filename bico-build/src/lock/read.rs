//! Text -> [`Lock`]: strict, and every fault with its line.

use super::model::VERSION;
use super::tree::{self, Fields, Reader};
use super::{Budget, Config, Entry, Error, Hashes, Lock, Trial, Value, Verified, facts, text};
use crate::compile::Hash;
use bico_core::device::Usage;
use jsonc_parser::ast;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads the text of a lock; `path` is for messages.
///
/// # Errors
///
/// The first fault of the text.
pub fn parse(path: &Path, text: &str) -> Result<Lock, Error> {
    let reader = Reader::new(path, text);
    let value = reader.json()?;
    let mut fields = reader.fields(&value, "the lock")?;
    // Before all else: what a newer version writes, this one must not judge.
    let version = fields.take("version")?;
    let number = reader.count(version, "version")?;
    if number > VERSION as u64 {
        let message = format!(
            "written by a newer bico: format {number}, and this one reads formats up to {VERSION}"
        );
        return Err(reader
            .error(version, message)
            .help("update bico-build, or delete the file to tune again"));
    }
    if number == 0 {
        return Err(reader.error(version, "there is no format 0"));
    }
    let (devices, kernels) = (fields.take("devices")?, fields.take("kernels")?);
    fields.end()?;
    let lock = Lock {
        devices: map(&reader, devices, "devices", device_key, |value, _| {
            facts::read(&reader, value)
        })?,
        kernels: map(&reader, kernels, "kernels", kernel_key, |value, _| {
            map(&reader, value, "a kernel", device_key, |value, _| {
                map(
                    &reader,
                    value,
                    "a device of a kernel",
                    problem_key,
                    |value, _| entry(&reader, value),
                )
            })
        })?,
    };
    known_devices(&reader, kernels, &lock)?;
    Ok(lock)
}

type Checked = fn(&str) -> Result<(), String>;

fn kernel_key(key: &str) -> Result<(), String> {
    if text::is_key(key) {
        Ok(())
    } else {
        Err("cannot be the key of a tunable".to_string())
    }
}

fn parameter_name(name: &str) -> Result<(), String> {
    if text::is_identifier(name) {
        Ok(())
    } else {
        Err("cannot be the name of a parameter".to_string())
    }
}

fn device_key(key: &str) -> Result<(), String> {
    plain(key, "the key of a device")
}

fn problem_key(key: &str) -> Result<(), String> {
    plain(key, "the name of a problem")
}

fn plain(key: &str, what: &str) -> Result<(), String> {
    if key.is_empty() {
        return Err(format!("cannot be {what}"));
    }
    text::fault(key).map_or(Ok(()), |fault| {
        Err(format!("cannot be {what}: it holds {fault}"))
    })
}

/// An object whose keys are data.
fn map<T>(
    reader: &Reader<'_>,
    value: &ast::Value<'_>,
    what: &str,
    check: Checked,
    mut read: impl FnMut(&ast::Value<'_>, &str) -> Result<T, Error>,
) -> Result<BTreeMap<String, T>, Error> {
    let mut out = BTreeMap::new();
    for property in &reader.object(value, what)?.properties {
        let name = property.name.as_str();
        check(name).map_err(|fault| {
            reader.error(&property.name, format!("`{}` {fault}", name.escape_debug()))
        })?;
        out.insert(name.to_string(), read(&property.value, name)?);
    }
    Ok(out)
}

/// Every device of a kernel has facts: without them, `require` could not be checked elsewhere.
fn known_devices(reader: &Reader<'_>, kernels: &ast::Value<'_>, lock: &Lock) -> Result<(), Error> {
    for kernel in &reader.object(kernels, "kernels")?.properties {
        for device in &reader.object(&kernel.value, "a kernel")?.properties {
            if !lock.devices.contains_key(device.name.as_str()) {
                let message = format!(
                    "the device `{}` does not stand under `devices`",
                    device.name.as_str()
                );
                return Err(reader.error(&device.name, message).help(tree::RESTORE));
            }
        }
    }
    Ok(())
}

fn resources(reader: &Reader<'_>, value: &ast::Value<'_>) -> Result<Usage, Error> {
    let mut fields = reader.fields(value, "resources")?;
    let on_chip_bytes = fields.take("on_chip_bytes")?;
    let registers = fields.take("registers")?;
    let spill_bytes = fields.take("spill_bytes")?;
    fields.end()?;
    let small = |value: &ast::Value<'_>, what: &str| {
        u32::try_from(reader.count(value, what)?)
            .map_err(|_| reader.error(value, format!("`{what}` must be at most {}", u32::MAX)))
    };
    Ok(Usage {
        on_chip_bytes: reader.count(on_chip_bytes, "on_chip_bytes")?,
        registers: small(registers, "registers")?,
        spill_bytes: small(spill_bytes, "spill_bytes")?,
    })
}

fn entry(reader: &Reader<'_>, value: &ast::Value<'_>) -> Result<Entry, Error> {
    let mut fields = reader.fields(value, "an entry")?;
    let budget = fields.take("budget")?;
    let evaluations = fields.take("evaluations")?;
    let first = fields.take_if_there("first");
    let hash_fields = fields.take("hashes")?;
    let ranked = fields.take_if_there("ranked");
    let resources = fields.take_if_there("resources");
    let source = fields.take_if_there("source");
    let space_size = fields.take("space_size")?;
    let strategy = fields.take("strategy")?;
    let toolchain = fields.take("toolchain")?;
    let trials = fields.take("trials")?;
    let verified = fields.take("verified")?;
    let winner = fields.take("winner")?;
    fields.end()?;

    let mut winner = reader.fields(winner, "winner")?;
    let interval = winner.take("interval_seconds")?;
    Ok(Entry {
        budget: self::budget(reader, budget)?,
        evaluations: reader.count(evaluations, "evaluations")?,
        hashes: hashes(reader, hash_fields)?,
        resources: resources
            .map(|value| self::resources(reader, value))
            .transpose()?,
        source: source
            .map(|value| reader.text(value, "source"))
            .transpose()?,
        space_size: reader.count(space_size, "space_size")?,
        strategy: reader.text(strategy, "strategy")?,
        toolchain: reader.text(toolchain, "toolchain")?,
        trials: self::trials(reader, trials)?,
        first: first
            .map(|value| marked(reader, value, "first"))
            .transpose()?,
        ranked: ranked
            .map(|value| marked(reader, value, "ranked"))
            .transpose()?,
        verified: self::verified(reader, verified)?,
        interval: self::interval(reader, interval)?,
        winner: trial(reader, winner)?,
    })
}

fn budget(reader: &Reader<'_>, value: &ast::Value<'_>) -> Result<Budget, Error> {
    let mut fields = reader.fields(value, "budget")?;
    let (evaluations, seconds) = (fields.take("evaluations")?, fields.take("seconds")?);
    fields.end()?;
    Ok(Budget {
        evaluations: reader.count(evaluations, "evaluations")?,
        seconds: reader.seconds(seconds, "seconds")?,
    })
}

fn hashes(reader: &Reader<'_>, value: &ast::Value<'_>) -> Result<Hashes, Error> {
    let mut fields = reader.fields(value, "hashes")?;
    let mut hash = |name: &'static str| -> Result<Hash, Error> {
        let value = fields.take(name)?;
        let text = reader.text(value, name)?;
        text.parse()
            .map_err(|()| reader.error(value, format!("`{name}` must be 32 digits of 0-9 and a-f")))
    };
    let hashes = Hashes {
        flags: hash("flags")?,
        launch: hash("launch")?,
        source: hash("source")?,
        space: hash("space")?,
        verify: hash("verify")?,
    };
    fields.end()?;
    Ok(hashes)
}

fn verified(reader: &Reader<'_>, value: &ast::Value<'_>) -> Result<Verified, Error> {
    match reader.text(value, "verified")?.as_str() {
        "reference" => Ok(Verified::Reference),
        "reference at small sizes" => Ok(Verified::SmallSizes),
        "consensus" => Ok(Verified::Consensus),
        "no" => Ok(Verified::Nothing),
        other => Err(reader.error(
            value,
            format!("`verified` is \"reference\" or \"consensus\", not \"{other}\""),
        )),
    }
}

fn interval(reader: &Reader<'_>, value: &ast::Value<'_>) -> Result<[f64; 2], Error> {
    let elements = reader.array(value, "interval_seconds")?;
    let [low, high] = elements.as_slice() else {
        return Err(reader.error(
            value,
            format!(
                "`interval_seconds` must hold two times, not {}",
                elements.len()
            ),
        ));
    };
    let (low, high) = (
        reader.seconds(low, "interval_seconds")?,
        reader.seconds(high, "interval_seconds")?,
    );
    if low > high {
        return Err(reader.error(value, "`interval_seconds` must begin with the smaller time"));
    }
    Ok([low, high])
}

fn marked(reader: &Reader<'_>, value: &ast::Value<'_>, what: &'static str) -> Result<Trial, Error> {
    trial(reader, reader.fields(value, what)?)
}

fn trials(reader: &Reader<'_>, value: &ast::Value<'_>) -> Result<Vec<Trial>, Error> {
    let mut trials: Vec<Trial> = Vec::new();
    for element in reader.array(value, "trials")? {
        let found = trial(reader, reader.fields(element, "a trial")?)?;
        // Left behind by a merge that went line by line.
        if let Some(first) = trials.iter().find(|trial| trial.config == found.config) {
            let message = format!("the config of line {} stands here again", first.place.line);
            return Err(reader.error(element, message).help("delete one of the two"));
        }
        trials.push(found);
    }
    Ok(trials)
}

fn trial(reader: &Reader<'_>, mut fields: Fields<'_, '_>) -> Result<Trial, Error> {
    let (config, seconds) = (fields.take("config")?, fields.take("seconds")?);
    fields.end()?;
    let place = reader.place(config);
    let seconds = reader.seconds(seconds, "seconds")?;
    let config: Config = map(reader, config, "config", parameter_name, |value, name| {
        scalar(reader, value, name)
    })?;
    Ok(Trial {
        config,
        seconds,
        place,
    })
}

fn scalar(reader: &Reader<'_>, value: &ast::Value<'_>, name: &str) -> Result<Value, Error> {
    match value {
        ast::Value::BooleanLit(literal) => Ok(Value::Bool(literal.value)),
        ast::Value::StringLit(_) => reader.text(value, name).map(Value::Str),
        ast::Value::NumberLit(literal) if literal.value.contains(['.', 'e', 'E']) => {
            reader.number(value, name).map(Value::Float)
        }
        ast::Value::NumberLit(literal) => literal.value.parse().map(Value::Int).map_err(|_| {
            reader.error(
                value,
                format!("`{name}` is {}, which does not fit 64 bits", literal.value),
            )
        }),
        other => Err(reader.error(
            other,
            format!(
                "`{name}` must be a number, a string, true or false, not {}",
                tree::kind(other)
            ),
        )),
    }
}
