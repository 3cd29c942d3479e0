//! Buffers of bico's own.

use crate::element::Element;
use crate::expr::Expr;
use crate::spec::Name;

/// `scratch(NAME: f32, len = EXPR, zeroed)`: a buffer that bico owns, aligned to 64 bytes.
#[derive(Debug, Clone)]
pub struct Scratch {
    /// Its name, for messages.
    pub name: Name,
    /// The element type.
    pub element: Element,
    /// Elements; over parameters and sizes.
    pub len: Expr,
    /// The kernel finds nothing but zeros in it and leaves nothing else behind; no other tunable has it.
    pub zeroed: bool,
    /// The only variant that gets it, an index into [`TunableSpec::kernels`](crate::TunableSpec::kernels); its length is 0 in the others.
    pub of: Option<usize>,
}

impl Scratch {
    /// Whether a kernel gets it, by its place among [`TunableSpec::kernels`](crate::TunableSpec::kernels).
    pub fn is_of(&self, kernel: usize) -> bool {
        self.of.is_none_or(|of| of == kernel)
    }
}
