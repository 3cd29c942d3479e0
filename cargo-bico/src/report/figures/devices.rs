//! All devices of the lock, side by side.

use super::super::chart::{Axis, Chart, Ink, Mark, Side};
use super::super::text::short;
use super::{Figure, Table, short_devices};
use bico_build::lock::{Entry, Kernel};
use bico_build::report::{ratio, time};

/// Rows that are drawn, and a row's height.
const ROWS: usize = 40;
const ROW: u32 = 25;

/// What one device makes of one problem.
struct Result<'a> {
    problem: &'a str,
    device: &'a str,
    entry: &'a Entry,
}

/// The winners' times of a tunable on all devices, problem by problem; `None` where there are no two devices of any problem.
pub(in super::super) fn devices(kernel: &Kernel) -> Option<Figure> {
    let mut results: Vec<Result<'_>> = Vec::new();
    for (device, problems) in kernel.iter() {
        results.extend(problems.iter().map(|(problem, entry)| Result {
            problem,
            device: device.as_str(),
            entry,
        }));
    }
    let seconds = |result: &Result<'_>| result.entry.winner.seconds;
    results.sort_by(|a, b| {
        a.problem
            .cmp(b.problem)
            .then(seconds(a).total_cmp(&seconds(b)))
    });
    let groups: Vec<&[Result<'_>]> = results.chunk_by(|a, b| a.problem == b.problem).collect();
    let widest = groups.iter().max_by_key(|group| group.len())?;
    if widest.len() < 2 {
        return None;
    }
    let keys: Vec<&str> = kernel.keys().map(|key| key.as_str()).collect();
    let names = short_devices(&keys);
    let name = |device: &str| {
        let at = keys.iter().position(|key| *key == device);
        at.map_or(String::new(), |at| names[at].clone())
    };
    let (first, last) = (&widest[0], &widest[widest.len() - 1]);
    let factor = ratio(seconds(last) / seconds(first));
    let factor = factor.trim_end_matches('x');
    let title = format!(
        "{} takes {} a call at {}; {} takes {factor} times as long",
        name(first.device),
        time(seconds(first)),
        short(first.problem, 40),
        name(last.device),
    );
    let row = |result: &Result<'_>| {
        let [low, high] = result.entry.interval.map(time);
        vec![
            result.problem.to_string(),
            result.device.to_string(),
            time(seconds(result)),
            format!("{low} to {high}"),
        ]
    };
    Some(Figure {
        name: "devices",
        title,
        legend: Vec::new(),
        chart: chart(&groups, &name),
        caption: "Further left is faster. The winners of bico.lock, each on its device; the line is the interval of its median. Problems that one device alone \
                  knows are in the table above."
            .into(),
        data: Table::new(
            ["problem", "device", "time", "interval"],
            results.iter().map(row).collect(),
        ),
    })
}

fn chart(groups: &[&[Result<'_>]], name: &dyn Fn(&str) -> String) -> Chart {
    let drawn = groups.iter().filter(|group| group.len() > 1);
    let drawn: Vec<&Result<'_>> = drawn.flat_map(|group| group.iter()).take(ROWS).collect();
    let ends = drawn.iter().flat_map(|result| {
        let [low, high] = result.entry.interval;
        [low, result.entry.winner.seconds, high]
    });
    let x = Axis::times(ends, 5);
    let (mut names, mut marks) = (Vec::new(), Vec::new());
    let mut problem = None;
    for result in drawn {
        if problem != Some(result.problem) {
            problem = Some(result.problem);
            marks.push(Mark::Text {
                at: (x.range().0, -(names.len() as f64)),
                text: format!("\u{a0}{}", short(result.problem, 40)),
                ink: Ink::Text,
                side: Side::Right,
            });
            names.push(String::new());
        }
        let row = -(names.len() as f64);
        let [low, high] = result.entry.interval;
        marks.push(Mark::Line {
            points: vec![(low, row), (high, row)],
            ink: Ink::Search,
            width: 3,
        });
        marks.push(Mark::Dots {
            points: vec![(result.entry.winner.seconds, row)],
            ink: Ink::Search,
            radius: 5,
            is_ring: false,
        });
        names.push(short(&name(result.device), 30));
    }
    Chart {
        x,
        height: ROW * names.len() as u32,
        y: Axis::rows(names),
        x_name: "time of a call".into(),
        y_name: String::new(),
        marks,
    }
}
