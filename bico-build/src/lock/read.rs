//! Text -> [`Lock`]: strict, and every fault with its line.

use super::model::VERSION;
use super::text::{self, DEVICE, HEADER, PARAMETER, PROBLEM, TUNABLE};
use super::{Budget, Entry, Error, Hashes, Lock, Place, Ratio, Trial, Verified};
use bico_core::device::{DeviceKey, Facts};
use bico_core::json::{Document, Fields, Item, Kind};
use bico_core::{Lists, Map};
use std::path::Path;

/// The way out of a file that was damaged.
pub(super) const RESTORE: &str =
    "restore the file from version control, or delete it to tune again";

/// A lock, in messages.
const LOCK: Kind = Kind {
    name: "lock",
    mend: RESTORE,
    fault: text::fault,
};

/// Reads the text of a lock; `path` is for messages.
///
/// # Errors
///
/// The first fault of the text.
pub fn parse(path: &Path, text: &str) -> Result<Lock, Error> {
    no_merge_markers(path, text)?;
    let document = Document::parse(&LOCK, path, text)?;
    let mut fields = document.root().fields("the lock")?;
    // Before all else: what a newer version writes, this one must not judge.
    let version = fields.take("version")?;
    let number = version.count()?;
    if number > VERSION as u64 {
        let message = format!(
            "written by a newer bico: format {number}, and this one reads formats up to {VERSION}"
        );
        let help = "update bico-build, or delete the file to tune again";
        return Err(version.error(message).help(help));
    }
    if number == 0 {
        return Err(version.error("there is no format 0"));
    }
    let (devices, kernels) = (fields.take("devices")?, fields.take("kernels")?);
    fields.end()?;
    let devices: Map<DeviceKey, Facts> = map(devices, DEVICE, Item::read)?;
    let problems = |device: Item<'_>| {
        let name = device.name();
        // Without facts of it, `require` could not be checked elsewhere.
        if devices.get(name).is_none() {
            let message = format!("the device `{name}` does not stand under `devices`");
            return Err(device.error_of_name(message).help(RESTORE));
        }
        map(device.named("a device of a kernel"), PROBLEM, entry)
    };
    let kernel = |kernel: Item<'_>| map(kernel.named("a kernel"), DEVICE, problems);
    Ok(Lock {
        kernels: map(kernels, TUNABLE, kernel)?,
        devices,
    })
}

/// The facts in a file of what programs learned: they have the shape of the lock's.
///
/// # Errors
///
/// They are missing or faulty; `path` is for messages.
#[inline]
pub fn learned_facts(path: &Path, text: &str) -> Result<Facts, Error> {
    let document = Document::parse(&LOCK, path, text)?;
    document.root().fields("the file")?.read("facts")
}

fn no_merge_markers(path: &Path, text: &str) -> Result<(), Error> {
    let is_marker = |line: &str| {
        let mut markers = ["<<<<<<<", "|||||||", ">>>>>>>"].iter();
        markers.any(|marker| line.starts_with(marker)) || line.trim_end() == "======="
    };
    let Some(index) = text.lines().position(is_marker) else {
        return Ok(());
    };
    let (line, column) = (index + 1, 1);
    let place = Place { line, column };
    Err(Error::at(path, place, "the lock holds a merge conflict").help(
        "run `cargo bico merge` in the package's folder, or take one side (`git checkout --ours bico.lock`) and run `BICO=tune cargo build`",
    ))
}

/// An object whose keys are data, each the name of a `what`.
pub(super) fn map<'a, K: Ord + From<String>, T>(
    item: Item<'a>,
    what: &str,
    read: impl Fn(Item<'a>) -> Result<T, Error>,
) -> Result<Map<K, T>, Error> {
    let mut map = Map::default();
    for entry in item.entries()? {
        let name = entry.name();
        text::check(what, name).map_err(|fault| entry.error_of_name(fault))?;
        map.insert(K::from(name.to_string()), read(entry)?);
    }
    Ok(map)
}

