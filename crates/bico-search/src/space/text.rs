//! A space by its text alone: the attribute's grammar without a kernel.

use super::Space;
use bico_core::device::{CpuFacts, Facts};
use bico_syntax::TunableSpec;
use bico_syntax::bind::{Bound, Scope, SpaceError};
use proc_macro2::{Span, TokenStream, TokenTree};

/// The wrapper that the text stands at. Its names must not be those of parameters.
const ITEM: &str =
    "fn bare(#[len(1)] bare_output: &mut [f32], bare_size: u32) -> bico::Result<()>;";

/// What every attribute must say.
const OPTIONS: &str = "source = \"bare.c\", problem(bare_size = 1), ";

impl Space {
    /// The space that `space(..)` and `require(..)` describe, in the grammar of `#[bico::tunable]`.
    ///
    /// There is neither a problem nor a device: rules may name parameters only.
    ///
    /// # Errors
    ///
    /// Text that is no such description, or what [`Space::new`] says.
    ///
    /// ```
    /// use bico_search::{Space, Value::Int};
    ///
    /// let space = Space::parse("space(TILE in powers_of_two(4..=256), UNROLL in 1..=8), require(TILE % UNROLL == 0)")?;
    /// assert_eq!((space.len(), space.config(0)), (27, vec![Int(4), Int(1)]));
    /// assert_eq!(space.index_of(&[Int(4), Int(3)]), None);
    /// # Ok::<(), bico_search::SpaceError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Space, SpaceError> {
        let spec = spec(text)?;
        let tokens: TokenStream = text.parse().unwrap_or_default();
        if let Some(span) = device(tokens) {
            let message = "`device` means nothing here: this space belongs to no device";
            return Err(SpaceError::new(span, message));
        }
        let nothing = Facts::Cpu(CpuFacts::default());
        Space::new(&Bound::new(&spec, &nothing, &Scope::default())?)
    }
}

/// The spec of `space(..)` and `require(..)` without a kernel, for callers that bind it to a device themselves.
///
/// # Errors
///
/// The first mistake in the text.
pub fn spec(text: &str) -> Result<TunableSpec, SpaceError> {
    let tokens = |text: &str| {
        let parsed = text.parse::<TokenStream>();
        parsed.map_err(|error| SpaceError::new(error.span(), error.to_string()))
    };
    let wrapper = bico_syntax::parse(tokens(&format!("{OPTIONS}{text}"))?, tokens(ITEM)?);
    wrapper
        .map(|wrapper| wrapper.spec)
        .map_err(|errors| match errors.iter().next() {
            Some(first) => SpaceError::new(first.span, &first.message),
            None => SpaceError::new(Span::call_site(), "this describes no space"),
        })
}

/// Where tokens name the device.
fn device(tokens: TokenStream) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(name) if name == "device" => Some(name.span()),
        TokenTree::Group(group) => device(group.stream()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        let message = |text| Space::parse(text).unwrap_err().message;
        assert!(message("space(A in [1, 2]), require(A < B)").contains("`B`"));
        assert!(message("space(A in [1, 2]), require(A < device.cores)").contains("`device`"));
        assert!(!message("space(A in [1, 2)").is_empty());
        assert!(message("space(A in [0]), require(1 / A > 0)").contains("division by zero"));
    }
}
