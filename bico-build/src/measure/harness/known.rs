//! Outputs in files: those to compare with, and those that others will be compared with.

use super::prepared::Prepared;
use super::{Harness, KEPT_BYTES};
use crate::measure::compare;
use crate::measure::protocol::Tolerance;
use crate::measure::worker::fault;
use bico_device::measure::Bytes;
use bico_search::search::Failure;
use std::io::{Read, Write};
use std::path::Path;

/// One output that is compared with.
pub(super) struct Known {
    bytes: Bytes,
    magnitude: f64,
}

impl Known {
    fn len(&self) -> usize {
        self.bytes.as_slice().len()
    }
}

impl Harness {
    /// The outputs in a file.
    fn known(&mut self, path: &Path, prepared: &Prepared) -> Result<usize, Failure> {
        if let Some(at) = self.known.iter().position(|(known, _)| known == path) {
            return Ok(at);
        }
        let read = |error| fault(format!("could not read `{}`: {error}", path.display()));
        let mut file = std::fs::File::open(path).map_err(read)?;
        let mut outputs = Vec::new();
        for filled in prepared.checked() {
            let mut bytes = Bytes::zeroed(filled.slot.bytes().unwrap_or(0));
            file.read_exact(bytes.as_mut_slice()).map_err(read)?;
            let magnitude = compare::magnitude(filled.slot.element, bytes.as_slice());
            outputs.push(Known { bytes, magnitude });
        }
        let kept = self.known.iter().flat_map(|(_, outputs)| outputs);
        let mut kept: usize = kept.map(Known::len).sum();
        while kept > KEPT_BYTES {
            let (_, oldest) = self.known.remove(0);
            kept -= oldest.iter().map(Known::len).sum::<usize>();
        }
        self.known.push((path.to_path_buf(), outputs));
        Ok(self.known.len() - 1)
    }

    /// What of the outputs differs from those in a file.
    pub(super) fn difference(
        &mut self,
        prepared: &Prepared,
        path: &Path,
        tolerance: Tolerance,
    ) -> Result<Option<String>, Failure> {
        let at = self.known(path, prepared)?;
        let (_, outputs) = &self.known[at];
        for (filled, known) in prepared.checked().zip(outputs) {
            let got = self.device.contents(filled.buffer).map_err(fault)?;
            let slot = &filled.slot;
            let want = known.bytes.as_slice();
            let found = compare::difference(
                &slot.name,
                slot.element,
                &got,
                want,
                tolerance,
                known.magnitude,
            );
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Writes the outputs of a call to a file.
    pub(crate) fn save(&self, prepared: &Prepared, path: &Path) -> Result<(), Failure> {
        let written = || -> std::io::Result<()> {
            // Under another name first: another build may read it already.
            let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
            let mut file = std::fs::File::create(&temporary)?;
            for filled in prepared.checked() {
                file.write_all(
                    &self
                        .device
                        .contents(filled.buffer)
                        .map_err(std::io::Error::other)?,
                )?;
            }
            drop(file);
            std::fs::rename(&temporary, path)
        };
        written().map_err(|error| fault(format!("could not write `{}`: {error}", path.display())))
    }
}
