//! The expansion of `#[bico::tunable]`, as a library that tests call without a compiler.
//!
//! A function without a body becomes the wrapper of a tuned kernel: data that the build script left
//! in `OUT_DIR`, the attribute's expressions as functions, and one call into `bico::__private`. See
//! `expand` for the shape.
#![forbid(unsafe_code)]

mod built;
mod call;
mod evaluate;
mod expand;
mod gpu;
mod lower;
mod scratch;
mod statics;
mod stub;

pub use built::Package;
pub use evaluate::evaluate;
pub use expand::expand;

use bico_syntax::{Error, Errors};
use proc_macro2::{Span, TokenStream};

/// What `#[bico::tunable(attribute)] item` becomes in the package that is being compiled: the
/// wrapper and its siblings, or every mistake and a stub that keeps the rest of the crate going.
pub fn tunable(attribute: TokenStream, item: TokenStream) -> TokenStream {
    wrapper(attribute.clone(), item.clone()).unwrap_or_else(|errors| {
        let mut tokens = errors.to_compile_error();
        tokens.extend(stub::stub(attribute, item));
        tokens
    })
}

fn wrapper(attribute: TokenStream, item: TokenStream) -> Result<TokenStream, Errors> {
    let wrapper = bico_syntax::parse(attribute, item)?;
    let spec = &wrapper.spec;
    if spec.source.language.is_cuda() && !cfg!(feature = "cuda") {
        return Err(Errors::from(no_cuda(spec.source.path.span)));
    }
    let package = Package::read().map_err(|error| Errors::from(error.at(spec.function.span)))?;
    package.check(spec)?;
    expand(&wrapper, &package)
}

/// What a `.cu` wrapper meets where bico-runtime was built without its feature `cuda`.
fn no_cuda(span: Span) -> Error {
    let version = env!("CARGO_PKG_VERSION");
    Error::new(
        span,
        format!(
            "CUDA kernels need the feature cuda: bico-runtime = {{ version = \"{version}\", features = [\"cuda\"] }}"
        ),
    )
    .note("the build-dependency needs it too: bico-build = { .., features = [\"cuda\"] }")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_feature_it_says_which_one() {
        let text = Errors::from(no_cuda(Span::call_site())).to_string();
        assert!(
            text.contains("CUDA kernels need the feature cuda: bico-runtime = { version = \"")
                && text.contains("\", features = [\"cuda\"] }"),
            "{text}"
        );
    }
}
