//! Outputs in files: those to compare with, and those that others will be compared with.

use super::prepared::{Filled, Prepared};
use super::{Harness, Kept};
use crate::files::could_not;
use crate::measure::protocol::Call;
use crate::measure::slot::BufferSlot;
use bico_core::Lists;
use bico_device::measure::Bytes;
use bico_search::search::Failure;
use std::io::{Read, Write};
use std::path::Path;

/// Bytes of an output that are looked at before all of it is.
const LOOK: usize = 4096;

/// One output that is compared with.
pub(super) struct Known {
    pub(super) want: Kept,
    /// Of each column of `want`.
    magnitudes: Vec<f64>,
    /// What was close enough the last time. Many configs sum in the same order, and nearly all give twice what they gave once:
    /// to see that is much faster than to compare element by element.
    close: Option<Bytes>,
}

impl Harness {
    /// The outputs in a file.
    pub(super) fn known(&mut self, path: &Path, call: &Call) -> Result<usize, Failure> {
        if let Some(at) = self.known.iter().position(|(known, _)| known == path) {
            return Ok(at);
        }
        let read = || -> std::io::Result<Vec<_>> {
            let mut file = std::fs::File::open(path)?;
            let read = |slot: &BufferSlot| {
                let mut bytes = Bytes::zeroed(slot.bytes().unwrap_or(0));
                file.read_exact(bytes.as_mut_slice())?;
                let magnitudes = slot.magnitudes(bytes.as_slice());
                Ok((bytes, magnitudes))
            };
            call.results().map(read).collect()
        };
        let outputs = read()
            .map_err(could_not("read", path))
            .map_err(Failure::Worker)?;
        self.learn(path, outputs);
        Ok(self.known.len() - 1)
    }

    /// Keeps the outputs in a file, with how large they are.
    fn learn(&mut self, path: &Path, outputs: Vec<(Bytes, Vec<f64>)>) {
        self.drop_known(self.kept);
        let known = |(bytes, magnitudes)| Known {
            want: self.keep(bytes),
            magnitudes,
            close: None,
        };
        let outputs = outputs.into_iter().map(known).collect_vec();
        self.known.push((path.to_path_buf(), outputs));
    }

    /// Writes the outputs of a reference to a file, and looks at them.
    pub(crate) fn keep_reference(
        &mut self,
        prepared: &Prepared,
        path: &Path,
    ) -> Result<(Option<String>, Option<Vec<String>>), Failure> {
        let outputs = self.outputs(prepared)?;
        save(&outputs, path)?;
        let magnitudes =
            |(filled, bytes): (&Filled, &Bytes)| filled.slot.magnitudes(bytes.as_slice());
        let magnitudes = prepared
            .checked()
            .zip(&outputs)
            .map(magnitudes)
            .collect_vec();
        let blank = blank(prepared, &outputs);
        let faint = faint(prepared, &outputs, &magnitudes);
        // Whoever is compared with it next need not read it.
        if self.known.iter().all(|(known, _)| known != path) {
            self.learn(path, outputs.into_iter().zip(magnitudes).collect_vec());
        }
        Ok((blank, faint))
    }

    /// Forgets outputs, the oldest first, until the others are no more than so many bytes.
    pub(super) fn drop_known(&mut self, most: usize) {
        // With what was close to it.
        let bytes = |known: &Known| {
            let close = known.close.as_ref();
            known.want.bytes.as_slice().len() + close.map_or(0, |close| close.as_slice().len())
        };
        let kept = self.known.iter().flat_map(|(_, outputs)| outputs);
        let mut kept: usize = kept.map(bytes).sum();
        while kept > most && !self.known.is_empty() {
            let (_, oldest) = self.known.remove(0);
            kept -= oldest.iter().map(bytes).sum::<usize>();
            for known in &oldest {
                self.forget(&known.want);
            }
        }
    }

