//! The ranked list as a file, beside the trail.

use super::csv::line;
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
    let label = line([&label.problem, &label.device]);
    let places = ranked.order.iter().zip(&ranked.predicted).zip(1..);
    for ((config, predicted), rank) in places.take(MOST_RANKED) {
        let mut row = format!("{label},{rank},{config},{predicted:e}");
        for value in configs.values(*config) {
            row.push(',');
            // Numbers need no quotes, and there are many of them: unoptimised builds write this.
            row += &match value {
                Value::Int(number) => number.to_string(),
                Value::Str(text) => line([text]),
                other => other.to_string(),
            };
        }
        file.add(&row);
    }
    file.flush()
}
