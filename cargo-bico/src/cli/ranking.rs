//! `cargo bico replay --ranking`: rankings against recordings, without any search.

use crate::Error;
use crate::replay::{Authored, Authors, DEPTHS, Hints, Ranking, Recording};
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
            let author = hints.author(recording)?;
            Ok(author
                .map(|author| Ranking::new(recording, &Authored::new(recording, Some(&*author)))))
        };
        let blind = Ranking::new(recording, &Authored::new(recording, None));
        lines.push(Line {
            space: blind.space,
            configs: bico_search::search::Configs::len(&recording.configs),
            timed: blind.timed,
            blind: blind.spearman,
            plain: of(&plain)?,
            hints: of(&all)?,
        });
    }
    table(&lines);
    if json {
        println!("{}", serde_json::to_string(&lines).map_err(Error::work)?);
    }
    Ok(())
}

fn table(lines: &[Line]) {
    let width = lines.iter().map(|line| line.space.len()).max().unwrap_or(0);
    println!(
        "rank correlation of prediction and time: by values only, by what an attribute says, by all hints;\n\
         then, by all hints, the optimum over the best of the first N\n"
    );
    print!("{:width$}   timed   blind   plain   hints", "space");
    for depth in DEPTHS {
        print!("  {depth:>5}");
    }
    println!();
    for line in lines {
        let plain = line.plain.as_ref().and_then(|ranking| ranking.spearman);
        let hints = line.hints.as_ref().and_then(|ranking| ranking.spearman);
        print!("{:width$}  {:6}", line.space, line.timed);
        for correlation in [line.blind, plain, hints] {
            match correlation {
                Some(correlation) => print!("  {correlation:6.3}"),
                None => print!("       -"),
            }
        }
        for fraction in line.hints.iter().flat_map(|ranking| ranking.best) {
            print!("  {fraction:5.3}");
        }
        println!();
    }
    let known: Vec<&Ranking> = lines
        .iter()
        .filter_map(|line| line.hints.as_ref())
        .collect();
    if known.len() > 1 {
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let all =
            |rankings: Vec<&Ranking>| mean(rankings.iter().filter_map(|r| r.spearman).collect());
        let plain = lines
            .iter()
            .filter_map(|line| line.plain.as_ref())
            .collect();
        print!("{:width$}  {:6}", "average", "");
        print!("       -  {:6.3}  {:6.3}", all(plain), all(known.clone()));
        for at in 0..DEPTHS.len() {
            print!(
                "  {:5.3}",
                mean(known.iter().map(|ranking| ranking.best[at]).collect())
            );
        }
        println!();
    }
}
