//! The grammar of `#[bico::tunable]`, shared by the macro and the build script.
//!
//! Text goes in ([`parse`]), a [`TunableSpec`] comes out, or every mistake of the item at once,
//! each on its own token ([`Errors`]). [`bind`] evaluates it for a device and a problem. No I/O, no serde: two programs
//! that must agree on one grammar share nothing but this crate.
#![forbid(unsafe_code)]

mod align;
mod args;
pub mod bind;
mod budget;
mod canonical;
mod display;
mod element;
mod errors;
mod expr;
mod fingerprint;
mod init;
mod kernel;
mod layout;
mod lists;
mod messages;
mod names;
#[doc(hidden)]
pub use lists::Lists;
mod parse;
mod pass;
mod rust;
mod scratch;
mod sorted;
mod spec;
mod suggest;
mod tensor;
mod tolerance;

pub use align::Align;
pub use args::{Callee, KernelArgument};
pub use errors::{Error, Errors, Extent};
pub use expr::{Arithmetic, Arm, BinaryOp, Cast, Expr, ExprKind, Method, Pattern, UnaryOp};
pub use fingerprint::{Canonical, canonical, canonical_with, fingerprint};
pub use kernel::{VARIANT, other_than};
pub use layout::{Field, Layout};
pub use messages::{needs_cuda, needs_einsum, needs_rust};
pub use names::{candidate, candidates_line, data_file, data_header, file_stem, symbol, table};
pub use parse::{
    Attribute, Function, Input, RustType, STRATEGIES, Wrapper, is_path, members, parse,
    parse_const_expr, parse_expr, parse_item, string,
};
pub use rust::{ConstKind, ConstParameter, RustFunction};
pub use spec::*;
pub use suggest::nearest;
pub use tensor::TensorMap;
pub use tolerance::Tolerance;
