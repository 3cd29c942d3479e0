//! From tokens to a [`TunableSpec`], or to every mistake at once.

mod args;
mod arguments;
mod attributes;
mod block;
mod budget;
mod c_function;
mod check;
mod config;
#[cfg_attr(not(feature = "einsum"), path = "no_contraction.rs")]
mod contraction;
mod drive;
mod expr;
mod family;
mod function;
mod init;
mod literal;
mod names;
mod options;
mod part;
mod pass;
mod primary;
mod problem;
mod reader;
mod rust_function;
mod rust_type;
mod scratch;
mod source;
mod space;
mod tensor;
mod tokens;
mod tunable;
mod variant;
mod verify;

use crate::Lists;
pub use budget::STRATEGIES;
pub(crate) use check::Type;
pub use family::members;
pub use function::{Attribute, Function, Input, parse_item};
pub use literal::string;
pub use rust_type::RustType;
pub use source::is_path;

use crate::errors::{Error, Errors};
use crate::expr::{Arithmetic, Expr};
use crate::messages;
use crate::spec::TunableSpec;
use names::{Context, Place};
use options::Options;
use proc_macro2::{Span, TokenStream};
use reader::is_punct;
use tokens::Tokens;

/// What the attribute and the function below it say.
#[derive(Debug, Clone)]
pub struct Wrapper {
    /// The tunable.
    pub spec: TunableSpec,
    /// The function, without `#[len]` and `#[init]`.
    pub function: Function,
}

/// Reads `#[bico::tunable(attribute)] item`.
///
/// # Errors
///
/// Every mistake in either, each on its own token.
pub fn parse(attribute: TokenStream, item: TokenStream) -> Result<Wrapper, Errors> {
    let mut context = Context::default();
    let alone = !rust_function::names_source(&attribute);
    let function = function::read(item, alone, &mut context.errors);
    tokens::forbid_attributes(attribute.clone(), &mut context.errors);
    let known = tunable::OPTIONS;
    let mut options = Options::read(attribute, "bico::tunable", known, &mut context.errors);
    // Without a function no name is known: all else would be guesses.
    let Some(mut function) = function else {
        return Err(context.errors);
    };
    let spec = tunable::tunable(&mut options, &function, &mut context);
    function::strip(&mut function);
    if let Some(Some(path)) = spec
        .as_ref()
        .map(|of| of.rust.as_ref().map(|_| &of.crate_path))
    {
        let output = format!("-> {path}::Result<()>");
        function.output = output.parse().unwrap_or_default();
    }
    let spec = context.errors.into_result(spec)?;
    // A part that is missing without a word would be our mistake, not the user's: say so.
    let spec = spec.ok_or_else(|| {
        let place = function.name.span();
        Error::new(place, "bico could not read this attribute")
    })?;
    Ok(Wrapper { spec, function })
}

/// Reads one expression of the subset that may read these names, whatever their types are, and the
/// fields of a GPU: what an attribute's `launch` or `work` would hold.
///
/// # Errors
///
/// What is outside the subset, each on its own token.
pub fn parse_expr(
    tokens: TokenStream,
    names: &[&str],
    arithmetic: Arithmetic,
) -> Result<Expr, Errors> {
    let mut context = Context::default();
    let unknown = |name: &&str| ((*name).to_string(), Type::Unknown);
    context.names.parameters = names.iter().map(unknown).collect_vec();
    context.names.cuda = Some(true);
    let place = Place {
        arithmetic,
        ..Place::full("a hint")
    };
    alone(tokens, &place, context)
}

/// Reads one expression that stands alone.
fn alone(tokens: TokenStream, place: &Place, mut context: Context) -> Result<Expr, Errors> {
    let Some(tokens) = Tokens::from_stream(tokens) else {
        let message = messages::syntax("expected an expression");
        context.report(Span::call_site(), message);
        return Err(context.errors);
    };
    let (expr, _) = context.expression(&tokens, place);
    context.errors.into_result(expr)
}

/// Reads one expression of the subset that names nothing but constants: the value of a `const` item.
///
/// # Errors
///
/// What is outside the subset, each on its own token.
pub fn parse_const_expr(tokens: TokenStream) -> Result<Expr, Errors> {
    // `const TILES: &[i64] = &[1, 2];` is how Rust spells a list.
    let mut behind = tokens.clone().into_iter();
    let reference = behind.next().is_some_and(|first| is_punct(&first, '&'));
    let behind: TokenStream = behind.collect();
    let list = reference && !behind.is_empty();
    let tokens = if list { behind } else { tokens };
    alone(tokens, &Place::CONSTANT, Context::default())
}
