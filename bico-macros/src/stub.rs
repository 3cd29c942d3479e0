//! What stands in for a wrapper that could not be made: the same functions, without a kernel.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;

/// Functions of the signatures that the expansion would have; nothing where there is no signature.
pub(crate) fn stub(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let Ok((attributes, visibility, signature)) = bico_syntax::parse_item(item) else {
        return TokenStream::new();
    };
    let bico = crate_path(attribute);
    let name = &signature.ident;
    let inputs = &signature.inputs;
    let scalars = inputs.iter().filter(|input| is_scalar(input));
    let [with, warm_up, tunable] = siblings(name);
    let cfg = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"));
    let cfg = quote!(#(#cfg)*);
    let allow = quote!(#[allow(unused, missing_docs, clippy::all)]);
    let panic = format!("`{name}` has mistakes that the compiler reported");
    let panic = quote!(::core::panic!(#panic));
    // Of what may stand before `fn`, only `unsafe` is allowed on a wrapper.
    let head = quote!(#signature)
        .into_iter()
        .take_while(|token| !is_ident(token, "fn"));
    let head: TokenStream = head.collect();
    let output = &signature.output;
    let generics = &signature.generics;
    quote! {
        #(#attributes)*
        #allow
        #visibility #signature { #panic }
        #cfg #allow
        #visibility #head fn #with #generics (_: &#bico::Config, #inputs) #output { #panic }
        #cfg #allow
        #visibility fn #warm_up #generics (#(#scalars),*) -> #bico::Result<#bico::Choice> { #panic }
        #cfg #allow
        #visibility fn #tunable() -> &'static #bico::Tunable { #panic }
    }
}

/// The functions beside the wrapper. Their names are located at the wrapper's, but known to rustc's
/// lints as a macro's work: nobody has to use them.
pub(crate) fn siblings(name: &Ident) -> [Ident; 3] {
    let span = Span::call_site().located_at(name.span());
    let text = name.to_string();
    let text = text.trim_start_matches("r#");
    ["with", "warm_up", "tunable"].map(|suffix| Ident::new(&format!("{text}_{suffix}"), span))
}

fn is_ident(token: &TokenTree, text: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == text)
}

/// By its looks: what is passed by value, and `&str`.
fn is_scalar(input: &syn::FnArg) -> bool {
    match input {
        syn::FnArg::Typed(argument) => match &*argument.ty {
            syn::Type::Reference(reference) => {
                matches!(&*reference.elem, syn::Type::Path(path) if path.path.is_ident("str"))
            }
            _ => true,
        },
        syn::FnArg::Receiver(_) => false,
    }
}

/// What `crate = ..` says, read off the bare tokens: the attribute may be full of mistakes.
fn crate_path(attribute: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = attribute.into_iter().collect();
    let is_punct =
        |token: &TokenTree, c: char| matches!(token, TokenTree::Punct(p) if p.as_char() == c);
    let start = tokens
        .windows(2)
        .position(|pair| is_ident(&pair[0], "crate") && is_punct(&pair[1], '='));
    match start {
        Some(at) => tokens[at + 2..]
            .iter()
            .take_while(|t| !is_punct(t, ','))
            .cloned()
            .collect(),
        None => quote!(::bico),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_every_function() {
        let attribute = quote!(source = 5, crate = self::deep::bico, space(oops));
        let item = quote! {
            /// Docs.
            #[cfg(unix)]
            pub unsafe fn gemm(#[len(m)] c: &mut [f32], act: &str, m: u32) -> bico::Result<()>;
        };
        let code = stub(attribute, item).to_string().replace(' ', "");
        for part in [
            "pubunsafefngemm(c:&mut[f32],act:&str,m:u32)->bico::Result<()>{",
            "pubunsafefngemm_with(_:&self::deep::bico::Config,c:&mut[f32],act:&str,m:u32)->bico::Result<()>{",
            "pubfngemm_warm_up(act:&str,m:u32)->self::deep::bico::Result<self::deep::bico::Choice>{",
            "pubfngemm_tunable()->&'staticself::deep::bico::Tunable{",
        ] {
            assert!(code.contains(part), "{part}\n{code}");
        }
        assert_eq!(code.matches("#[cfg(unix)]").count(), 4);
    }

    #[test]
    fn what_is_no_function_has_no_stub() {
        assert!(
            stub(
                quote!(),
                quote!(
                    struct Gemm;
                )
            )
            .is_empty()
        );
    }
}
