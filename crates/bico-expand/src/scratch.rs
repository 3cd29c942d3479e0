//! `scratch`: what a call asks bico for.

use crate::expand::{Parts, element};
use crate::lower::Place;
use bico_syntax::Arithmetic;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

impl Parts<'_> {
    /// The scratch buffers, for the candidate that `scope` knows.
    pub(crate) fn wanted(&mut self) -> Vec<TokenStream> {
        let (spec, p) = (self.spec, self.p);
        let (here, key) = (Span::mixed_site(), &spec.key.text);
        let mut wanted = Vec::new();
        for scratch in &spec.scratch {
            let (element, text) = (element(scratch.element), scratch.len.to_string());
            let zeroed = scratch.zeroed;
            let len = self
                .lowering
                .value(&scratch.len, Arithmetic::Integer, Place::Chosen);
            wanted.push(quote_spanned! {here=> #p::Wanted {
                len: (|| -> ::core::result::Result<i64, #p::EvalError> { #p::ops::length(#len) })()
                    .map_err(|error| #p::eval_failed(#key, #text, error))?,
                element: ::core::mem::size_of::<#element>(),
                zeroed: #zeroed,
            }});
        }
        wanted
    }
}
