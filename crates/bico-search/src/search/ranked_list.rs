//! The ranked list as a file, beside the trail.

use super::{Configs, Label};
use crate::rank::Ranked;
use bico_core::Value;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Rows of the ranked list that are written.
const MOST_RANKED: usize = 10_000;

/// Writes the ranked lists of one tunable as CSV: `problem,device,rank,config,predicted,` and the
/// parameters; the best 10,000 of each problem.
#[derive(Debug)]
pub struct RankedList {
    file: BufWriter<File>,
    headed: bool,
}

impl RankedList {
    /// Starts the file anew, with its folder.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn create(path: &Path) -> io::Result<RankedList> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(RankedList {
            file: BufWriter::new(File::create(path)?),
            headed: false,
        })
    }

    /// Adds the list of one problem.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn write(
        &mut self,
        label: &Label,
        configs: &dyn Configs,
        ranked: &Ranked,
    ) -> io::Result<()> {
        if !self.headed {
            self.headed = true;
            self.file
                .write_all(b"problem,device,rank,config,predicted")?;
            for name in configs.names() {
                write!(self.file, ",{}", field(name))?;
            }
            self.file.write_all(b"\n")?;
        }
        let (problem, device) = (field(&label.problem), field(&label.device));
        let places = ranked.order.iter().zip(&ranked.predicted).enumerate();
        for (place, (config, predicted)) in places.take(MOST_RANKED) {
            write!(
                self.file,
                "{problem},{device},{},{config},{predicted:e}",
                place + 1
            )?;
            for value in configs.values(*config) {
                match value {
                    Value::Str(text) => write!(self.file, ",{}", field(text))?,
                    other => write!(self.file, ",{other}")?,
                }
            }
            self.file.write_all(b"\n")?;
        }
        self.file.flush()
    }
}

/// One field of a CSV line, quoted where it must be.
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}
