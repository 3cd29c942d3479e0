//! The attribute `#[bico::tunable]`: the door to `bico-expand`, which does what it says.
#![forbid(unsafe_code)]

use proc_macro::TokenStream;

/// Marks the wrapper of a kernel that `cargo build` tunes.
///
/// The function has no body: bico writes it. Beside `gemm` there are then `gemm_with` (with a given
/// config), `gemm_warm_up` (settles before the first call, and says on what) and `gemm_tunable`.
/// The package's build script must call `bico_build::tune()`.
///
/// The wrapper of a CUDA kernel takes a stream among its arguments, and `gemm_warm_up` takes it first; that
/// needs bico-runtime's feature `cuda`.
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
