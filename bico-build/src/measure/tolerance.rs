//! How close results must be.

use super::protocol::Inputs;
use bico_core::json_struct;
use bico_syntax::{Element, TunableSpec};

json_struct! {
    /// |x - r| <= atol + rtol |r|
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) struct Tolerance {
        pub(super) rtol: f64,
        /// Default: `rtol` times the root mean square of the reference.
        pub(super) atol: Option<f64>,
        /// Where the reference is finite only.
        pub(super) finite: bool,
    }
}

impl Tolerance {
    /// That of what is no result.
    pub(super) const EXACT: Tolerance = Tolerance {
        rtol: 0.0,
        atol: None,
        finite: false,
    };

    /// What the attribute says of a buffer.
    pub(super) fn of(spec: &TunableSpec, name: &str, element: Element) -> Tolerance {
        let (rtol, atol) = spec.tolerance(name, element);
        Tolerance {
            rtol,
            atol,
            finite: false,
        }
    }

    /// What is allowed in any case, given how large the results are.
    pub(super) fn least(self, magnitude: f64) -> f64 {
        self.atol.unwrap_or(self.rtol * magnitude)
    }

    /// That of results of these inputs, given how large they are.
    pub(super) fn with(self, inputs: Inputs, magnitude: f64) -> Tolerance {
        match inputs {
            // Their results may be a million times as large as those that the author had in mind.
            Inputs::Others => Tolerance {
                atol: self.atol.map(|atol| atol.max(self.rtol * magnitude)),
                finite: true,
                ..self
            },
            Inputs::Timed | Inputs::Special => self,
        }
    }
}
