//! The attribute `#[bico::tunable]`: the door to `bico-expand`, which does what it says.
#![forbid(unsafe_code)]

use proc_macro::TokenStream;

#[doc = include_str!("tunable.md")]
#[proc_macro_attribute]
pub fn tunable(attribute: TokenStream, item: TokenStream) -> TokenStream {
    bico_expand::tunable(attribute.into(), item.into()).into()
}

/// One expression, lowered to a closure of a `Scope`: for the test that holds the macro and the
/// build's interpreter equal. Takes the attribute in parentheses and the function; the expression is
/// what stands before `== RESULT` in the first condition, or in the `if` that is the score.
#[doc(hidden)]
#[proc_macro]
pub fn __evaluate(input: TokenStream) -> TokenStream {
    bico_expand::evaluate(input.into()).into()
}
