//! Two finalists, compared round by round.

use super::Sample;
use super::median::firm_interval;
use bico_core::Lists;

bico_core::json_struct! {
    /// The time of one config over that of another one: below 1 it is the faster one.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Ratio {
        /// The median over the rounds; where there were none, of the two medians.
        pub middle: f64,
        /// Its interval.
        pub low: f64,
        /// The upper end.
        pub high: f64,
    }
}

impl Ratio {
    /// What `one` takes of the time of `other`. What disturbs a round meets both, and is in no ratio.
    pub fn new(one: &Sample, other: &Sample) -> Ratio {
        let ratio = Ratio::of_rounds(&one.rounds, &other.rounds);
        ratio.unwrap_or(Ratio {
            middle: one.seconds / other.seconds,
            low: one.low / other.high,
            high: one.high / other.low,
        })
    }

    /// That of the rounds that both took part in; `None` without any.
    pub fn of_rounds(one: &[f64], other: &[f64]) -> Option<Ratio> {
        let rounds = one.iter().zip(other);
        let mut ratios = rounds.map(|(one, other)| one / other).collect_vec();
        if ratios.is_empty() {
            return None;
        }
        ratios.sort_unstable_by(f64::total_cmp);
        let (low, high) = firm_interval(ratios.len());
        let half = ratios.len() / 2;
        let middle = match ratios.len() % 2 {
            0 => (ratios[half - 1] + ratios[half]) / 2.0,
            _ => ratios[half],
        };
        Some(Ratio {
            middle,
            low: ratios[low],
            high: ratios[high],
        })
    }

    /// Whether the first one is faster by more than noise, and by more than this share of the other one's time.
    pub fn is_faster(&self, margin: f64) -> bool {
        self.high < 1.0 && self.middle < 1.0 - margin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(rounds: &[f64]) -> Sample {
        Sample {
            rounds: rounds.to_vec(),
            ..Sample::new(1.0, 0.5, 2.0, rounds.len() as u32)
        }
    }

    #[test]
    fn what_meets_both_is_in_no_ratio() {
        // The machine becomes three times as slow meanwhile.
        let (one, other) = (rounds(&[1.0, 1.5, 3.0]), rounds(&[2.0, 3.0, 6.0, 9.0]));
        let ratio = Ratio::new(&one, &other);
        assert_eq!((ratio.low, ratio.middle, ratio.high), (0.5, 0.5, 0.5));
        assert!(ratio.is_faster(0.49) && !ratio.is_faster(0.5));
        assert!(!Ratio::new(&other, &one).is_faster(0.0));
    }

    #[test]
    fn without_rounds_intervals_tell() {
        let sample = |seconds, half| Sample::new(seconds, seconds - half, seconds + half, 9);
        let faster = |half| Ratio::new(&sample(10.0, half), &sample(11.0, half)).is_faster(0.01);
        assert!(faster(0.4) && !faster(0.6));
    }
}
