//! What each parameter does, and which two depend on each other most.

use super::super::chart::{Axis, Chart, Ink, Mark, SHADES, Side};
use super::super::text::{counted, short};
use super::{Figure, Table};
use crate::analyse::{Analysis, Effect, Level};
use bico_build::report::{ratio, time};

/// Parameters that are drawn, and values of each.
const PARAMETERS: usize = 6;
const VALUES: usize = 10;
/// The share from which a parameter is drawn although three others are.
const LEAST: f64 = 0.01;
/// A row's height.
const ROW: u32 = 23;
/// How many times the best time each shade but the last goes to.
const UP_TO: [f64; SHADES as usize - 1] = [1.05, 1.2, 1.5, 2.0, 3.0];

/// The best and the median time for each value of each parameter; `None` where nothing ran, or nothing varied.
pub(in super::super) fn effects(analysis: &Analysis) -> Option<Figure> {
    let effects = analysis.parameters.iter().enumerate();
    let matters = |(at, effect): &(usize, &Effect)| *at < 3 || effect.share >= Some(LEAST);
    let effects = effects.filter(matters);
    let effects: Vec<&Effect> = effects.map(|(_, effect)| effect).collect();
    // Values that several configs ran with, two of each parameter at least; where there are none, what there is.
    let shown = Some(drawn(&effects, 2)).filter(|drawn| !drawn.is_empty());
    let drawn = shown.unwrap_or_else(|| drawn(&effects, 1));
    let first = drawn.first()?.0;
    let times = drawn.iter().flat_map(|(_, levels)| levels.iter());
    let x = Axis::times(
        times.flat_map(|level| level.best.into_iter().chain(level.median)),
        5,
    );
    let (mut names, mut marks) = (Vec::new(), Vec::new());
    for (effect, levels) in &drawn {
        marks.push(Mark::Text {
            at: (x.range().0, -(names.len() as f64)),
            text: headline(effect),
            ink: Ink::Text,
            side: Side::Right,
        });
        names.push(String::new());
        for level in levels {
            marks.extend(marks_of(level, -(names.len() as f64)));
            names.push(short(&level.value, 14));
        }
    }
    Some(Figure {
        name: "effects",
        title: title(first),
        legend: vec![
            (Ink::Search, "best time with the value".into()),
            (Ink::Random, "median time with it".into()),
        ],
        chart: Chart {
            x,
            height: ROW * names.len() as u32,
            y: Axis::rows(names),
            x_name: "time of a call".into(),
            y_name: String::new(),
            marks,
        },
        caption: caption(analysis, drawn.len()),
        data: data(analysis),
    })
}

/// The parameters that are drawn, each with those of its values that so many configs ran with, and as many of them.
fn drawn<'a>(effects: &[&'a Effect], least: usize) -> Vec<(&'a Effect, Vec<&'a Level>)> {
    let drawn = effects
        .iter()
        .map(|effect| (*effect, drawn_levels(effect, least)));
    let drawn = drawn.filter(|(_, levels)| levels.len() >= least);
    drawn.take(PARAMETERS).collect()
}

/// Where there are many, the values that most configs had.
fn drawn_levels(effect: &Effect, least: usize) -> Vec<&Level> {
    let ran = effect.levels.iter().enumerate();
    let ran = ran.filter(|(_, level)| level.measured - level.failed >= least);
    let mut ran: Vec<(usize, &Level)> = ran.collect();
    ran.sort_by_key(|(_, level)| std::cmp::Reverse(level.measured));
    ran.truncate(VALUES);
    ran.sort_by_key(|(place, _)| *place);
    ran.into_iter().map(|(_, level)| level).collect()
}

