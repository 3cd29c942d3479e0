//! How much of a budget was enough.

/// A trial of a search, in order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// Evaluations spent, this one included.
    pub evaluation: u64,
    /// Seconds spent, this one included.
    pub spent: f64,
    /// The config's time by the last that was measured of it, in the finals perhaps.
    pub seconds: Option<f64>,
}

/// What a search spent until nothing better by more than 1 % came.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Enough {
    /// Evaluations until a config was there that takes at most 1 % longer than the best of all.
    pub evaluations: u64,
    /// Evaluations in all.
    pub of_evaluations: u64,
    /// Seconds until then.
    pub seconds: f64,
    /// Seconds in all.
    pub of_seconds: f64,
}

/// As near to the final winner as nobody would tell.
const ENOUGH: f64 = 1.01;

/// `None` where nothing ran.
pub fn enough(trials: &[Tried]) -> Option<Enough> {
    let best = trials.iter().filter_map(|of| of.seconds);
    let best = best.min_by(f64::total_cmp)?;
    let (last, reached) = (trials.last()?, best * ENOUGH);
    let first = trials
        .iter()
        .find(|of| of.seconds.is_some_and(|seconds| seconds <= reached))?;
    Some(Enough {
        evaluations: first.evaluation,
        of_evaluations: last.evaluation,
        seconds: first.spent,
        of_seconds: last.spent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_first_within_one_percent_of_the_best() {
        let times = [None, Some(5.0), Some(1.009), Some(2.0), Some(1.0), None];
        let trials: Vec<Tried> = (1..)
            .zip(times)
            .map(|(evaluation, seconds)| Tried {
                evaluation,
                spent: evaluation as f64 / 2.0,
                seconds,
            })
            .collect();
        let found = enough(&trials).unwrap();
        assert_eq!((found.evaluations, found.of_evaluations), (3, 6));
        assert_eq!((found.seconds, found.of_seconds), (1.5, 3.0));
        assert_eq!(enough(&trials[..1]), None);
        assert_eq!(enough(&[]), None);
    }
}