    /// What of the outputs differs from those in a file.
    pub(super) fn difference(
        &mut self,
        prepared: &Prepared,
        path: &Path,
    ) -> Result<Option<String>, Failure> {
        let at = self.known(path, &prepared.call)?;
        let inputs = prepared.call.inputs;
        for (number, filled) in prepared.checked().enumerate() {
            let known = &self.known[at].1[number];
            if self.is_found_right(filled, &known.want, &known.magnitudes, inputs)? {
                continue;
            }
            let known = &mut self.known[at].1[number];
            let got = self.device.contents(filled.buffer);
            let (slot, got) = (&filled.slot, got.map_err(Failure::Worker)?);
            let close = known.close.as_ref();
            if close.is_some_and(|close| *got == *close.as_slice()) {
                continue;
            }
            let want = known.want.bytes.as_slice();
            let found = slot.difference(&got, want, &known.magnitudes, inputs);
            if found.is_some() {
                drop(got);
                return match self.mend(prepared)? {
                    false => Ok(found),
                    true => Err(Failure::Worker(
                        "an earlier kernel wrote to what this one was to be given".into(),
                    )),
                };
            }
            let close = || Bytes::zeroed(got.len());
            let close = known.close.get_or_insert_with(close);
            close.as_mut_slice().copy_from_slice(&got);
        }
        Ok(None)
    }

    /// The outputs of a call.
    pub(crate) fn outputs(&self, prepared: &Prepared) -> Result<Vec<Bytes>, Failure> {
        let copied = |filled| {
            let contents = self.contents(filled)?;
            let mut bytes = Bytes::zeroed(contents.len());
            bytes.as_mut_slice().copy_from_slice(&contents);
            Ok(bytes)
        };
        prepared.checked().map(copied).try_collect_vec()
    }

    /// Whether a call's outputs are these, bit by bit.
    pub(crate) fn is_alike(&self, prepared: &Prepared, outputs: &[Kept]) -> Result<bool, Failure> {
        for (filled, kept) in prepared.checked().zip(outputs) {
            if !self.holds_kept(filled, kept)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes the outputs of a call to a file.
    pub(crate) fn save(&self, prepared: &Prepared, path: &Path) -> Result<(), Failure> {
        save(&self.outputs(prepared)?, path)
    }
}

fn save(outputs: &[Bytes], path: &Path) -> Result<(), Failure> {
    let written = || -> std::io::Result<()> {
        // Under another name first: another build may read it already.
        let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
        let mut file = std::fs::File::create(&temporary)?;
        for bytes in outputs {
            file.write_all(bytes.as_slice())?;
        }
        drop(file);
        std::fs::rename(&temporary, path)
    };
    written()
        .map_err(could_not("write", path))
        .map_err(Failure::Worker)
}

/// An output in which every element is NaN.
fn blank(prepared: &Prepared, outputs: &[Bytes]) -> Option<String> {
    let mut all = prepared.checked().zip(outputs);
    all.find_map(|(filled, bytes)| filled.slot.blank(bytes.as_slice()))
}

/// An output that differs from what some buffer held before the call by no more than a wrong one may from it; and that
/// buffer. A reference that copies on purpose gives the same bits.
fn faint(prepared: &Prepared, outputs: &[Bytes], magnitudes: &[Vec<f64>]) -> Option<Vec<String>> {
    let inputs = prepared.call.inputs;
    for ((filled, got), magnitudes) in prepared.checked().zip(outputs).zip(magnitudes) {
        let (slot, got) = (&filled.slot, got.as_slice());
        let alike = prepared.buffers.iter().filter(|of| slot.is_like(&of.slot));
        for other in alike {
            let Some(before) = other.original.as_ref() else {
                continue;
            };
            let before = before.bytes.as_slice();
            let differs = |bytes: usize| {
                let (before, got) = (&before[..bytes], &got[..bytes]);
                slot.difference(got, before, magnitudes, inputs).is_some()
            };
            // Nearly always the first few tell.
            let few = LOOK / slot.size() * slot.size();
            if !differs(got.len().min(few)) && *got != *before && !differs(got.len()) {
                return Some(vec![slot.name.clone(), other.slot.name.clone()]);
            }
        }
    }
    None
}
