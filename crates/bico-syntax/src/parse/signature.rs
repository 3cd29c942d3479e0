//! The function that the attribute stands on.

use super::tokens::{input_is_over, report_syntax};
use crate::errors::Errors;
use crate::messages;
use proc_macro2::{Span, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;

/// A function without a body, as `syn` reads it.
pub(crate) struct Item {
    pub(crate) attributes: Vec<syn::Attribute>,
    pub(crate) visibility: syn::Visibility,
    pub(crate) signature: syn::Signature,
    end: End,
}

/// What follows the signature.
enum End {
    Semicolon,
    Body(Span),
    Missing,
}

fn item(input: ParseStream) -> syn::Result<Item> {
    let attributes = input.call(syn::Attribute::parse_outer)?;
    let visibility = input.parse()?;
    let signature = input.parse()?;
    let end = if input.peek(syn::token::Brace) {
        let body: proc_macro2::Group = input.parse()?;
        End::Body(body.span_open())
    } else if input.is_empty() {
        End::Missing
    } else {
        input.parse::<syn::Token![;]>()?;
        End::Semicolon
    };
    if !input.is_empty() {
        return Err(input.error("expected nothing after the function"));
    }
    Ok(Item {
        attributes,
        visibility,
        signature,
        end,
    })
}

/// Reads attributes, visibility and signature, with or without a body, for a stub that keeps
/// editors working after a mistake. Our attributes on the arguments are removed.
///
/// # Errors
///
/// If the tokens are no function.
pub fn parse_item(
    tokens: TokenStream,
) -> syn::Result<(Vec<syn::Attribute>, syn::Visibility, syn::Signature)> {
    let mut item = item.parse2(tokens)?;
    strip(&mut item.signature);
    Ok((item.attributes, item.visibility, item.signature))
}

/// Removes `#[len]` and `#[init]`, which rustc does not know.
pub(crate) fn strip(signature: &mut syn::Signature) {
    for input in &mut signature.inputs {
        if let syn::FnArg::Typed(argument) = input {
            argument.attrs.retain(|attribute| {
                !attribute.path().is_ident("len") && !attribute.path().is_ident("init")
            });
        }
    }
}

/// Reads the item and checks everything about it but its arguments.
pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Option<Item> {
    let last = tokens
        .clone()
        .into_iter()
        .last()
        .map_or_else(Span::call_site, |tree| tree.span());
    let item = match item.parse2(tokens) {
        Ok(item) => item,
        Err(error) => {
            if error.to_string().ends_with("expected `fn`") {
                let span = if input_is_over(&error) {
                    last
                } else {
                    error.span()
                };
                errors.report(span, messages::not_a_function());
            } else {
                report_syntax(&error, last, errors);
            }
            return None;
        }
    };
    let signature = &item.signature;
    match item.end {
        End::Body(span) => errors.report(span, messages::body()),
        End::Missing => errors.report(last, messages::missing_semicolon()),
        End::Semicolon => {}
    }
    let unsupported = [
        (signature.constness.as_ref().map(Spanned::span), "const fn"),
        (signature.asyncness.as_ref().map(Spanned::span), "async fn"),
        (
            signature.abi.as_ref().map(|abi| abi.extern_token.span),
            "extern",
        ),
        (
            signature.generics.lt_token.as_ref().map(Spanned::span),
            "generic parameters",
        ),
        (
            signature
                .generics
                .where_clause
                .as_ref()
                .map(|clause| clause.where_token.span),
            "where",
        ),
        (
            signature
                .variadic
                .as_ref()
                .map(|variadic| variadic.dots.span()),
            "variadic arguments",
        ),
    ];
    for (span, what) in unsupported {
        if let Some(span) = span {
            errors.report(span, messages::signature_part(what));
        }
    }
    match &signature.output {
        syn::ReturnType::Default => {
            errors.report(signature.paren_token.span.close(), messages::return_type())
        }
        syn::ReturnType::Type(_, kind) if !is_result(kind) => {
            let place = super::arguments::extent(kind);
            errors.report(
                place,
                if is_fallible(kind) {
                    messages::return_value()
                } else {
                    messages::return_type()
                },
            )
        }
        syn::ReturnType::Type(..) => {}
    }
    Some(item)
}

/// Whether `kind` is a `Result` of anything.
fn is_fallible(kind: &syn::Type) -> bool {
    matches!(kind, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Result"))
}

/// Whether `kind` is some path to `Result<()>`.
fn is_result(kind: &syn::Type) -> bool {
    let syn::Type::Path(path) = kind else {
        return false;
    };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return false;
    };
    let unit = |argument: &syn::GenericArgument| matches!(argument, syn::GenericArgument::Type(syn::Type::Tuple(tuple)) if tuple.elems.is_empty());
    last.ident == "Result" && arguments.args.first().is_some_and(unit)
}
