//! The attribute `#[bico::tunable]`: a thin shell over the grammar in `bico-syntax`.
//!
//! It expands a function without a body to the wrapper of a tuned kernel: data that the build
//! script left in `OUT_DIR`, the attribute's expressions as functions, and one call into
//! `bico::__private`. See `expand` for the shape.

mod built;
mod call;
mod expand;
mod gpu;
mod lower;
mod scratch;
mod statics;
mod stub;

use bico_syntax::{Arithmetic, BinaryOp, Error, Errors, ExprKind};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

#[doc = include_str!("tunable.md")]
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
    if spec.source.language.is_cuda() && !cfg!(feature = "cuda") {
        return Err(Errors::from(no_cuda(spec.source.path.span)));
    }
    let package =
        built::Package::read().map_err(|error| Errors::from(error.at(spec.function.span)))?;
    package.check(spec)?;
    expand::expand(&wrapper, &package)
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

/// One expression, lowered to a closure of a `Scope`: for the test that holds the macro and the
/// build's interpreter equal. Takes the attribute in parentheses and the function; the expression is
/// what stands before `== RESULT` in the first condition, or in the `if` that is the score.
#[doc(hidden)]
#[proc_macro]
pub fn __evaluate(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    evaluate(input.into())
        .unwrap_or_else(|errors| errors.to_compile_error())
        .into()
}

fn evaluate(input: TokenStream) -> Result<TokenStream, Errors> {
    let mut item = input.into_iter();
    let attribute = match item.next() {
        Some(proc_macro2::TokenTree::Group(group)) => group.stream(),
        _ => TokenStream::new(),
    };
    let spec = bico_syntax::parse(attribute, item.collect())?.spec;
    let (comparison, arithmetic) = match spec.score.as_ref().map(|score| &score.kind) {
        Some(ExprKind::If(condition, ..)) => (Some(&**condition), Arithmetic::Real),
        _ => (spec.require.first(), Arithmetic::Integer),
    };
    let Some(ExprKind::Binary(BinaryOp::Eq, expr, _)) = comparison.map(|expr| &expr.kind) else {
        let error = Error::new(spec.function.span, "write `EXPR == RESULT`");
        return Err(Errors::from(error));
    };
    let private = quote!(::bico::__private);
    let mut lowering = lower::Lowering::new(&spec, &private);
    let place = if lowering.names_other_scalar(expr) {
        lower::Place::Chosen
    } else {
        lower::Place::Scope
    };
    let value = lowering.value(expr, arithmetic, place);
    let here = Span::mixed_site();
    lowering.errors.into_result(quote_spanned! {here=>
        |scope: &#private::Scope<'_>| -> ::core::result::Result<#private::Value, #private::EvalError> {
            #[allow(unused)]
            let sizes = scope.sizes;
            ::core::result::Result::Ok(#value)
        }
    })
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
