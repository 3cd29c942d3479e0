//! What stands in for a wrapper that could not be made: the same functions, without a kernel.

use crate::expand::cfg;
use crate::template::quote;
use bico_syntax::{Function, Input, Lists, RustType};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};

/// Functions of the signatures that the expansion would have; nothing where there is no signature.
/// What is wrong in a signature has been reported: the stub makes it right, lest rustc adds to it.
pub(crate) fn stub(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(mut function) = bico_syntax::parse_item(item) else {
        return TokenStream::new();
    };
    let bico = crate_path(attribute);
    if !may_fail(&function.output) {
        function.output = quote!(-> #bico::Result<()>);
    }
    plain(&mut function.inputs);
    if function.body().is_some() {
        // Callers of a Rust function give no const arguments.
        function.generics = TokenStream::new();
    }
    let Function {
        attributes,
        visibility,
        qualifiers,
        name,
        generics,
        inputs,
        output,
        ..
    } = &function;
    let (receivers, others): (Vec<&Input>, Vec<&Input>) =
        inputs.iter().partition(|input| input.kind.is_none());
    // The stream of a CUDA kernel comes first.
    let streams = others.iter().filter(|input| is_stream(input));
    let values = others
        .iter()
        .filter(|input| !is_stream(input) && is_scalar(input) && !input.is_value);
    let scalars = streams.chain(values).map(|input| written(input));
    let scalars = scalars.collect_vec();
    let [receivers, others] = [&receivers, &others].map(|inputs| {
        inputs
            .iter()
            .map(|input| written(input))
            .collect::<Vec<_>>()
    });
    let [with, warm_up, tunable] = siblings(name);
    let cfg = cfg(attributes);
    let attributes = attributes.iter().map(|own| &own.tokens).collect_vec();
    let allow = quote!(#[allow(unused, missing_docs, clippy::all)]);
    let panic = format!("`{name}` has mistakes that the compiler reported");
    let panic = quote!(::core::panic!(#panic));
    quote! {
        #(#attributes)*
        #allow
        #visibility #qualifiers fn #name #generics (#(#receivers,)* #(#others),*) #output { #panic }
        #cfg #allow
        #visibility #qualifiers fn #with #generics (#(#receivers,)* _: &#bico::Config, #(#others),*) #output { #panic }
        #cfg #allow
        #visibility fn #warm_up #generics (#(#scalars),*) -> #bico::Result<#bico::Choice> { #panic }
        #cfg #allow
        #visibility fn #tunable() -> &'static #bico::Tunable { #panic }
    }
}

/// An argument, as it is written.
pub(crate) fn written(input: &Input) -> TokenStream {
    let attributes = input.attributes.iter().map(|own| &own.tokens);
    let attributes = attributes.collect_vec();
    let pattern = &input.pattern;
    let kind = input.kind.as_ref().map(|kind| quote!(: #kind));
    quote!(#(#attributes)* #pattern #kind)
}

/// The functions beside the wrapper. Their names are located at the wrapper's, but known to rustc's
/// lints as a macro's work: nobody has to use them.
pub(crate) fn siblings(name: &Ident) -> [Ident; 3] {
    let span = Span::call_site().located_at(name.span());
    let text = plain_text(name);
    ["with", "warm_up", "tunable"].map(|suffix| Ident::new(&format!("{text}_{suffix}"), span))
}

/// A name without the `r#` that keeps it from being a keyword.
pub(crate) fn plain_text(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_string()
}

/// Whether a return type is `Result<()>` of some kind, by its looks.
fn may_fail(output: &TokenStream) -> bool {
    let text = output.to_string().replace(' ', "");
    text.contains("Result<()>") || text.contains("Result<(),")
}

/// Leaves of the arguments what callers meet: every name once, no pattern, no attribute but `cfg`.
fn plain(inputs: &mut [Input]) {
    let mut seen: Vec<Ident> = Vec::new();
    for input in inputs.iter_mut().filter(|input| input.kind.is_some()) {
        input.attributes.retain(|own| own.name == "cfg");
        input.pattern = match input.name() {
            Some(name) if !seen.contains(&name) => {
                seen.push(name.clone());
                quote!(#name)
            }
            _ => quote!(_),
        };
    }
}

/// By its looks: what is passed by value, and `&str`.
fn is_scalar(input: &Input) -> bool {
    match input.rust_type() {
        Some(RustType::Reference { target, .. }) => {
            matches!(&*target, RustType::Path { name, .. } if name == "str")
        }
        kind => kind.is_some(),
    }
}

/// `&Arc<CudaStream>`, by its looks.
fn is_stream(input: &Input) -> bool {
    let text = input.kind.iter().map(ToString::to_string);
    let text = text.collect::<String>().replace(' ', "");
    text.starts_with('&') && text.contains("Arc<") && text.contains("CudaStream>")
}

/// What `crate = ..` says, read off the bare tokens: the attribute may be full of mistakes.
fn crate_path(attribute: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = attribute.into_iter().collect_vec();
    let is_punct =
        |token: &TokenTree, c: char| matches!(token, TokenTree::Punct(p) if p.as_char() == c);
    let start = tokens.windows(2).position(|pair| {
        matches!(&pair[0], TokenTree::Ident(word) if word == "crate") && is_punct(&pair[1], '=')
    });
    let behind = start.map_or(tokens.len(), |at| at + 2);
    let mut path = TokenStream::new();
    for token in tokens.into_iter().skip(behind) {
        if is_punct(&token, ',') {
            break;
        }
        path.extend(Some(TokenStream::from(token)));
    }
    // Anything but a plain path would break the stub, and hide the other mistakes with it.
    let text = path.to_string().replace(' ', "");
    match bico_syntax::is_path(&text) {
        true => path,
        false => quote!(::bico),
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