fn entry(item: Item<'_>) -> Result<Entry, Error> {
    let mut fields = item.fields("an entry")?;
    let budget = self::budget(fields.take("budget")?)?;
    let mut winner = fields.take("winner")?.fields("winner")?;
    let (verified, rules) = verified(fields.take("verified")?)?;
    let entry = Entry {
        budget,
        interval: interval(winner.take("interval_seconds")?)?,
        timed: winner.read_if_there("timed")?,
        tested: winner.read_if_there("tested")?,
        ratio: winner.take_if_there("ratio").map(ratio).transpose()?,
        winner: trial(winner)?,
        evaluations: fields.take("evaluations")?.count()?,
        first: fields.take_if_there("first").map(marked).transpose()?,
        hashes: hashes(fields.take("hashes")?.fields("hashes")?)?,
        ranked: fields.take_if_there("ranked").map(marked).transpose()?,
        resources: fields.read_if_there("resources")?,
        source: fields.read_if_there("source")?,
        space_size: fields.take("space_size")?.count()?,
        strategy: fields.read("strategy")?,
        toolchain: fields.read("toolchain")?,
        trials: trials(fields.take("trials")?)?,
        verified,
        rules,
    };
    fields.end()?;
    Ok(entry)
}

fn ratio(item: Item<'_>) -> Result<Ratio, Error> {
    let mut fields = item.fields("ratio")?;
    let to = fields.take("to")?;
    let name = to.text()?;
    let known = [Ratio::REFERENCE, Ratio::FIRST];
    if !known.contains(&name) {
        let known = known.join("\" or \"");
        return Err(to.error(format!("`to` is \"{known}\", not \"{name}\"")));
    }
    let ratio = Ratio {
        to_reference: name == Ratio::REFERENCE,
        value: seconds(fields.take("value")?)?,
        interval: interval(fields.take("interval")?)?,
    };
    fields.end()?;
    Ok(ratio)
}

fn hashes(mut fields: Fields<'_>) -> Result<Hashes, Error> {
    let headers = fields.take_if_there("headers");
    let headers = headers.map(|headers| map(headers, HEADER, Item::read));
    let hashes = Hashes {
        headers: headers.transpose()?.unwrap_or_default(),
        source: fields.read("source")?,
        space: fields.read("space")?,
        launch: fields.read("launch")?,
        verify: fields.read("verify")?,
        flags: fields.read("flags")?,
    };
    fields.end()?;
    Ok(hashes)
}

/// A time.
fn seconds(item: Item<'_>) -> Result<f64, Error> {
    let number = item.number()?;
    match number < 0.0 {
        true => Err(item.error(format!("`{}` must not be negative", item.name()))),
        false => Ok(number),
    }
}

fn budget(item: Item<'_>) -> Result<Budget, Error> {
    let mut fields = item.fields("budget")?;
    let budget = Budget {
        evaluations: fields.take("evaluations")?.count()?,
        seconds: seconds(fields.take("seconds")?)?,
    };
    fields.end()?;
    Ok(budget)
}

fn verified(item: Item<'_>) -> Result<(Verified, u32), Error> {
    let text = item.text()?;
    Verified::named(text).ok_or_else(|| {
        let message =
            format!("`verified` is \"reference\", \"judge\" or \"consensus\", not \"{text}\"");
        item.error(message)
    })
}

fn interval(item: Item<'_>) -> Result<[f64; 2], Error> {
    let times: Vec<f64> = item
        .elements()?
        .into_iter()
        .map(seconds)
        .try_collect_vec()?;
    match *times.as_slice() {
        [low, high] if low <= high => Ok([low, high]),
        [_, _] => {
            let name = item.name();
            Err(item.error(format!("`{name}` must begin with the smaller time")))
        }
        _ => {
            let count = times.len();
            Err(item.error(format!(
                "`interval_seconds` must hold two times, not {count}"
            )))
        }
    }
}

fn marked(item: Item<'_>) -> Result<Trial, Error> {
    trial(item.fields(item.name())?)
}

pub(super) fn trials(item: Item<'_>) -> Result<Vec<Trial>, Error> {
    let mut trials: Vec<Trial> = Vec::new();
    for element in item.elements()? {
        let found = trial(element.fields("a trial")?)?;
        // Left behind by a merge that went line by line.
        if let Some(first) = trials.iter().find(|trial| trial.config == found.config) {
            let message = format!("the config of line {} stands here again", first.place.line);
            return Err(element.error(message).help("delete one of the two"));
        }
        trials.push(found);
    }
    Ok(trials)
}

fn trial(mut fields: Fields<'_>) -> Result<Trial, Error> {
    let (config, time) = (fields.take("config")?, fields.take("seconds")?);
    fields.end()?;
    Ok(Trial {
        seconds: seconds(time)?,
        place: config.place(),
        config: map(config, PARAMETER, Item::read)?,
    })
}
