//! Which sizes of a range are worth a search's result of their own.
//!
//! The ends are searched first, then middles between them. A call is served by the winner of the anchor that is nearest
//! to it. What it loses where nobody searched is known at the middles: there the winners of both neighbours are measured
//! beside all others. Where that is little, the middle needs no result of its own, and neither does what lies around it.

use bico_core::Lists;

/// What a size may lose to its own best, as a share of that, before it becomes an anchor.
pub const LOSS: f64 = 0.02;

/// A middle gets this part of a search's budget.
pub const PART: u64 = 2;

/// Middles that are looked at, at most: a range takes ten times the budget of a single size, ends included.
const MOST: usize = 16;

/// Evaluations that a middle gets at least, its neighbours' winners among them.
const LEAST: u64 = 4;

/// What a middle gets of a search's evaluations.
pub fn share(evaluations: u64) -> u64 {
    evaluations.div_ceil(PART).max(LEAST).min(evaluations)
}

/// Programs take sizes that are further than a factor of four from each anchor for unknown: of a wider gap the middle is
/// an anchor in any case.
const WIDE: f64 = 16.0;

/// In a gap no wider than this every size is within a factor of two of one that was searched.
const NARROW: f64 = 4.0;

/// The sizes of a range in the order in which they are looked at, and what became of each.
#[derive(Debug, Clone)]
pub struct Anchors {
    /// Each with the two that it lies between, by their places; none of the ends, which come first.
    points: Vec<(i64, Option<[usize; 2]>)>,
    states: Vec<State>,
    /// The middles that were looked at.
    looked: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Nobody looked.
    Unseen,
    /// It has a winner of its own. What its neighbours' winners lost there.
    Anchor([f64; 2]),
    /// Its neighbours' winners serve it. What they lose there.
    Served([f64; 2]),
}

/// What is lost between anchors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// On average over the logarithm of the size.
    pub mean: f64,
    /// Where it is most.
    pub worst: f64,
    /// The middles that were measured and are no anchors.
    pub measured: u64,
}

impl Anchors {
    /// Of nothing but the ends is it known that they are anchors.
    pub fn new(points: Vec<(i64, Option<[usize; 2]>)>) -> Anchors {
        let state = |(_, between): &(i64, Option<_>)| match between {
            None => State::Anchor([0.0; 2]),
            Some(_) => State::Unseen,
        };
        Anchors {
            states: points.iter().map(state).collect_vec(),
            points,
            looked: 0,
        }
    }

    /// The anchors on both sides of a middle.
    pub fn neighbours(&self, at: usize) -> [usize; 2] {
        let size = self.points[at].0;
        let (mut low, mut high) = (0, 1);
        for (other, (known, _)) in self.points.iter().enumerate() {
            let is_anchor = matches!(self.states[other], State::Anchor(_));
            if is_anchor && *known < size && *known > self.points[low].0 {
                low = other;
            }
            if is_anchor && *known > size && *known < self.points[high].0 {
                high = other;
            }
        }
        [low, high]
    }

    /// Whether to look at a middle. `agree`: whether the winners of its neighbours are the same.
    pub fn is_open(&self, at: usize, agree: bool) -> bool {
        let Some(gap) = self.points[at].1 else {
            return true;
        };
        let anchors = gap
            .iter()
            .all(|of| matches!(self.states[*of], State::Anchor(_)));
        self.looked < MOST && (self.width(gap) > NARROW || anchors && !agree)
    }

    /// What came of a middle: what each neighbour's winner takes there beside the best, minus 1; `None` where it does not
    /// run. Whether it is an anchor.
    pub fn judge(&mut self, at: usize, losses: [Option<f64>; 2]) -> bool {
        let losses = losses.map(|loss| loss.map_or(f64::INFINITY, |loss| loss.max(0.0)));
        let wide = self.points[at].1.is_some_and(|gap| self.width(gap) > WIDE);
        let is_anchor = wide || losses[0].max(losses[1]) >= LOSS;
        self.looked += 1;
        self.states[at] = match is_anchor {
            true => State::Anchor(losses),
            false => State::Served(losses),
        };
        is_anchor
    }

    /// The anchors' sizes, ascending.
    pub fn sizes(&self) -> Vec<i64> {
        let mut sizes = Vec::new();
        for ((size, _), state) in self.points.iter().zip(&self.states) {
            sizes.extend(matches!(state, State::Anchor(_)).then_some(*size));
        }
        sizes.sort_unstable();
        sizes
    }

    /// What calls lose between anchors. Where a middle was measured, what the worse neighbour loses there; else half of
    /// what the older anchor's winner lost at the younger one, for that is where the nearer one takes over.
    pub fn estimate(&self) -> Estimate {
        let (mut sum, mut width) = (0.0, 0.0);
        let (mut worst, mut measured) = (0.0_f64, 0);
        let mut add = |share: f64, loss: f64| {
            if loss.is_finite() {
                (sum, width, worst) = (sum + share * loss, width + share, worst.max(loss));
            }
        };
        let sizes = self.sizes();
        for gap in sizes.windows(2) {
            let share = (gap[1] as f64 / gap[0] as f64).ln();
            let mut within = 0.0_f64;
            let mut any = false;
            for ((size, _), state) in self.points.iter().zip(&self.states) {
                if let State::Served(losses) = state
                    && gap[0] < *size
                    && *size < gap[1]
                {
                    (within, any) = (within.max(losses[0]).max(losses[1]), true);
                    measured += 1;
                }
            }
            if !any {
                let place = |size: i64| self.points.iter().position(|of| of.0 == size).unwrap_or(0);
                let [low, high] = [place(gap[0]), place(gap[1])];
                // The higher place is the younger one; its neighbour on that side was the older one.
                let side = usize::from(low > high);
                if let State::Anchor(losses) = self.states[low.max(high)] {
                    within = losses[side] / 2.0;
                }
            }
            add(share, within);
        }
        Estimate {
            mean: if width > 0.0 { sum / width } else { 0.0 },
            worst,
            measured,
        }
    }

    fn width(&self, [low, high]: [usize; 2]) -> f64 {
        self.points[high].0 as f64 / self.points[low].0 as f64
    }
}
