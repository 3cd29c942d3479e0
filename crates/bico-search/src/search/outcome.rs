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
        /// Seconds of one call: the median of a trial's runs; in the finals the lower decile, which a busy
        /// machine moves less.
        pub seconds: f64,
        /// 95 % confidence interval of that quantile, seconds.
        pub low: f64,
        /// Its upper end.
        pub high: f64,
        /// Timed runs.
        pub runs: u32,
        /// Cut after its first runs, because it was clearly worse than the best.
        pub cut: bool,
        /// The device's clock was held back by heat or power, before or after.
        pub throttled: bool,
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
    /// The kind of failure as one word.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Failure::OutOfBounds(_) => "out_of_bounds",
            Failure::Unlaunchable(_) => "unlaunchable",
            other => other.parts().0,
        }
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
