//! Hints: what an attribute's `launch` and `work` would say, for the kernel of a recording.
//!
//! One JSON file for each kernel, the same for all devices. Expressions are in the attribute's
//! grammar and may name the recording's parameters, the file's `sizes` (which a parameter of the same
//! name hides), the names under `let` that stand before, and `device`'s fields:
//!
//! ```json
//! {
//!   "kernel": ["transpose", "transpose_2"],
//!   "sizes": {"n": 4096},
//!   "let": {"tile": "block_x * per_thread"},
//!   "require": ["4 * tile * tile <= device.shared_memory_per_block"],
//!   "launch": {
//!     "grid": ["n.div_ceil(tile)", "n.div_ceil(tile)"], "block": ["block_x", "block_y"],
//!     "shared": "4 * tile * (tile + 1)", "row": "tile + 1"
//!   },
//!   "work": {"bytes": "8 * n * n"}
//! }
//! ```
//!
//! `launch` may also say `registers` and `results` of a thread, the bytes of one `access` and those
//! that a warp's neighbours read in one `contiguous` piece, the words of a `row` of shared memory and
//! whether threads are `guarded`; `work` also bytes of `loads` through the cache and of `shared`
//! memory: see [`profile`]. `about` is for people.

mod device;
mod file;
mod formulas;
mod profile;

#[cfg(test)]
mod tests;

use super::{Error, Recording};
use file::File;
use formulas::Formulas;
use std::path::{Path, PathBuf};

pub use device::gpu;

/// The factor of a config that `require` does not allow: it counts as one that the device cannot run.
const HOPELESS: f64 = 1e6;

/// The hints of several kernels.
#[derive(Debug, Default)]
pub struct Hints {
    files: Vec<Source>,
}

#[derive(Debug)]
struct Source {
    path: PathBuf,
    text: String,
    file: File,
}

impl Hints {
    /// Reads files of hints; a folder stands for all `.json` files in it.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is no hints, or a second one for the same kernel.
    pub fn read(paths: &[PathBuf]) -> Result<Hints, Error> {
        let mut hints = Hints::default();
        for path in paths {
            for file in files(path).map_err(|error| unreadable(path, &error))? {
                let text = std::fs::read_to_string(&file);
                hints.add(&file, text.map_err(|error| unreadable(&file, &error))?)?;
            }
        }
        Ok(hints)
    }

    /// Adds the hints of one file.
    ///
    /// # Errors
    ///
    /// As [`Hints::read`].
    pub fn add(&mut self, path: &Path, text: String) -> Result<(), Error> {
        // A link under the name of each of its kernels is the same file.
        if self.files.iter().any(|known| known.text == text) {
            return Ok(());
        }
        let file = File::parse(path, &text)?;
        for kernel in file.kernels.list() {
            if let Some(other) = self.of(kernel) {
                let message = format!("a second file of hints for the kernel `{kernel}`");
                let first = format!("the first one is {}", other.path.display());
                return Err(Error::new(path, message).help(first));
            }
        }
        let path = path.into();
        self.files.push(Source { path, text, file });
        Ok(())
    }

    /// Leaves only what an attribute can say: `require`, `grid`, `block` and `shared` of `launch`,
    /// `flops` and `bytes` of `work`.
    pub fn plain(mut self) -> Hints {
        for source in &mut self.files {
            source.file.plain();
        }
        self
    }

    /// The seconds that the hints predict of each config of a recording; `None` where there are none of its
    /// kernel.
    ///
    /// # Errors
    ///
    /// An expression that does not fit the recording, or has no value for some config.
    pub fn predict(&self, recording: &Recording) -> Result<Option<Vec<f64>>, Error> {
        let Some(Source { path, text, file }) = self.of(&recording.kernel) else {
            return Ok(None);
        };
        let formulas = Formulas::new(path, text, file, recording)?;
        let configs = &recording.configs;
        let predicted = (0..configs.len()).map(|config| {
            let (work, code, valid) = formulas.at(&configs.config(config))?;
            let factor = if valid { 1.0 } else { HOPELESS };
            Ok((code.predict(&formulas.facts, &work) * factor).min(f64::MAX))
        });
        predicted.collect::<Result<_, Error>>().map(Some)
    }

    fn of(&self, kernel: &str) -> Option<&Source> {
        let mut files = self.files.iter();
        files.find(|source| source.file.kernels.list().iter().any(|name| name == kernel))
    }
}

fn files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.into()]);
    }
    let entries = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
    let mut files = entries.collect::<std::io::Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "json"));
    files.sort();
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(path, format!("cannot be read: {error}"))
}
