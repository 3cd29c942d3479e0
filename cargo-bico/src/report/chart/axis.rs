//! Axes: what they span, how, and where their ticks are.

use super::super::text::trimmed_time;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// An axis. Where ratios matter it is logarithmic.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    is_log: bool,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Whole numbers from 1, or from 0.
    pub(crate) fn counts(low: f64, high: f64, is_log: bool) -> Axis {
        let high = high.max(low + 1.0);
        let ticks = match is_log {
            true => log_ticks(low, high, 6),
            false => linear_ticks(low, high, 6),
        };
        let whole = ticks.into_iter().filter(|tick| tick.fract() == 0.0);
        let label = |tick: f64| (tick, bico_build::report::count(tick as u64));
        Axis {
            low,
            high,
            is_log,
            ticks: whole.map(label).collect(),
        }
    }

    /// Seconds of the clock, from 0.
    pub(crate) fn clock(high: f64) -> Axis {
        let high = if high > 0.0 { high } else { 1.0 };
        let (unit, name) = match high {
            h if h >= 10_000.0 => (3600.0, "h"),
            h if h >= 200.0 => (60.0, "min"),
            _ => (1.0, "s"),
        };
        let label = |tick: f64| match tick {
            0.0 => "0".to_string(),
            tick if unit > 1.0 || tick >= 1.0 => format!("{tick} {name}"),
            tick => trimmed_time(tick),
        };
        let ticks = linear_ticks(0.0, high / unit, 6).into_iter();
        Axis {
            low: 0.0,
            high,
            is_log: false,
            ticks: ticks.map(|tick| (tick * unit, label(tick))).collect(),
        }
    }

    /// Times of calls, as ratios.
    pub(crate) fn times(values: impl Iterator<Item = f64>, most: usize) -> Axis {
        let (low, high) = span(values.filter(|value| *value > 0.0 && value.is_finite()));
        // At least as much as makes noise look like noise.
        let middle = low.sqrt() * high.sqrt();
        let low = (low.min(middle / 1.1) / 1.03).max(f64::MIN_POSITIVE);
        let high = (high.max(middle * 1.1) * 1.03).min(f64::MAX);
        let ticks = log_ticks(low, high, most).into_iter();
        Axis {
            low,
            high,
            is_log: true,
            ticks: ticks.map(|tick| (tick, trimmed_time(tick))).collect(),
        }
    }

    /// Numbers without a unit.
    pub(crate) fn numbers(values: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = span(values);
        let room = if high > low { (high - low) / 30.0 } else { 1.0 };
        let (low, high) = (low - room, high + room);
        let ticks = linear_ticks(low, high, 5).into_iter();
        Axis {
            low,
            high,
            is_log: false,
            ticks: ticks.map(|tick| (tick, number(tick))).collect(),
        }
    }

    /// A row for each name, the first on top; one without a name has no tick. Row `n` is at `-n`.
    pub(crate) fn rows(names: Vec<String>) -> Axis {
        let mut axis = Axis::columns(names);
        (axis.low, axis.high) = (-axis.high, 0.5);
        axis.ticks.iter_mut().for_each(|(at, _)| *at = -*at);
        axis
    }

    /// A column for each name, the first on the left.
    pub(crate) fn columns(names: Vec<String>) -> Axis {
        let high = names.len() as f64 - 0.5;
        let ticks = names.into_iter().enumerate();
        Axis {
            low: -0.5,
            high,
            is_log: false,
            ticks: ticks
                .map(|(at, name)| (at as f64, name))
                .filter(|(_, name)| !name.is_empty())
                .collect(),
        }
    }

    pub(crate) fn range(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// The most characters that a label has.
    pub(super) fn widest(&self) -> usize {
        let labels = self.ticks.iter();
        labels
            .map(|(_, label)| label.chars().count())
            .max()
            .unwrap_or(0)
    }

    /// How far from the low end a value is, from 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        let on = |value: f64| {
            if self.is_log {
                value.max(f64::MIN_POSITIVE).ln()
            } else {
                value
            }
        };
        let (low, high) = (on(self.low), on(self.high));
        ((on(value) - low) / (high - low)).clamp(0.0, 1.0)
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (self.place(*value) * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // One kind of lines is enough.
        match hint.weight().allow_light_points() {
            true => Vec::new(),
            false => self.ticks.iter().map(|(tick, _)| *tick).collect(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(tick, _)| tick == value);
        tick.map(|(_, label)| label.clone()).unwrap_or_default()
    }
}

fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let span = values.fold(none, |(low, high), value| (low.min(value), high.max(value)));
    if span.0 <= span.1 { span } else { (1.0, 1.0) }
}

/// At most so many round numbers.
fn linear_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let raw = (high - low) / most.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|of| of * power);
    let step = step
        .into_iter()
        .find(|step| *step >= raw * 0.999)
        .unwrap_or(raw);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    // By division where steps are fractions, so that a tick is the number that one would write.
    let tick = |at: i64| {
        if step < 1.0 {
            at as f64 / (1.0 / step).round()
        } else {
            at as f64 * step
        }
    };
    (first..=last).map(tick).collect()
}

/// At most so many numbers that are round in each power of ten, as many as there may be.
fn log_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let within = |tick: &f64| *tick >= low * 0.999_999 && *tick <= high * 1.000_001;
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let of = |digits: &[u32], every: usize| -> Vec<f64> {
        let ticks = powers.clone().step_by(every).flat_map(|power| {
            // The number that one would write.
            let tick =
                move |digit: &u32| format!("{digit}e{}", power - 1).parse().unwrap_or(f64::NAN);
            digits.iter().map(tick)
        });
        ticks.filter(within).collect()
    };
    let ladders: [(&[u32], usize); 7] = [
        (
            &[
                10, 12, 14, 16, 18, 20, 22, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90,
            ],
            1,
        ),
        (&[10, 15, 20, 30, 40, 50, 70], 1),
        (&[10, 20, 50], 1),
        (&[10, 30], 1),
        (&[10], 1),
        (&[10], 2),
        (&[10], 4),
    ];
    let ladders = ladders.map(|(digits, every)| of(digits, every));
    let fits = |ticks: &Vec<f64>| ticks.len() <= most.max(1);
    match ladders.into_iter().find(fits) {
        Some(ticks) if ticks.len() >= 2 => ticks,
        _ => linear_ticks(low, high, most),
    }
}

fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    match value != 0.0 && !(1e-2..1e6).contains(&value.abs()) {
        true => format!("{value:.2e}"),
        false => text.trim_end_matches('0').trim_end_matches('.').to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(
            labels(&Axis::counts(1.0, 24.0, false)),
            ["5", "10", "15", "20"]
        );
        assert_eq!(
            labels(&Axis::counts(1.0, 5000.0, true)),
            ["1", "10", "100", "1,000"]
        );
        assert_eq!(labels(&Axis::counts(0.0, 2.0, false)), ["0", "1", "2"]);
        assert_eq!(labels(&Axis::clock(31.0)), ["0", "10 s", "20 s", "30 s"]);
        assert_eq!(
            labels(&Axis::clock(1.0)),
            ["0", "200 ms", "400 ms", "600 ms", "800 ms", "1 s"]
        );
        assert_eq!(labels(&Axis::clock(500.0))[..2], ["0", "2 min"]);
        assert_eq!(labels(&Axis::clock(0.0)), labels(&Axis::clock(1.0)));
        let times = |low, high| Axis::times([low, high].into_iter(), 6);
        assert_eq!(
            labels(&times(1e-3, 2.1e-3)),
            ["1 ms", "1.2 ms", "1.4 ms", "1.6 ms", "1.8 ms", "2 ms"]
        );
        assert_eq!(
            labels(&times(0.9e-6, 1e-2)),
            ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]
        );
        // Times that differ by noise only still get an axis.
        assert!(labels(&times(1.234e-3, 1.235e-3)).len() >= 2);
        assert!(!labels(&times(f64::NAN, 0.0)).is_empty());
        assert!(!labels(&times(1e-9, 1e9)).is_empty());
        assert_eq!(
            labels(&Axis::numbers([-1.0, 1.0].into_iter())),
            ["-1", "-0.5", "0", "0.5", "1"]
        );
    }

    #[test]
    fn values_lie_where_they_belong() {
        let axis = Axis::counts(1.0, 100.0, true);
        assert_eq!(
            [1.0, 10.0, 100.0, 1e9].map(|at| axis.map(&at, (0, 200))),
            [0, 100, 200, 200]
        );
        let rows = Axis::rows(["a", "b"].map(String::from).to_vec());
        // The limits of what is drawn upwards: 100 is below.
        assert_eq!([0.0, -1.0].map(|at| rows.map(&at, (100, 0))), [25, 75]);
        assert_eq!(
            (rows.format_ext(&-1.0), rows.format_ext(&0.5)),
            ("b".into(), String::new())
        );
    }
}
