//! The attribute `#[bico::tunable]`: the door to `bico-expand`, which does what it says.
#![forbid(unsafe_code)]

use proc_macro::TokenStream;

#[doc = include_str!("tunable.md")]
#[proc_macro_attribute]
pub fn tunable(attribute: TokenStream, item: TokenStream) -> TokenStream {
    bico_expand::tunable(attribute.into(), item.into()).into()
}
