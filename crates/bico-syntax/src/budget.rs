//! What a search may take, and what it is compared with.

use crate::expr::Expr;
use crate::spec::Name;
use proc_macro2::Span;

/// `budget(evaluations = 20, seconds = 60, strategy = "guided", seed = 1)`.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Configs measured at most, per problem. Default 64.
    pub evaluations: u32,
    /// Seconds spent at most, per problem. Default 60.
    pub seconds: f64,
    /// The search strategy, by name; the default is the build's choice.
    pub strategy: Option<Name>,
    /// The seed of strategies that draw. Default 0.
    pub seed: u64,
}

/// `measure(cache = warm, clock = sustained)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Measure {
    /// Do not flush the caches between runs.
    pub cache_warm: bool,
    /// Run the kernel until the device's clock is steady, and time it then.
    pub clock_sustained: bool,
}

/// `budget_scale = EXPR`.
#[derive(Debug, Clone)]
pub struct Scale {
    /// What a config costs, such as on-chip bytes. Names a parameter. Real arithmetic.
    pub expr: Expr,
    /// Those of [`TunableSpec::consts`](crate::spec::TunableSpec::consts) that nothing else names: like the scale itself, they make no
    /// result stale.
    pub consts: Vec<String>,
}

/// `default = { TILE: 64, .. }`.
#[derive(Debug, Clone)]
pub struct DefaultConfig {
    /// A value for each parameter that is neither derived nor the only one of its domain.
    pub values: Vec<(Name, Expr)>,
    /// Where it stands.
    pub span: Span,
}