fn marks_of(level: &Level, row: f64) -> Vec<Mark> {
    let (Some(best), Some(median)) = (level.best, level.median) else {
        return Vec::new();
    };
    let dot = |at, ink, radius, is_ring| Mark::Dots {
        points: vec![(at, row)],
        ink,
        radius,
        is_ring,
    };
    vec![
        Mark::Line {
            points: vec![(best, row), (median, row)],
            ink: Ink::Faint,
            width: 2,
        },
        dot(median, Ink::Random, 4, true),
        dot(best, Ink::Search, 5, false),
    ]
}

/// A parameter, with those that change with it.
fn name(effect: &Effect) -> String {
    match effect.names.split_first() {
        Some((first, [])) => short(first, 24),
        Some((first, others)) => short(&format!("{first} (and {})", others.join(", ")), 32),
        None => String::new(),
    }
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p < 1.0 => "under 1 %".into(),
        p => format!("{p:.0} %"),
    }
}

fn headline(effect: &Effect) -> String {
    let share = effect
        .share
        .map(|share| format!(": {} of the variance", percent(share)));
    format!("\u{a0}{}{}", name(effect), share.unwrap_or_default())
}

/// How many times as long the best config with the worst value takes, of the values that several configs ran with.
fn cost(effect: &Effect) -> Option<f64> {
    let levels = effect.levels.iter();
    let levels = levels.filter(|level| level.measured > level.failed + 1);
    let best = levels.filter_map(|level| level.best);
    let (low, high) = best.fold((f64::INFINITY, 0.0f64), |(low, high), t| {
        (low.min(t), high.max(t))
    });
    (low > 0.0 && high >= low).then(|| high / low)
}

fn title(effect: &Effect) -> String {
    let mut title = match effect.share {
        Some(share) => format!(
            "{} matters most: it explains {} of how times vary",
            name(effect),
            percent(share)
        ),
        None => format!("Too few configs to tell how much {} matters", name(effect)),
    };
    if let Some(cost) = cost(effect).filter(|cost| *cost > 1.005) {
        let cost = ratio(cost);
        let cost = cost.trim_end_matches('x');
        title += &format!("; with its worst value the best config takes {cost} times as long");
    }
    title
}

fn caption(analysis: &Analysis, drawn: usize) -> String {
    let left_out = match analysis.parameters.len() - drawn {
        0 => String::new(),
        count => format!(" and {} that matter less", counted(count, "parameter")),
    };
    format!(
        "Further left is faster. Both times are of the configs that the search measured with that value, which it did not choose evenly. The share is that of \
         the variance of the logarithm of the time (ω²), for each parameter as if there were no other. In the data only: values that one config alone \
         ran with, which count for nothing, those beyond {VALUES} of a parameter{left_out}."
    )
}

fn or_dash(seconds: Option<f64>) -> String {
    seconds.map_or("-".into(), time)
}

fn data(analysis: &Analysis) -> Table {
    let effects = analysis.parameters.iter();
    let rows = effects.flat_map(|effect| {
        effect.levels.iter().map(move |level| {
            vec![
                effect.names.join(", "),
                level.value.clone(),
                level.measured.to_string(),
                level.failed.to_string(),
                or_dash(level.best),
                or_dash(level.median),
                effect.share.map_or("-".into(), percent),
            ]
        })
    });
    let head = [
        "parameter",
        "value",
        "configs",
        "failed",
        "best",
        "median",
        "share of the variance",
    ];
    Table::new(head, rows.collect())
}

