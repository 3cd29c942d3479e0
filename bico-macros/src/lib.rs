//! The attribute `#[bico::tunable]`: a thin shell over the grammar in `bico-syntax`.
//!
//! It expands a function without a body to the wrapper of a tuned kernel: data that the build
//! script left in `OUT_DIR`, the attribute's expressions as functions, and one call into
//! `bico::__private`. See `expand` for the shape.

mod built;
mod call;
mod expand;
mod lower;
mod statics;
mod stub;

use bico_syntax::{Error, Errors};
use proc_macro2::TokenStream;

/// Marks the wrapper of a kernel that `cargo build` tunes.
///
/// The function has no body: bico writes it. Beside `gemm` there are then `gemm_with` (with a given
/// config), `gemm_warm_up` (settles before the first call, and says on what) and `gemm_tunable`.
/// The package's build script must call `bico_build::tune()`.
#[proc_macro_attribute]
pub fn tunable(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let (attribute, item) = (TokenStream::from(attribute), TokenStream::from(item));
    let expanded = expand(attribute.clone(), item.clone()).unwrap_or_else(|errors| {
        // The stub keeps the rest of the crate, and editors, going.
        let mut tokens = errors.to_compile_error();
        tokens.extend(stub::stub(attribute, item));
        tokens
    });
    expanded.into()
}

fn expand(attribute: TokenStream, item: TokenStream) -> Result<TokenStream, Errors> {
    let wrapper = bico_syntax::parse(attribute, item)?;
    let spec = &wrapper.spec;
    if spec.source.language.is_cuda() {
        let error = Error::new(
            spec.source.path.span,
            "CUDA kernels are not supported by this version yet",
        );
        return Err(Errors::from(
            error.note("use a C or C++ kernel (.c, .cpp, .cc)"),
        ));
    }
    let package =
        built::Package::read().map_err(|error| Errors::from(error.at(spec.function.span)))?;
    package.check(spec)?;
    expand::expand(&wrapper, &package)
}
