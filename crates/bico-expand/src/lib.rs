//! The expansion of `#[bico::tunable]`, as a library that tests call without a compiler.
//!
//! A function without a body becomes the wrapper of a tuned kernel: data that the build script left
//! in `OUT_DIR`, the attribute's expressions as functions, and one call into `bico::__private`. See
//! `expand` for the shape.
#![forbid(unsafe_code)]

mod built;
mod call;
mod capture;
mod expand;
#[cfg(feature = "cuda")]
mod gpu;
mod lower;
mod passing;
mod rust;
mod statics;
mod stub;
mod template;

pub use built::Package;
pub use expand::expand;
pub use lower::{Lowering, Place};

use bico_syntax::{Errors, needs_cuda, needs_einsum};
use proc_macro2::TokenStream;

/// What `#[bico::tunable(attribute)] item` becomes in the package that is being compiled: the
/// wrapper and its siblings, or every mistake and a stub that keeps the rest of the crate going.
pub fn tunable(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let members = match bico_syntax::members(attribute.clone(), item.clone()) {
        Ok(members) => members,
        Err(errors) => return stub_with(&errors, attribute, item),
    };
    let mut told = false;
    let mut all = TokenStream::new();
    for (attribute, item) in members {
        let errors = match wrapper(attribute.clone(), item.clone()) {
            Ok(tokens) => {
                all.extend(Some(tokens));
                continue;
            }
            // What is wrong with one member of a family is wrong with most.
            Err(_) if told => Errors::default(),
            Err(errors) => errors,
        };
        told = true;
        all.extend(Some(stub_with(&errors, attribute, item)));
    }
    all
}

fn stub_with(errors: &Errors, attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut tokens = errors.to_compile_error();
    tokens.extend(stub::stub(attribute, item));
    tokens
}

fn wrapper(attribute: TokenStream, item: TokenStream) -> Result<TokenStream, Errors> {
    let wrapper = bico_syntax::parse(attribute, item)?;
    let spec = &wrapper.spec;
    let place = spec.place();
    if spec.is_cuda() && !cfg!(feature = "cuda") {
        return Err(Errors::from(needs_cuda(place)));
    }
    // A build script with the feature brings the grammar to the macro, too.
    if spec.contraction.is_some() && !cfg!(feature = "einsum") {
        return Err(Errors::from(needs_einsum(place)));
    }
    let package = Package::read(spec.function.span)?;
    package.check(spec)?;
    expand(&wrapper, &package)
}
