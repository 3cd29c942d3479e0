//! The ranked list as a file, beside the trail.

use super::{Configs, Csv, Label};
use crate::rank::Ranked;
use bico_core::Value;
use std::io;

/// Rows of the ranked list that are written.
const MOST_RANKED: usize = 10_000;

/// Adds the ranked list of one problem to a CSV file of a tunable: `problem,device,rank,config,predicted,` and the
/// parameters; the best 10,000.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write_ranked(
    file: &mut Csv,
    label: &Label,
    configs: &dyn Configs,
    ranked: &Ranked,
) -> io::Result<()> {
    let first = ["problem", "device", "rank", "config", "predicted"];
    let names = configs.names().iter().map(String::as_str);
    file.head(first.into_iter().chain(names));
    let places = ranked.order.iter().zip(&ranked.predicted).zip(1..);
    for ((config, predicted), rank) in places.take(MOST_RANKED) {
        let value = |value| match value {
            Value::Str(text) => text.to_string(),
            other => other.to_string(),
        };
        let values = configs.values(*config).into_iter().map(value);
        let first = [
            label.problem.clone(),
            label.device.clone(),
            rank.to_string(),
            config.to_string(),
            format!("{predicted:e}"),
        ];
        file.row(first.into_iter().chain(values));
    }
    file.flush()
}
