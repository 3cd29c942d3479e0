//! One expression as a closure: what the test of lowering calls.

use bico_expand::{Lowering, Place};
use bico_syntax::{Arithmetic, BinaryOp, Error, Errors, ExprKind};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

/// A closure of a `Scope` for one expression of `(attribute) item`: what stands before `== RESULT` in the
/// first condition, or in the `if` that is the score.
#[proc_macro]
pub fn evaluate(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let code = closure(input.into());
    code.unwrap_or_else(|errors| errors.to_compile_error())
        .into()
}

fn closure(input: TokenStream) -> Result<TokenStream, Errors> {
    let mut item = input.into_iter();
    let attribute = match item.next() {
        Some(TokenTree::Group(group)) => group.stream(),
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
    let mut lowering = Lowering::new(&spec, &private);
    let place = match lowering.names_other_scalar(expr) {
        true => Place::Chosen,
        false => Place::Scope,
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
