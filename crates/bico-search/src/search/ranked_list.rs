//! The ranked list as a file, beside the trail.

use super::{Configs, Csv, Label};
use crate::rank::Ranked;
use bico_core::Value;
use std::io;
use std::path::Path;

/// Rows of the ranked list that are written.
const MOST_RANKED: usize = 10_000;

/// Writes the ranked lists of one tunable as CSV: `problem,device,rank,config,predicted,` and the
/// parameters; the best 10,000 of each problem.
#[derive(Debug)]
pub struct RankedList(Csv);

impl RankedList {
    /// Starts the file anew, with its folder.
    ///
    /// # Errors
    ///
    /// When the folder or the file cannot be written.
    pub fn create(path: &Path) -> io::Result<RankedList> {
        Csv::create(path).map(RankedList)
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
        let first = ["problem", "device", "rank", "config", "predicted"];
        let names = configs.names().iter().map(String::as_str);
        self.0.head(first.into_iter().chain(names))?;
        let places = ranked.order.iter().zip(&ranked.predicted).zip(1..);
        for ((config, predicted), rank) in places.take(MOST_RANKED) {
            let values = configs
                .values(*config)
                .into_iter()
                .map(|value| match value {
                    Value::Str(text) => text.to_string(),
                    other => other.to_string(),
                });
            let first = [
                label.problem.clone(),
                label.device.clone(),
                rank.to_string(),
                config.to_string(),
                format!("{predicted:e}"),
            ];
            self.0.row(first.into_iter().chain(values))?;
        }
        self.0.flush()
    }
}
