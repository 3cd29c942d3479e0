//! Tables for people.

use super::format;
use super::summary::assignment;
use bico_search::rank::{Kind, Ranked};
use bico_search::search::Configs;

/// The best of the ranked list, one line each: rank, prediction, config.
pub fn top_ranked(configs: &dyn Configs, ranked: &Ranked, count: usize) -> Vec<String> {
    let predicted: Vec<String> = ranked
        .predicted
        .iter()
        .take(count)
        .map(|value| match ranked.kind {
            Kind::Seconds => format::time(*value),
            Kind::Score => format!("{value:.4}"),
        })
        .collect();
    let width = predicted
        .iter()
        .map(|text| text.chars().count())
        .max()
        .unwrap_or(0);
    let places = predicted.len().to_string().len();
    predicted
        .iter()
        .zip(&ranked.order)
        .enumerate()
        .map(|(place, (predicted, config))| {
            let values = assignment(configs.names(), &configs.values(*config));
            format!("{:>places$}  {predicted:>width$}  {values}", place + 1)
        })
        .collect()
}
