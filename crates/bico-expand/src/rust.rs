//! Rust functions that are tuned themselves: the function under a name of its own, and what calls it for a candidate.
//!
//! ```text
//! fn __bico_axpy_of<const TILE: usize>(..) { .. }       the function, as it was written
//! fn __bico_axpy_kernel(candidate, ..)                  match candidate { 0 => __bico_axpy_of::<64>(..), .. }
//! ```
//!
//! Each arm is a call that the compiler sees through, so a candidate may be inlined.

use crate::built::Package;
use crate::expand::{Parts, inputs, user};
use crate::lower::Place;
use crate::template::{quote, quote_spanned};
use bico_syntax::{
    ArgumentKind, Attribute, Error, Expr, Lists, ReferenceKind, RustFunction, Wrapper,
};
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};

/// Attributes that say something of what callers see; others belong to the code.
const OF_WRAPPER: [&str; 5] = ["doc", "cfg", "must_use", "deprecated", "allow"];

/// Whether an attribute of a Rust function stands on the wrapper.
pub(crate) fn is_of_wrapper(own: &Attribute) -> bool {
    OF_WRAPPER.contains(&own.name.as_str())
}

impl Parts<'_> {
    /// The function, and what calls it.
    pub(crate) fn function(
        &self,
        wrapper: &Wrapper,
        rust: &RustFunction,
        package: &Package,
    ) -> Result<Vec<TokenStream>, Error> {
        let function = &wrapper.function;
        let own = Ident::new(&format!("{}_of", self.kernel), Span::call_site());
        let attributes = function.attributes.iter();
        let attributes = attributes.filter(|own| own.name == "allow" || !is_of_wrapper(own));
        let attributes = attributes.map(|own| &own.tokens).collect_vec();
        let (head, generics) = (&function.qualifiers, &function.generics);
        let (inputs, body) = (inputs(function), TokenTree::from(rust.body.clone()));
        let body = TokenStream::from(body);
        let kernel = &self.kernel;
        let candidates = package.candidates(self.spec)?;
        // Apart from an argument of that name.
        let candidate = Ident::new("candidate", Span::mixed_site());
        let names = self.spec.arguments.iter();
        let names = names.map(|argument| user(&argument.name)).collect_vec();
        let mut arms = TokenStream::new();
        let last = candidates.len().saturating_sub(1);
        for (at, candidate) in candidates.iter().enumerate() {
            let index = match at == last {
                true => quote!(_),
                false => TokenTree::from(Literal::usize_unsuffixed(at)).into(),
            };
            let call = quote!(#own::<#candidate>(#(#names),*));
            let call = match self.spec.is_unsafe {
                true => quote!(unsafe { #call }),
                false => call,
            };
            arms.extend(quote!(#index => #call,));
        }
        let mut chosen = quote!(match #candidate { #arms });
        if rust.ships_measured {
            chosen = self.measured(&candidate, candidates.len(), &package.symbol(self.spec));
        }
        let mut items = Vec::new();
        if let Some(reference) = &self.spec.verify.reference
            && let ReferenceKind::Entry(name) = &reference.kind
        {
            // It is not called here, and yet used: of this type.
            let kinds = function
                .inputs
                .iter()
                .map(|input| &input.kind)
                .collect_vec();
            let name = Ident::new(name, reference.span);
            items.push(quote!(const _: #head fn(#(#kinds),*) = #name;));
        }
        items.extend([
            quote! {
                #[doc(hidden)]
                #[allow(dead_code)]
                #(#attributes)*
                #head fn #own #generics (#(#inputs),*) #body
            },
            quote! {
                #[doc(hidden)]
                #[inline(always)]
                #[allow(unused, non_snake_case, clippy::all, clippy::pedantic)]
                #head fn #kernel(#candidate: usize, #(#inputs),*) {
                    #chosen
                }
            },
        ]);
        Ok(items)
    }

    /// The call of a candidate that was linked, in the way of a worker: with the addresses of its arguments, then those of the
    /// lengths of its slices.
    fn measured(&self, candidate: &Ident, count: usize, symbol: &str) -> TokenStream {
        let (p, here) = (self.p, Span::mixed_site());
        let of = |at: usize| Ident::new(&bico_syntax::candidate(symbol, at), here);
        let symbols = (0..count).map(of).collect_vec();
        let (mut given, mut lengths) = (Vec::new(), Vec::new());
        for argument in &self.spec.arguments {
            let name = user(&argument.name);
            given.push(match argument.kind {
                ArgumentKind::Buffer { mutable, .. } => {
                    lengths.push(quote!(#name.len() as u64));
                    match mutable {
                        true => quote!(#name.as_mut_ptr().cast()),
                        false => quote!(#name.as_ptr().cast_mut().cast()),
                    }
                }
                _ => quote!((&raw const #name).cast_mut().cast()),
            });
        }
        let at = (0..lengths.len()).map(Literal::usize_unsuffixed);
        let at = at.collect_vec();
        quote_spanned! {here=>
            #[link(name = #symbol, kind = "static")]
            unsafe extern "C-unwind" {
                #(fn #symbols(arguments: *const *mut ::core::ffi::c_void);)*
            }
            let lengths = [#(#lengths),*];
            let given: &[*mut ::core::ffi::c_void] = &[
                #(#given,)*
                #((&raw const lengths[#at]).cast_mut().cast(),)*
            ];
            let chosen = [#(#symbols),*][#candidate];
            #p::without_unwinding(|| unsafe { chosen(given.as_ptr()) });
        }
    }

    /// Elements of each buffer, which a Rust function gets as a slice of just so many.
    pub(crate) fn slices(&self) -> Vec<Expr> {
        let buffers = self.spec.buffers().filter(|_| self.spec.rust.is_some());
        let lengths = buffers.filter_map(|buffer| match &buffer.kind {
            ArgumentKind::Buffer { len, .. } => Some(len.clone()),
            _ => None,
        });
        lengths.collect_vec()
    }

    /// Where such a length can be evaluated.
    pub(crate) fn slice_place(&self, len: &Expr) -> Place {
        match self.lowering.needs_candidate(len) {
            true => Place::Chosen,
            false => Place::Wrapper,
        }
    }

    /// The call of a candidate.
    pub(crate) fn call_function(&self) -> TokenStream {
        let (kernel, here) = (&self.kernel, Span::mixed_site());
        let mut slices = (0..).map(Literal::usize_unsuffixed);
        let arguments = self.spec.arguments.iter().map(|argument| {
            let name = user(&argument.name);
            let ArgumentKind::Buffer { mutable, .. } = argument.kind else {
                return quote!(#name);
            };
            let at = slices.next();
            match mutable {
                true => quote_spanned!(here=> &mut #name[..passed.#at]),
                false => quote_spanned!(here=> &#name[..passed.#at]),
            }
        });
        let arguments: Vec<TokenStream> = arguments.collect_vec();
        let call = quote_spanned!(here=> #kernel(candidate, #(#arguments),*));
        match self.spec.is_unsafe {
            true => quote_spanned!(here=> unsafe { #call }),
            false => call,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_syntax::{data_file, data_header};

    /// What becomes of a function whose data file holds this second line.
    fn expanded(line: &str) -> Result<String, String> {
        let attribute = quote!(
            space(TILE in [4, 8], WIDE in [true, false]),
            problem(n = 8, candidate = 0.5),
            verify(reference = "plain")
        );
        let item = quote! {
            /// Docs.
            #[cfg(unix)]
            #[inline]
            pub fn axpy<const WIDE: bool, const TILE: usize>(
                #[len(n)] y: &mut [f32], #[len(2 * TILE)] x: &[f32], candidate: f32, n: u32,
            ) { body(); }
        };
        let wrapper = bico_syntax::parse(attribute, item);
        let wrapper = wrapper.unwrap_or_else(|errors| panic!("{errors}"));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(data_file("axpy"));
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{}\n{line}\n", data_header(0))).unwrap();
        let package = Package {
            name: "p".into(),
            version: "0.1.0".into(),
            out_dir: dir.path().into(),
        };
        let code = crate::expand(&wrapper, &package);
        let code = code.map(|code| code.to_string().replace(' ', ""));
        code.map_err(|errors| errors.iter().map(|error| error.message.clone()).collect())
    }

    #[test]
    fn a_candidate_is_called_by_its_const_arguments() {
        let code = expanded("// true, 4 | false, 8").unwrap();
        for part in [
            // The function, as it was; what callers see; and what comes between.
            "#[inline]fn__bico_axpy_kernel_of<constWIDE:bool,constTILE:usize>(y:&mut[f32],x:&[f32],candidate:f32,n:u32){body();}",
            "///Docs.#[cfg(unix)]pubfnaxpy(y:&mut[f32],x:&[f32],candidate:f32,n:u32)->::bico::Result<()>",
            "0=>__bico_axpy_kernel_of::<true,4>(y,x,candidate,n),_=>__bico_axpy_kernel_of::<false,8>(y,x,candidate,n),",
            // Slices of just so many elements.
            "__bico_axpy_kernel(candidate,&muty[..passed.0],&x[..passed.1],candidate,n)",
            "const_:fn(&mut[f32],&[f32],f32,u32)=plain;",
        ] {
            let docs = code.replace("#[doc=r\"Docs.\"]", "///Docs.");
            assert!(docs.contains(part), "{part}\n{docs}");
        }
        assert!(!code.contains("unsafe") && !code.contains("#[link"));
    }

    #[test]
    fn there_are_candidates() {
        for line in ["", "// ", "{", "// 4 | "] {
            let said = expanded(line).unwrap_err();
            assert_eq!(said, "the build script left no candidates of `axpy`");
        }
    }
}
