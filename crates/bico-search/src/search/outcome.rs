//! What came of measuring one config.

/// What came of measuring one config.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It ran, was right, and was timed.
    Timed(Sample),
    /// Its object code is identical to that of a config measured before (its number).
    Same(u64, Sample),
    /// It may not win, and why.
    Failed(Failure),
}

bico_core::json_struct! {
    /// The time of one config.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Sample {
        /// Seconds of one call: the median of the runs.
        pub seconds: f64,
        /// Confidence interval of the median, seconds.
        pub low: f64,
        /// Its upper end.
        pub high: f64,
        /// How often an interval made like this one holds the median: 0.95, less where the runs were too few for that.
        pub confidence: f64,
        /// Seconds that a tenth of the runs stay below. What disturbs a run makes it slower, never faster, so a busy
        /// machine moves this less than the median: finals go by it where medians decide nothing.
        pub decile: f64,
        /// Timed runs.
        pub runs: u32,
        /// What the caches held.
        pub caches: Caches,
        /// Cut after its first runs, because it was clearly worse than the best.
        pub cut: bool,
        /// The device's clock was held back by heat or power, before or after.
        pub throttled: bool,
        /// What the device was doing, where a measure can tell.
        pub conditions: Option<Box<Conditions>>,
        /// In finals, the seconds of each round: the n-th of all finalists were taken in turns.
        pub rounds: Vec<f64>,
    }
}

bico_core::json_struct! {
    /// What a device was doing when something had been timed on it.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Conditions {
        /// The clock of its processors, in Hz.
        pub clock_hz: Option<f64>,
        /// Its temperature, in degrees Celsius.
        pub celsius: Option<f64>,
        /// The limit of its power, in watts.
        pub power_limit_watts: Option<f64>,
        /// What held its clock back.
        pub held_back: Option<String>,
        /// The share of the processors' time that a host gave to other machines meanwhile.
        pub stolen: Option<f64>,
    }
}

bico_core::json_enum! {
    /// What the caches held when a call was timed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Caches {
        /// It is not known.
        Unknown,
        /// Nothing of the call's: they were flushed before each.
        Flushed,
        /// What the call before had left in them: so it was asked for, or a call is too short to be timed alone.
        Warm,
    }
}

impl Caches {
    /// One word, in files and for people; `None` where it is not known.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Caches::Unknown => None,
            Caches::Flushed => Some("flushed"),
            Caches::Warm => Some("warm"),
        }
    }

    /// What has this name.
    pub(super) fn named(name: &str) -> Caches {
        let known = [Caches::Flushed, Caches::Warm].into_iter();
        let mut known = known.filter(|of| of.name() == Some(name));
        known.next().unwrap_or(Caches::Unknown)
    }
}

impl Sample {
    /// A median with its 95 % interval, where no more is known of the runs.
    pub fn new(seconds: f64, low: f64, high: f64, runs: u32) -> Sample {
        Sample {
            seconds,
            low,
            high,
            confidence: 0.95,
            decile: seconds,
            runs,
            caches: Caches::Unknown,
            cut: false,
            throttled: false,
            conditions: None,
            rounds: Vec::new(),
        }
    }
}

bico_core::json_enum! {
    /// Why a config may not win. The text after the name is for people.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub enum Failure {
        /// The compiler refused it: its first error lines.
        Compile(detail: String),
        /// It died of a signal or exited: `SIGSEGV`.
        Crash(detail: String),
        /// It ran past the trial's time limit.
        Timeout(detail: String),
        /// Its output differs from the reference: where, and by how much.
        Wrong(detail: String),
        /// It wrote outside a buffer: which, and where.
        OutOfBounds(detail: String),
        /// It left an output unwritten: which, and where.
        Unwritten(detail: String),
        /// Its buffers could not be allocated.
        Memory(detail: String),
        /// The device cannot launch it: which limit it breaks. Known once it is compiled, so that it costs
        /// no evaluation.
        Unlaunchable(detail: String),
        /// The worker could not be started or spoke nonsense.
        Worker(detail: String),
    }
}

impl Failure {
    /// Whether the config did something wrong, rather than not fit: that is a mistake in its kernel.
    pub fn is_wrong(&self) -> bool {
        use Failure::{Crash, OutOfBounds, Unwritten, Wrong};
        matches!(self, Wrong(_) | OutOfBounds(_) | Unwritten(_) | Crash(_))
    }

    /// The kind of failure as one word.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Failure::OutOfBounds(_) => "out_of_bounds",
            Failure::Unlaunchable(_) => "unlaunchable",
            other => other.parts().0,
        }
    }

    /// The failure of that kind, if there is one.
    pub(super) fn named(name: &str, detail: String) -> Option<Failure> {
        Some(match name {
            "compile" => Failure::Compile(detail),
            "crash" => Failure::Crash(detail),
            "timeout" => Failure::Timeout(detail),
            "wrong" => Failure::Wrong(detail),
            "out_of_bounds" => Failure::OutOfBounds(detail),
            "unwritten" => Failure::Unwritten(detail),
            "memory" => Failure::Memory(detail),
            "unlaunchable" => Failure::Unlaunchable(detail),
            "worker" => Failure::Worker(detail),
            _ => return None,
        })
    }

    /// The kind of failure, in a word or two, and what is known of it.
    pub fn parts(&self) -> (&'static str, &str) {
        match self {
            Failure::Compile(detail) => ("compile", detail),
            Failure::Crash(detail) => ("crash", detail),
            Failure::Timeout(detail) => ("timeout", detail),
            Failure::Wrong(detail) => ("wrong", detail),
            Failure::OutOfBounds(detail) => ("out of bounds", detail),
            Failure::Unwritten(detail) => ("unwritten", detail),
            Failure::Memory(detail) => ("memory", detail),
            Failure::Unlaunchable(detail) => ("cannot be launched", detail),
            Failure::Worker(detail) => ("worker", detail),
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, detail) = self.parts();
        if detail.is_empty() {
            f.write_str(kind)
        } else {
            write!(f, "{kind}: {detail}")
        }
    }
}
