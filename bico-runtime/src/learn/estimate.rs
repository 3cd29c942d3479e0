//! What is known of one arm's time, from observations of which some are outliers.

/// How many standard deviations an observation may lie off the centre before it is clipped.
pub(super) const WIDTH: f64 = 4.0;

/// The share of clipped observations from which on they are no outliers but the arm's way: one that
/// is slow every third call is judged by all of its calls.
const FREQUENT: f64 = 0.1;

/// What the variance pooled over the arms is worth to an arm's own, in observations.
const POOL_WEIGHT: f64 = 4.0;

/// Count, mean and sum of squared deviations (Welford).
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    pub(super) n: f64,
    pub(super) mean: f64,
    pub(super) squares: f64,
}

impl Moments {
    pub(super) fn known(n: f64, mean: f64, variance: f64) -> Moments {
        let squares = variance * (n - 1.0).max(0.0);
        Moments { n, mean, squares }
    }

    /// The variance of at least two observations.
    pub(super) fn variance(&self) -> f64 {
        self.squares / (self.n - 1.0)
    }

    /// What it was without one of its observations.
    pub(super) fn without(&self, x: f64) -> Moments {
        let n = self.n - 1.0;
        let mean = (self.n * self.mean - x) / n;
        let squares = (self.squares - (x - self.mean) * (x - mean)).max(0.0);
        Moments { n, mean, squares }
    }

    pub(super) fn push(&mut self, x: f64) {
        self.n += 1.0;
        let before = x - self.mean;
        self.mean += before / self.n;
        self.squares += before * (x - self.mean);
    }
}

/// The noise of an observation, as the arms together show it.
#[derive(Clone, Copy, Default)]
pub(super) struct Noise {
    pub(super) variance: f64,
    /// How many observations say so.
    pub(super) freedom: f64,
    /// The share of observations that something else disturbed.
    pub(super) outliers: f64,
    /// How far off the centre an observation is believed.
    pub(super) width: f64,
}

impl Noise {
    pub(super) fn new(variance: f64, freedom: f64, outliers: f64) -> Noise {
        Noise {
            variance,
            freedom,
            outliers,
            width: WIDTH * variance.sqrt(),
        }
    }
}

/// The logarithms of one arm's times.
#[derive(Clone, Copy, Default)]
pub(super) struct Estimate {
    /// The first call of the process: caches and clocks were cold, so it doesn't count; but the arm
    /// is hardly slower than that.
    pub(super) cold: Option<f64>,
    /// The first three observations: too few for a mean that an outlier cannot spoil.
    early: [f64; 3],
    /// All observations, and all with the outliers clipped.
    all: Moments,
    kept: Moments,
    clipped: f64,
}

impl Estimate {
    /// An arm of which an earlier process knows mean and variance.
    pub(super) fn known(n: f64, mean: f64, variance: f64) -> Estimate {
        let moments = Moments::known(n, mean, variance);
        Estimate {
            early: [mean; 3],
            all: moments,
            kept: moments,
            ..Estimate::default()
        }
    }

    /// What is left of it after everything has shifted: one observation, at the mean.
    pub(super) fn stale(&self, mean: f64) -> Estimate {
        Estimate {
            cold: self.cold.map(|_| mean),
            ..Estimate::known(1.0, mean, 0.0)
        }
    }

    /// All observations moved.
    pub(super) fn shift(&mut self, by: f64) {
        self.early.iter_mut().for_each(|x| *x += by);
        self.all.mean += by;
        self.kept.mean += by;
        self.cold = self.cold.map(|x| x + by);
    }

    /// Takes an observation, the first of the process apart; gives it back as far as it is believed.
    pub(super) fn take(&mut self, x: f64, noise: &Noise) -> f64 {
        if self.cold.is_none() {
            self.cold = Some(x);
            return x;
        }
        let at = self.all.n as usize;
        if at >= 3 {
            return self.clip(x, self.kept.mean, noise.width);
        }
        self.early[at] = x;
        if at < 2 {
            self.all.push(x);
            self.kept.push(x);
            return x;
        }
        let [a, b, _] = self.early;
        let least = a.min(b).min(x);
        self.all = Moments::default();
        self.kept = Moments::default();
        for x in [a, b] {
            self.clip(x, least, noise.width);
        }
        self.clip(x, least, noise.width)
    }

    /// Disturbances only add: what is fast is always believed.
    fn clip(&mut self, x: f64, centre: f64, width: f64) -> f64 {
        let believed = x.min(centre + width);
        if believed != x {
            self.clipped += 1.0;
        }
        self.all.push(x);
        self.kept.push(believed);
        believed
    }

    /// Counted observations.
    pub(super) fn n(&self) -> f64 {
        self.all.n
    }

    /// Whether what looks like outliers is the arm's way.
    fn is_irregular(&self) -> bool {
        self.clipped > 1.0 && self.clipped > FREQUENT * self.all.n
    }

    /// The moments that count: outliers are clipped as long as they are rare.
    fn moments(&self) -> &Moments {
        match self.is_irregular() {
            true => &self.all,
            false => &self.kept,
        }
    }

    /// What this arm says of the noise of all: the clipped observations, and how many were outliers.
    pub(super) fn noise(&self) -> Option<(&Moments, f64)> {
        let irregular = self.is_irregular();
        let outliers = if irregular { 0.0 } else { self.clipped };
        (self.all.n >= 3.0).then_some((&self.kept, outliers))
    }

    /// Whether the only time may be an outlier: no second one bears it out.
    pub(super) fn is_single(&self, noise: &Noise) -> bool {
        let far = |cold: f64| (cold - self.early[0]).abs() > noise.width;
        match self.all.n as usize {
            0 => self.cold.is_some(),
            1 => self.cold.is_none_or(far),
            _ => false,
        }
    }

    /// The mean; of two that differ by more than noise the lower one, for disturbances only add.
    /// Without a counted observation, the cold one.
    pub(super) fn mean(&self, noise: &Noise) -> Option<f64> {
        let lower = |a: f64, b: f64, alike: f64| match (a - b).abs() <= noise.width {
            true => alike,
            false => a.min(b),
        };
        let [first, second, _] = self.early;
        match self.all.n as usize {
            0 => self.cold,
            1 => Some(self.cold.map_or(first, |cold| lower(cold, first, first))),
            2 => Some(lower(first, second, self.all.mean)),
            _ => Some(self.moments().mean),
        }
    }

    /// The variance of an observation: the arm's own, leaning on the pooled one.
    pub(super) fn variance(&self, noise: &Noise) -> f64 {
        if self.all.n < 3.0 {
            return noise.variance;
        }
        let own = self.moments();
        (own.squares + POOL_WEIGHT * noise.variance) / (own.n - 1.0 + POOL_WEIGHT)
    }
}
