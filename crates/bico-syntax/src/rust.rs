//! A function in Rust with a body: its const parameters are those of the space.

use crate::args::Callee;
use crate::spec::{Name, ReferenceKind, TunableSpec};
use proc_macro2::Group;

/// What is tuned where no source is named: the function itself.
#[derive(Debug, Clone)]
pub struct RustFunction {
    /// Its const parameters, in order.
    pub consts: Vec<ConstParameter>,
    /// `ship = measured`: programs carry the code that was measured, and don't compile it again.
    pub ships_measured: bool,
    /// Its braces, with what stands in them.
    pub body: Group,
}

/// `const MC: usize`
#[derive(Debug, Clone)]
pub struct ConstParameter {
    /// Its name, that of a parameter of the space.
    pub name: Name,
    /// What kind of values it has.
    pub kind: ConstKind,
    /// Its type, as written.
    pub written: String,
}

/// What kind of values a const parameter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstKind {
    /// `bool`
    Bool,
    /// `char`: strings of one letter in the space.
    Char,
    /// An integer of any width.
    Integer,
}

impl TunableSpec {
    /// Whether its source is a file that bico wrote: that of an einsum, or what a Rust function needs of its own file. Nothing
    /// that lasts knows its path.
    pub fn is_written(&self) -> bool {
        self.contraction.is_some() || self.rust.is_some()
    }

    /// Whether what is called gets the lengths of its buffers behind its arguments, to make slices of them.
    pub fn gets_slices(&self, callee: Callee) -> bool {
        let in_file = || {
            let reference = self.verify.reference.as_ref();
            reference.is_some_and(|of| matches!(of.kind, ReferenceKind::Entry(_)))
        };
        self.rust.is_some()
            && match callee {
                Callee::Kernel(_) => true,
                Callee::Reference => in_file(),
                Callee::Inputs | Callee::Judge | Callee::Drive => false,
            }
    }
}
