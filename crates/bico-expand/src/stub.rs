//! What stands in for a wrapper that could not be made: the same functions, without a kernel.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;

/// Functions of the signatures that the expansion would have; nothing where there is no signature.
/// What is wrong in a signature has been reported: the stub makes it right, lest rustc adds to it.
pub(crate) fn stub(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let Ok((attributes, visibility, mut signature)) = bico_syntax::parse_item(item) else {
        return TokenStream::new();
    };
    let bico = crate_path(attribute);
    if !may_fail(&signature.output) {
        signature.output = syn::parse_quote!(-> #bico::Result<()>);
    }
    signature.variadic = None;
    plain(&mut signature.inputs);
    let name = &signature.ident;
    let inputs = &signature.inputs;
    let (receiver, others): (Vec<_>, Vec<_>) = inputs
        .iter()
        .partition(|input| matches!(input, syn::FnArg::Receiver(_)));
    // The stream of a CUDA kernel comes first.
    let scalars = inputs.iter().filter(|input| is_stream(input));
    let scalars = scalars.chain(inputs.iter().filter(|input| is_scalar(input)));
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
        #visibility #head fn #with #generics (#(#receiver,)* _: &#bico::Config, #(#others),*) #output { #panic }
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

/// Whether a return type is `Result<()>` of some kind, by its looks.
fn may_fail(output: &syn::ReturnType) -> bool {
    let text = quote!(#output).to_string().replace(' ', "");
    text.contains("Result<()>") || text.contains("Result<(),")
}

/// Leaves of the arguments what callers meet: every name once, no pattern, no attribute but `cfg`.
fn plain(inputs: &mut Punctuated<syn::FnArg, syn::Token![,]>) {
    let mut seen: Vec<Ident> = Vec::new();
    for input in inputs {
        let syn::FnArg::Typed(argument) = input else {
            continue;
        };
        argument.attrs.retain(|a| a.path().is_ident("cfg"));
        let name = match &*argument.pat {
            syn::Pat::Ident(pattern) if !seen.contains(&pattern.ident) => &pattern.ident,
            _ => {
                *argument.pat = syn::parse_quote!(_);
                continue;
            }
        };
        seen.push(name.clone());
        *argument.pat = syn::parse_quote!(#name);
    }
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

/// `&Arc<CudaStream>`, by its looks.
fn is_stream(input: &syn::FnArg) -> bool {
    let syn::FnArg::Typed(argument) = input else {
        return false;
    };
    let kind = &argument.ty;
    let text = quote!(#kind).to_string().replace(' ', "");
    text.starts_with('&') && text.contains("Arc<") && text.contains("CudaStream>")
}

/// What `crate = ..` says, read off the bare tokens: the attribute may be full of mistakes.
fn crate_path(attribute: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = attribute.into_iter().collect();
    let is_punct =
        |token: &TokenTree, c: char| matches!(token, TokenTree::Punct(p) if p.as_char() == c);
    let start = tokens
        .windows(2)
        .position(|pair| is_ident(&pair[0], "crate") && is_punct(&pair[1], '='));
    let tokens = tokens
        .into_iter()
        .skip(start.map_or(usize::MAX, |at| at + 2));
    let path: TokenStream = tokens.take_while(|t| !is_punct(t, ',')).collect();
    // Anything but a plain path would break the stub, and hide the other mistakes with it.
    match syn::Path::parse_mod_style.parse2(path) {
        Ok(path) => quote!(#path),
        Err(_) => quote!(::bico),
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
    fn a_stream_warms_up_first() {
        let item = quote!(
            fn f(
                c: &mut CudaSlice<f32>,
                m: u32,
                stream: &std::sync::Arc<driver::CudaStream>,
            ) -> bico::Result<()>;
        );
        let code = stub(quote!(), item).to_string().replace(' ', "");
        let part = "fnf_warm_up(stream:&std::sync::Arc<driver::CudaStream>,m:u32)->::bico::Result";
        assert!(code.contains(part), "{code}");
    }

    #[test]
    fn mends_what_was_reported() {
        let attribute = quote!(crate = "bico");
        let item = quote!(
            fn f(&self, (a, b): (u8, u8), mut n: u32, #[size] n: u32) -> u32;
        );
        let code = stub(attribute, item).to_string().replace(' ', "");
        for part in [
            "fnf(&self,_:(u8,u8),n:u32,_:u32)->::bico::Result<()>{",
            "fnf_with(&self,_:&::bico::Config,_:(u8,u8),n:u32,_:u32)->::bico::Result<()>{",
        ] {
            assert!(code.contains(part), "{part}\n{code}");
        }
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