/// The heat map of the pair whose effects depend on each other most.
pub(in super::super) fn pair(analysis: &Analysis) -> Option<Figure> {
    let pair = analysis.pair.as_ref()?;
    let [mut down, mut across] = pair.of.map(|at| &analysis.parameters[at]);
    let mut cells: Vec<Vec<&Level>> = pair.cells.iter().map(|row| row.iter().collect()).collect();
    if across.levels.len() > down.levels.len() {
        (down, across) = (across, down);
        let column = |at: usize| cells.iter().map(|row| row[at]).collect();
        cells = (0..down.levels.len()).map(column).collect();
    }
    let times = cells.iter().flatten().filter_map(|cell| cell.best);
    let best = times.fold(f64::INFINITY, f64::min);
    let mut marks = Vec::new();
    for (row, cells) in cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let at = (column as f64, -(row as f64));
            marks.extend(cell_marks(cell, at, best, across.levels.len() <= 9));
        }
    }
    let (first, second) = (name(down), name(across));
    Some(Figure {
        name: "pair",
        title: pair_title(&first, &second, pair.share),
        legend: legend(),
        chart: Chart {
            x: Axis::columns(labels(across, 8)),
            y: Axis::rows(labels(down, 40)),
            height: 26 * down.levels.len() as u32,
            x_name: second,
            y_name: first,
            marks,
        },
        caption: format!(
            "Each field is the best config that was measured with both values, as a multiple of the best of all ({}). Empty fields were not measured; \
             × marks those of which every config failed. The share is of the variance of the logarithm of the time, beyond what each explains alone (ω²).",
            time(best)
        ),
        data: pair_data(down, across, &cells),
    })
}

fn pair_title(first: &str, second: &str, share: f64) -> String {
    match share {
        share if share < 0.01 => format!(
            "No two parameters depend on each other much; {first} and {second} do most (under 1 % of how times vary)"
        ),
        share => format!(
            "{first} and {second} must be chosen together: the pair explains {} of how times vary, beyond each alone",
            percent(share)
        ),
    }
}

fn shade(factor: f64) -> u8 {
    UP_TO.iter().filter(|most| factor > **most).count() as u8
}

fn legend() -> Vec<(Ink, String)> {
    let text = |shade: usize| match shade {
        0 => format!("up to {} times the best", UP_TO[0]),
        shade if shade == UP_TO.len() => format!("over {}", UP_TO[shade - 1]),
        shade => format!("to {}", UP_TO[shade]),
    };
    let shades = 0..SHADES;
    shades
        .map(|shade| (Ink::Heat(shade), text(shade.into())))
        .collect()
}

fn cell_marks(cell: &Level, at: (f64, f64), best: f64, has_text: bool) -> Vec<Mark> {
    let text = |text: String, ink| Mark::Text {
        at,
        text,
        ink,
        side: Side::Middle,
    };
    let Some(factor) = cell.best.map(|seconds| seconds / best) else {
        let failed = (cell.measured > 0).then(|| text("×".into(), Ink::Text));
        return failed.into_iter().collect();
    };
    let shade = shade(factor);
    let mut marks = vec![Mark::Box {
        corners: [(at.0 - 0.48, at.1 - 0.46), (at.0 + 0.48, at.1 + 0.46)],
        ink: Ink::Heat(shade),
    }];
    if has_text {
        marks.push(text(format!("{factor:.2}"), Ink::OnHeat(shade)));
    }
    marks
}

/// Labels of a parameter's values: where there are many, not each has one.
fn labels(effect: &Effect, most: usize) -> Vec<String> {
    let every = effect.levels.len().div_ceil(most).max(1);
    let levels = effect.levels.iter().enumerate();
    let label = |(at, level): (usize, &Level)| match at % every {
        0 => short(&level.value, 10),
        _ => String::new(),
    };
    levels.map(label).collect()
}

fn pair_data(down: &Effect, across: &Effect, cells: &[Vec<&Level>]) -> Table {
    let rows = down.levels.iter().zip(cells);
    let rows = rows.map(|(level, cells)| {
        let cells = cells.iter().map(|cell| match (cell.best, cell.measured) {
            (Some(best), _) => time(best),
            (None, 0) => "-".into(),
            (None, _) => "failed".into(),
        });
        std::iter::once(level.value.clone()).chain(cells).collect()
    });
    let corner = format!("{} / {}", down.names.join(", "), across.names.join(", "));
    let head = across.levels.iter().map(|level| level.value.clone());
    Table {
        head: std::iter::once(corner).chain(head).collect(),
        rows: rows.collect(),
    }
}
