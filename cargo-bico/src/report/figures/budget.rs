//! The best config so far, over what was spent.

use super::super::chart::{Axis, Chart, Ink, Mark};
use super::super::search::Search;
use super::super::text::counted;
use super::{Figure, Table};
use bico_build::report::{count, duration, ratio, time};

/// From so many evaluations on their axis is logarithmic.
const MANY: f64 = 100.0;
/// Budgets at which curves are read off.
const BUDGETS: usize = 48;

/// Over evaluations, beside random choice, the ranked order, and what is guaranteed. `None` where nothing ran.
pub(in super::super) fn evaluations(search: &Search) -> Option<Figure> {
    let own = search.by_evaluations();
    let (&(last, best), all) = (own.last()?, search.trials.len());
    let reached = own.iter().find(|point| point.1 <= best)?.0;
    let budgets = budgets(all as u64);
    let (random, ranked) = (search.at_random(&budgets), search.in_ranked_order());
    let promised = &search.promise.steps;
    let curves = [&random, &ranked, promised, &own];
    let values = curves.into_iter().flatten().map(|point| point.1);
    let line = |points: &[(f64, f64)], ink, width| Mark::Steps {
        points: points.to_vec(),
        ink,
        width,
    };
    let dot = Mark::Dots {
        points: vec![(reached, best)],
        ink: Ink::Search,
        radius: 5,
        is_ring: false,
    };
    let marks = vec![
        line(promised, Ink::Promise, 2),
        Mark::Line {
            points: random.clone(),
            ink: Ink::Random,
            width: 2,
        },
        line(&ranked, Ink::Ranked, 2),
        line(&own, Ink::Search, 3),
        dot,
    ];
    let share = search.promise.reliability * 100.0;
    let legend = [
        (Ink::Search, format!("this search ({})", search.strategy)),
        (Ink::Random, "random draws, expected".into()),
        (Ink::Ranked, "in the predicted order".into()),
        (Ink::Promise, format!("guaranteed at {share:.0} %")),
    ];
    Some(Figure {
        name: "evaluations",
        title: title(search, reached, best, &random),
        legend: legend.to_vec(),
        chart: Chart {
            x: Axis::counts(1.0, last, last > MANY),
            y: Axis::times(values, 6),
            x_name: "configs measured".into(),
            y_name: "best time so far, a call".into(),
            height: 250,
            marks,
        },
        caption: caption(search, all),
        data: Table::new(
            [
                "configs measured",
                "this search",
                "random draws",
                "predicted order",
                "guaranteed",
            ],
            rows(&budgets, &[&own, &random, &ranked, promised]),
        ),
    })
}

fn title(search: &Search, reached: f64, best: f64, random: &[(f64, f64)]) -> String {
    let all = search.trials.len() as u64;
    let mut title = format!(
        "The fastest config takes {} a call; the search met it as number {} of {}",
        time(best),
        count(reached as u64),
        count(all),
    );
    let by_then = random.iter().rfind(|point| point.0 <= reached);
    if let Some(factor) = by_then
        .map(|point| point.1 / best)
        .filter(|of| *of > 1.005 && of.is_finite())
    {
        title += &format!(", when random draws would expect {}", times(factor));
    }
    title
}

/// `1.3 times that`
fn times(factor: f64) -> String {
    format!("{} times that", ratio(factor).trim_end_matches('x'))
}

fn caption(search: &Search, all: usize) -> String {
    let whole = match search.strategy.as_str() {
        "random" => "",
        _ => {
            "; from the whole space they would mostly do worse, for a search measures more good configs than chance would"
        }
    };
    format!(
        "Lower is better. Times are of the trials, before the finals. All curves are of the {} that this search measured and of no others, so they end alike. \
         Random draws: the mean of the best of so many, without replacement{whole}.",
        counted(all, "config")
    )
}

/// A row for each budget.
fn rows(budgets: &[u64], curves: &[&[(f64, f64)]]) -> Vec<Vec<String>> {
    let row = |budget: &u64| {
        let at = |curve: &&[(f64, f64)]| {
            let reached = curve.iter().rfind(|point| point.0 <= *budget as f64);
            reached.map_or("-".to_string(), |point| time(point.1))
        };
        let cells = curves.iter().map(at);
        std::iter::once(count(*budget)).chain(cells).collect()
    };
    budgets.iter().map(row).collect()
}

/// From 1 to all, evenly apart as ratios.
fn budgets(all: u64) -> Vec<u64> {
    let steps = (all.max(2) as usize - 1).min(BUDGETS);
    let at = |step: usize| (all as f64).powf(step as f64 / steps as f64).round() as u64;
    let mut budgets: Vec<u64> = (0..=steps).map(at).collect();
    if all <= BUDGETS as u64 {
        budgets = (1..=all).collect();
    }
    budgets.dedup();
    budgets
}

/// Over the seconds that were spent: the search only, for nobody measured how long another order would have taken.
pub(in super::super) fn seconds(search: &Search) -> Option<Figure> {
    let own = search.by_seconds();
    let &(last, best) = own.last().filter(|point| point.0 > 0.0)?;
    let reached = own.iter().find(|point| point.1 <= best)?.0;
    let near = own.iter().find(|point| point.1 <= 1.05 * best)?.0;
    let mut improved = own.clone();
    improved.dedup_by(|after, before| after.1 == before.1);
    let row = |point: &(f64, f64)| vec![duration(point.0), time(point.1), ratio(point.1 / best)];
    let mut title = format!("Within 5 % of the best after {}", duration(near));
    if reached > near {
        title += &format!(", at the best after {}", duration(reached));
    }
    title += &format!(", of {}", duration(last));
    Some(Figure {
        name: "seconds",
        title,
        legend: Vec::new(),
        chart: Chart {
            x: Axis::clock(last),
            y: Axis::times(own.iter().map(|point| point.1), 6),
            x_name: "spent since the search began".into(),
            y_name: "best time so far, a call".into(),
            height: 250,
            marks: vec![
                Mark::Steps {
                    points: own,
                    ink: Ink::Search,
                    width: 3,
                },
                Mark::Dots {
                    points: vec![(reached, best)],
                    ink: Ink::Search,
                    radius: 5,
                    is_ring: false,
                },
            ],
        },
        caption: "Lower is better. Seconds of the clock, with compiling that was waited for and verifying; the finals come after it. How long random draws or \
                  the predicted order would have taken, nobody measured."
            .into(),
        data: Table::new(
            ["spent", "best time so far", "of the best"],
            improved.iter().map(row).collect(),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_few_and_reach_both_ends() {
        assert_eq!(budgets(1), [1]);
        assert_eq!(budgets(5), [1, 2, 3, 4, 5]);
        let many = budgets(5000);
        assert_eq!((many[0], many[many.len() - 1]), (1, 5000));
        assert!(many.len() <= BUDGETS + 1 && many.windows(2).all(|two| two[0] < two[1]));
    }
}
