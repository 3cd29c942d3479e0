//! What a search came by, step by step, for who wants to see more than its closing line.

use super::columns::between;
use super::format::{throughput, time};
use super::summary::assignment;
use bico_core::Lists;
use bico_search::search::{Configs, Row, RowKind, Trail};

/// Configs of the list of the best.
const BEST: usize = 5;

/// The best configs as they are known in the end, then the rows of the trail that brought a new best: what a smaller budget
/// would have reached.
pub fn steps(trail: &Trail, configs: &dyn Configs) -> Vec<String> {
    let mut best = vec![head(&["Place", "Latency", "Throughput", "Config"])];
    for (place, (config, sample)) in trail.top(BEST).into_iter().enumerate() {
        let row = trail.trials().find(|row| row.config == config);
        // By the time that counts: that of the finals, where it was there.
        let faster = row.and_then(|row| Some(row.outcome.sample()?.seconds / sample.seconds));
        best.push(vec![
            (place + 1).to_string(),
            time(sample.seconds),
            row.map_or_else(dash, |row| rates(row, faster.unwrap_or(1.0))),
            assignment(configs.names(), &configs.values(config)),
        ]);
    }
    let columns = ["Budget", "Latency", "Throughput", "Best", "Sink", "Config"];
    let mut steps = vec![head(&columns)];
    let mut reached = None;
    for row in &trail.rows {
        let config = row.best.map(|best| best.config);
        if row.kind == RowKind::Final || config == reached || config != Some(row.config) {
            continue;
        }
        reached = config;
        let seconds = row.outcome.sample().map(|sample| time(sample.seconds));
        steps.push(vec![
            row.evaluation.to_string(),
            seconds.unwrap_or_else(dash),
            rates(row, 1.0),
            row.best.map_or_else(dash, |best| time(best.seconds)),
            row.sink.to_string(),
            assignment(configs.names(), &configs.values(row.config)),
        ]);
    }
    let text = between(&best, 0, 3) + &between(&steps, 0, 5);
    text.lines().map(str::to_string).collect_vec()
}

fn head(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|of| of.to_string()).collect_vec()
}

fn dash() -> String {
    "-".to_string()
}

/// A row's throughput, if its call took so much less time, with what that is of the device's.
fn rates(row: &Row, faster: f64) -> String {
    let of = |rate: Option<f64>| rate.map(|rate| rate * faster);
    let (flops, bytes) = (of(row.flops_per_second), of(row.bytes_per_second));
    let peak = row.of_peak.and_then(|of| match flops {
        Some(_) => of.flops,
        None => of.bytes,
    });
    let peak = peak.map(|peak| format!(" ({:.0} % of peak)", 100.0 * peak * faster));
    let rates = throughput(flops, bytes);
    rates.map_or_else(dash, |rates| rates + &peak.unwrap_or_default())
}
