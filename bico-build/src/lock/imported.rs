//! `bico.imported`: the best configs that other tools measured, as `cargo bico import` keeps them.
//!
//! A file of its own, beside `bico.lock`: what stands there was verified by nobody here, so it is where a search begins and
//! nothing else. No build takes a winner from it, and no program carries its configs.

use super::file::{Guard, read};
use super::modify::replace;
use super::read::{map, trials};
use super::text::{self, DEVICE, PROBLEM, TUNABLE};
use super::write::{block, checked, trial};
use super::{Error, Trial};
use bico_core::device::DeviceKey;
use bico_core::json::{Document, Item, Json, Kind, ToJson};
use bico_core::{Lists, Map};
use std::fs;
use std::path::Path;

/// The file's name.
pub const IMPORTED: &str = "bico.imported";

/// The format that this version writes and reads.
const VERSION: u64 = 1;

const MEND: &str = "delete the file, and run `cargo bico import` again";

const KIND: Kind = Kind {
    name: "file of imported results",
    mend: MEND,
    fault: text::fault,
};

/// What was imported: tunable key -> the device's name -> problem key.
pub type Imported = Map<String, Map<DeviceKey, Map<String, Import>>>;

/// The results of one tunable at one problem on one device.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// What it was read from, for people: `Kernel Tuner cache, 134 configs, 120 timed`.
    pub from: String,
    /// The best of them, fastest first.
    pub trials: Vec<Trial>,
}

/// Reads the file; empty where there is none.
///
/// # Errors
///
/// The file cannot be read, or is faulty.
pub fn load_imported(path: &Path) -> Result<Imported, Error> {
    match read(path, "the file of imported results", MEND)? {
        Some(text) => parse(path, &text),
        None => Ok(Imported::default()),
    }
}

/// Adds results to the file: they replace those of the same tunable, device and problem.
///
/// # Errors
///
/// The file is faulty or cannot be written, or `added` has a name or a value that it cannot hold.
#[inline]
pub fn keep_imported(path: &Path, added: &Imported) -> Result<(), Error> {
    // A link stays one: what it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let _guard = Guard::take(&target);
    let mut imported = load_imported(path)?;
    for (key, devices) in added {
        for (device, problems) in devices {
            let known = imported.or_default(key.clone()).or_default(device.clone());
            known.extend(problems.clone());
        }
    }
    let text = to_text(&imported)
        .map_err(|fault| Error::of_file(path, format!("the file cannot hold this: {fault}")))?;
    let failed = |error| Error::of_file(path, format!("the file cannot be written: {error}"));
    replace(&target, &text, None).map_err(failed)
}

fn parse(path: &Path, text: &str) -> Result<Imported, Error> {
    let document = Document::parse(&KIND, path, text)?;
    let mut fields = document.root().fields("the file")?;
    let version = fields.take("version")?;
    if version.count()? != VERSION {
        let message = format!("this bico reads imported results of format {VERSION} only");
        return Err(version.error(message).help(MEND));
    }
    let problems = |device: Item<'_>| map(device.named("a device of a kernel"), PROBLEM, import);
    let kernel = |kernel: Item<'_>| map(kernel.named("a kernel"), DEVICE, problems);
    let imported = map(fields.take("kernels")?, TUNABLE, kernel)?;
    fields.end()?;
    Ok(imported)
}

fn import(item: Item<'_>) -> Result<Import, Error> {
    let mut fields = item.fields("an import")?;
    let import = Import {
        from: fields.read("from")?,
        trials: trials(fields.take("trials")?)?,
    };
    fields.end()?;
    Ok(import)
}

#[inline]
fn to_text(imported: &Imported) -> Result<String, String> {
    let import = |import: &Import| {
        let trials = import.trials.iter().map(trial).try_collect_vec()?;
        checked(Json::object(vec![
            ("from", import.from.to_json()),
            ("trials", Json::List(trials)),
        ]))
    };
    let kernels = block(imported, |key, devices| {
        text::check(TUNABLE, key)?;
        block(devices, |_, problems| block(problems, |_, of| import(of)))
    })?;
    let file = Json::object(vec![("kernels", kernels), ("version", VERSION.to_json())]);
    Ok(file.to_text() + "\n")
}
