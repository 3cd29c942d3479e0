//! What was predicted, over what was measured.

use super::super::chart::{Axis, Chart, Ink, Mark};
use super::super::search::Search;
use super::super::text::counted;
use super::{Figure, Table};
use bico_build::report::time;
use bico_search::rank::spearman;

/// Dots whose numbers stand below the chart.
const DOTS: usize = 200;

/// `None` where nothing was predicted, or the same of all.
pub(in super::super) fn prediction(search: &Search) -> Option<Figure> {
    let pairs = search.predicted();
    let sign = if search.is_score { -1.0 } else { 1.0 };
    let (predicted, measured): (Vec<f64>, Vec<f64>) =
        pairs.iter().map(|(p, s)| (sign * p, *s)).unzip();
    let correlation = spearman(&predicted, &measured)?;
    let points: Vec<(f64, f64)> = pairs.iter().map(|(p, s)| (*s, *p)).collect();
    let is_time = !search.is_score && pairs.iter().all(|(p, _)| *p > 0.0);
    let x = Axis::times(measured.iter().copied(), 5);
    let y = match is_time {
        true => Axis::times(pairs.iter().map(|(p, _)| *p), 6),
        false => Axis::numbers(pairs.iter().map(|(p, _)| *p)),
    };
    let mut marks = Vec::new();
    let (from, to) = (x.range().0.max(y.range().0), x.range().1.min(y.range().1));
    if is_time && from < to {
        marks.push(Mark::Line {
            points: vec![(from, from), (to, to)],
            ink: Ink::Faint,
            width: 2,
        });
    }
    marks.push(Mark::Dots {
        radius: if points.len() > 500 { 2 } else { 4 },
        points: points.clone(),
        ink: Ink::Search,
        is_ring: false,
    });
    let what = if is_time { "predicted time" } else { "score" };
    let shown = |value: f64| {
        if is_time {
            time(value)
        } else {
            format!("{value:e}")
        }
    };
    let row = |(at, (s, p)): (usize, &(f64, f64))| vec![(at + 1).to_string(), time(*s), shown(*p)];
    Some(Figure {
        name: "prediction",
        title: format!(
            "{}: rank correlation {correlation:.2}",
            verdict(correlation)
        ),
        legend: Vec::new(),
        chart: Chart {
            x,
            y,
            x_name: "measured time, a call".into(),
            y_name: what.into(),
            height: 250,
            marks,
        },
        caption: caption(search, points.len(), is_time && from < to),
        data: Table::new(
            ["dot", "measured time", what],
            points.iter().take(DOTS).enumerate().map(row).collect(),
        ),
    })
}

fn verdict(correlation: f64) -> &'static str {
    match correlation {
        r if r >= 0.8 => "The prediction orders configs well",
        r if r >= 0.5 => "The prediction orders configs fairly well",
        r if r >= 0.2 => "The prediction says a little about the order",
        r if r > -0.2 => "The prediction says nothing about the order",
        _ => "The prediction misleads",
    }
}

fn caption(search: &Search, count: usize, has_line: bool) -> String {
    let score = match search.is_score {
        true => {
            " The score is the attribute's: higher should be faster, so dots should fall to the right."
        }
        false => " Dots should rise to the right: only their order matters to the search.",
    };
    let line = match has_line {
        true => " On the grey line the prediction is the time.",
        false => "",
    };
    let cut = match count > DOTS {
        true => format!(" The data below are those of the first {DOTS}; the trail has all."),
        false => String::new(),
    };
    format!(
        "Each of the {} is a config that ran.{score}{line}{cut} The correlation is Spearman's: 1 is the same order, 0 none, -1 the opposite.",
        counted(count, "dot")
    )
}
