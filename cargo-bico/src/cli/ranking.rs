//! `cargo bico replay --ranking`: rankings against recordings, without any search.

use crate::Error;
use crate::out::{line, out};
use crate::replay::{DEPTHS, Hints, Ranking, Recording};
use bico_build::report::columns;
use std::path::PathBuf;

/// One recording with and without hints.
#[derive(serde::Serialize)]
struct Line {
    space: String,
    configs: u64,
    timed: usize,
    /// By parameter values and device facts only.
    blind: Option<f64>,
    /// By what an attribute can say.
    plain: Option<Ranking>,
    /// By all hints.
    hints: Option<Ranking>,
}

pub(super) fn run(recordings: &[Recording], hints: &[PathBuf], json: bool) -> Result<(), Error> {
    let all = Hints::read(hints)?;
    let plain = Hints::read(hints)?.plain();
    let mut lines = Vec::new();
    for recording in recordings {
        let of = |hints: &Hints| -> Result<Option<Ranking>, Error> {
            let predicted = hints.predict(recording)?;
            Ok(predicted.map(|seconds| Ranking::new(recording, Some(&seconds))))
        };
        let blind = Ranking::new(recording, None);
        lines.push(Line {
            space: blind.space,
            configs: recording.configs.len(),
            timed: blind.timed,
            blind: blind.spearman,
            plain: of(&plain)?,
            hints: of(&all)?,
        });
    }
    line(
        "rank correlation of prediction and time: by values only, by what an attribute says, by all hints;\n\
         then, by all hints, the optimum over the best of the first N\n",
    )?;
    out(table(&lines))?;
    if json {
        line(&serde_json::to_string(&lines).map_err(Error::work)?)?;
    }
    Ok(())
}

fn table(lines: &[Line]) -> String {
    let head = ["space", "timed", " blind", " plain", " hints"].map(String::from);
    let depths = DEPTHS.map(|depth| format!("{depth:>5}"));
    let mut rows = vec![head.into_iter().chain(depths).collect()];
    let row = |name: &str, timed: String, correlations: [Option<f64>; 3], best: &[f64]| {
        let cell = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
        let mut row = vec![name.to_string(), timed];
        row.extend(correlations.map(cell));
        row.extend(best.iter().map(|fraction| format!("{fraction:.3}")));
        row
    };
    let spearman = |ranking: &Option<Ranking>| ranking.as_ref().and_then(|r| r.spearman);
    for line in lines {
        let correlations = [line.blind, spearman(&line.plain), spearman(&line.hints)];
        let best = line.hints.as_ref().map_or(&[][..], |ranking| &ranking.best);
        rows.push(row(&line.space, line.timed.to_string(), correlations, best));
    }
    let known = lines.iter().filter_map(|line| line.hints.as_ref());
    let known: Vec<&Ranking> = known.collect();
    if known.len() > 1 {
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let all = |of: fn(&Line) -> &Option<Ranking>| {
            let values = lines.iter().filter_map(|line| spearman(of(line)));
            Some(mean(values.collect()))
        };
        let best = |at: usize| mean(known.iter().map(|ranking| ranking.best[at]).collect());
        let best: Vec<f64> = (0..DEPTHS.len()).map(best).collect();
        let correlations = [None, all(|line| &line.plain), all(|line| &line.hints)];
        rows.push(row("average", String::new(), correlations, &best));
    }
    columns(&rows, 1)
}
