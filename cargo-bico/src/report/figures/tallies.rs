//! Bars: why configs failed, and where the seconds went.

use super::super::chart::{Axis, Chart, Ink, Mark, Side};
use super::super::search::Search;
use super::super::text::{counted, short};
use super::{Figure, Table};
use bico_build::report::{count, duration};

/// A row's height, and about the width of all rows and of a character.
const ROW: u32 = 30;
const PLOT: f64 = 250.0;
const CHARACTER: f64 = 7.6;

/// Failures by reason; `None` where nothing failed.
pub(in super::super) fn failures(search: &Search) -> Option<Figure> {
    let reasons = search.failures();
    let failed: usize = reasons.iter().map(|(_, count)| count).sum();
    let (most, _) = reasons.first()?;
    let all = search.trials.len();
    let bars = reasons.iter().map(|(reason, number)| {
        let text = count(*number as u64);
        (short(reason, 24), *number as f64, text)
    });
    let share = |number: usize| format!("{:.0} %", 100.0 * number as f64 / all as f64);
    let mut title = format!(
        "{} of {} failed",
        count(failed as u64),
        counted(all, "config")
    );
    title += &match reasons.len() {
        1 => format!(", for one reason: {}", short(most, 40)),
        _ => format!(", most often: {}", short(most, 40)),
    };
    Some(Figure {
        name: "failures",
        title,
        legend: Vec::new(),
        chart: bars_of(bars.collect(), Ink::Failed, "configs", |most| Axis::counts(0.0, most, false)),
        caption: "A config that fails costs one evaluation and can never win. The trail below has what is known of each.".into(),
        data: Table::new(
            ["reason", "configs", "share of all"],
            reasons
                .iter()
                .map(|(reason, number)| vec![reason.clone(), count(*number as u64), share(*number)])
                .collect(),
        ),
    })
}

/// Where the seconds went; `None` where nobody took the time.
pub(in super::super) fn costs(search: &Search) -> Option<Figure> {
    let costs = search.costs();
    let total: f64 = costs.iter().map(|(_, seconds)| seconds).sum();
    let (most, seconds) = costs.first().filter(|(_, seconds)| *seconds > 0.0)?;
    let share = |seconds: f64| format!("{:.0} %", 100.0 * seconds / total);
    let bars = costs
        .iter()
        .filter(|(_, seconds)| *seconds >= 0.001 * total);
    let bars = bars.map(|(name, seconds)| {
        let text = format!("{} ({})", duration(*seconds), share(*seconds));
        (short(name, 24), *seconds, text)
    });
    Some(Figure {
        name: "costs",
        title: format!(
            "{} of {} went to {}",
            share(*seconds),
            duration(total),
            what(most)
        ),
        legend: Vec::new(),
        chart: bars_of(bars.collect(), Ink::Search, "time by the clock", Axis::clock),
        caption: "Compiling counts only while it was waited for. The rest is choosing configs and talking to the worker. The finals are part of it.".into(),
        data: Table::new(
            ["what", "spent", "share"],
            costs
                .iter()
                .map(|(name, seconds)| vec![name.clone(), duration(*seconds), share(*seconds)])
                .collect(),
        ),
    })
}

fn what(part: &str) -> String {
    match part {
        "rest" => "choosing configs and the like".into(),
        "references" => "running the reference".into(),
        "warming" => "warming up".into(),
        "waiting" => "waiting for other builds".into(),
        other => short(other, 24),
    }
}

/// A bar for each name, with its number as a text.
fn bars_of(
    bars: Vec<(String, f64, String)>,
    ink: Ink,
    x_name: &str,
    axis: impl Fn(f64) -> Axis,
) -> Chart {
    let most = bars
        .iter()
        .map(|(_, length, _)| *length)
        .fold(0.0, f64::max);
    let widest = bars.iter().map(|(_, _, text)| text.chars().count()).max();
    // Room for the number beside the longest, of the pixels that there are.
    let text = CHARACTER * widest.unwrap_or(0) as f64;
    let room = 1.0 / (1.0 - (text / PLOT).min(0.7));
    let mut marks = Vec::new();
    for (at, (_, length, text)) in bars.iter().enumerate() {
        let row = -(at as f64);
        marks.push(Mark::Box {
            corners: [(0.0, row - 0.32), (*length, row + 0.32)],
            ink,
        });
        marks.push(Mark::Text {
            at: (*length, row),
            text: format!("\u{a0}{text}"),
            ink: Ink::Text,
            side: Side::Right,
        });
    }
    Chart {
        x: axis(most * room),
        height: ROW * bars.len().max(2) as u32,
        y: Axis::rows(bars.into_iter().map(|(name, ..)| name).collect()),
        x_name: x_name.into(),
        y_name: String::new(),
        marks,
    }
}
