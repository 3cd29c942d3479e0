//! One kernel of those that a call runs.

use crate::args::KernelArgument;
use crate::expr::{Expr, ExprKind};
use crate::spec::{Launch, Name};
use proc_macro2::Span;

/// A kernel of the source: `pass(..)`, or what the attribute says of its only one.
#[derive(Debug, Clone)]
pub struct Pass {
    /// Its function: an expression over the parameters that gives a string.
    pub entry: Expr,
    /// Parameters that reach it as C++ template arguments, in order.
    pub template: Vec<Name>,
    /// How it is launched, on a GPU.
    pub launch: Option<Launch>,
    /// `args(..)`: what it gets, where the attribute says it. See [`TunableSpec::kernel_arguments`](crate::spec::TunableSpec::kernel_arguments).
    pub args: Option<Vec<KernelArgument>>,
}

impl Launch {
    /// All of its expressions.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let extents = [&self.grid, &self.block, &self.cluster]
            .into_iter()
            .flatten();
        extents.chain(&self.shared).chain(&self.dependent)
    }

    /// That of a function of the host, which is called once.
    pub(crate) fn once(span: Span) -> Launch {
        let one = || vec![Expr::new(ExprKind::Int(1), span)];
        Launch {
            grid: one(),
            block: one(),
            cluster: Vec::new(),
            shared: None,
            dependent: None,
        }
    }
}
