//! How far results may lie apart.

use crate::spec::{ArgumentKind, Element, TunableSpec};

/// How far results may lie apart, as far as it is said: `|x - r| <= atol + rtol |r|`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tolerance {
    /// The relative tolerance.
    pub rtol: Option<f64>,
    /// The absolute tolerance.
    pub atol: Option<f64>,
}

impl TunableSpec {
    /// The tolerance of one output: relative, and absolute if it is said. What the attribute says of all outputs holds for
    /// the floats among them; where there are none, for integers.
    pub fn tolerance(&self, name: &str, element: Element) -> (f64, Option<f64>) {
        let own = self.verify.outputs.iter().find(|(known, _)| known == name);
        let own = own.map_or_else(Tolerance::default, |(_, own)| *own);
        let has_floats = self.arguments.iter().any(|argument| {
            matches!(&argument.kind, ArgumentKind::Buffer { layout, mutable: true, .. } if layout.has_floats())
        });
        let all = match element.is_float() || !has_floats {
            true => self.verify.tolerance,
            false => Tolerance::default(),
        };
        let rtol = own.rtol.or(all.rtol).unwrap_or(match element {
            // Sums of n terms in another order lie some sqrt(n) * 6e-8 apart, of their own size: enough for 10^6 terms.
            Element::F32 => 1e-4,
            Element::F64 => 1e-10,
            // Neighbours lie 2^-10 and 2^-7 apart.
            Element::F16 => 1e-3,
            Element::Bf16 => 8e-3,
            _ => 0.0,
        });
        (rtol, own.atol.or(all.atol))
    }
}
