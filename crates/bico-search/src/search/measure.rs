//! What turns a config into a time.

use super::{Costs, Failure, Outcome};
use bico_core::device::Usage;

/// What came of a config that was under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// Which.
    pub config: u64,
    /// What came of it.
    pub outcome: Outcome,
    /// Who measured it; `None` where there is nobody to tell apart.
    pub worker: Option<String>,
}

impl Arrival {
    /// Where there is nobody to tell apart.
    pub fn of_one(config: u64, outcome: Outcome) -> Arrival {
        Arrival {
            config,
            outcome,
            worker: None,
        }
    }
}

/// Measures configs: a worker on a device, or a recorded space.
///
/// Most have one hand and answer [`measure`](Measure::measure) at once. One with several says so in
/// [`hands`](Measure::hands): then [`begin`](Measure::begin) sets configs to work, and
/// [`arrival`](Measure::arrival) waits for whichever is done first.
pub trait Measure {
    /// Seconds spent so far on this search, by whatever clock the budget is meant in (waiting for
    /// other builds, for one, may be left out).
    fn spent(&self) -> f64;

    /// Seconds until exploring must be over, whatever the budget says; by the clock on the wall, with nothing left out.
    fn left(&self) -> f64 {
        f64::INFINITY
    }

    /// The configs that will probably be wanted, soonest first; the first one is measured next. Those under way are not
    /// among them.
    /// Compiling may run ahead of measuring. What was announced before and is not any more need
    /// not be prepared.
    fn announce(&mut self, upcoming: &[u64]);

    /// Measures one config. `best` is the lowest time so far, in seconds: what is clearly worse
    /// may be cut short.
    fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome;

    /// The same, with who measured it.
    fn measure_alone(&mut self, config: u64, best: Option<f64>) -> Arrival {
        Arrival::of_one(config, self.measure(config, best))
    }

    /// How many configs may be under way at once. Asked again whenever one could be begun: workers come and go. Where there
    /// are fewer hands than configs under way, nothing is begun until enough have arrived.
    fn hands(&self) -> usize {
        1
    }

    /// Sets a config to work on a hand that is free; what comes of it is told by a later [`Measure::arrival`]. `best` is
    /// the lowest time at this moment. Asked where there is more than one hand, and from then on, however few are left.
    fn begin(&mut self, _config: u64, _best: Option<f64>) {
        unimplemented!("a measure with several hands begins configs")
    }

    /// Waits until one of the configs under way is measured, or lost for good: each arrives once.
    fn arrival(&mut self) -> Arrival {
        unimplemented!("a measure with several hands waits for what it began")
    }

    /// Whether [`Measure::arrival`] has something to tell at once. All that has is told before the next config is begun: more
    /// is known then, and what is chosen for several hands at once is chosen sooner.
    fn has_arrival(&mut self) -> bool {
        false
    }

    /// Gives back the configs that were begun and that nobody is at yet: no time is left for them.
    fn withdraw(&mut self) -> Vec<u64> {
        Vec::new()
    }

    /// Takes over what came of a config in a search that was cut, where that holds: gives what is to be said of it now, or
    /// `None` where it must be measured.
    fn recall(&mut self, _config: u64, outcome: &Outcome, _best: Option<f64>) -> Option<Outcome> {
        Some(outcome.clone())
    }

    /// Configs whose outcome is another one by now, with that. Asked after each config that is measured: where
    /// nothing says beforehand what is right, later configs may outvote earlier ones.
    fn judged_anew(&mut self) -> Vec<(u64, Outcome)> {
        Vec::new()
    }

    /// What a config that was measured takes of the device, where that is known.
    fn resources(&self, _config: u64) -> Option<Usage> {
        None
    }

    /// Seconds that the compiler took for a config that was measured, waited for or not, where that is known.
    fn compiler(&self, _config: u64) -> Option<f64> {
        None
    }

    /// What was done in the seconds since this was asked before, where that is known.
    fn costs(&mut self) -> Option<Costs> {
        None
    }

    /// Measures the finalists again, interleaved, so that drift meets all of them alike. One
    /// outcome for each, in their order; none at all where no time is left for it.
    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome>;

    /// Looks at a config that is kept beside the winner, and may be called one day, as closely as at those that may win.
    ///
    /// # Errors
    ///
    /// Why it must not be kept.
    fn vouch(&mut self, _config: u64) -> Result<(), Failure> {
        Ok(())
    }

    /// Looks at whoever is about to win more closely than at all others; gives whether its results are known to be the same
    /// bits in every call.
    ///
    /// # Errors
    ///
    /// Why it must not win: the next one does.
    fn confirm(&mut self, _config: u64) -> Result<bool, Failure> {
        Ok(true)
    }
}
