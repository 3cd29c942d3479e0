//! The wrapper and its siblings.
//!
//! ```text
//! const __BICO_gemm: Data            what the build knew, included from OUT_DIR
//! fn    __bico_gemm_kernel(index)    one load from the table of kernels, in the static library; one for each pass
//! fn    gemm_tunable()               the statics: rules, slots, the `Tunable`
//! fn    gemm(..)                     lengths, candidate, call
//! fn    gemm_with(config, ..)        the same with a given config
//! fn    gemm_warm_up(..)             only select, and say what
//! ```
//!
//! A CUDA kernel has no table: its code is part of the data. Its bodies are in `gpu`.
//!
//! Items bear the function's name or stand inside of functions, so that tunables of one module do
//! not meet, and begin with `__BICO` where an expression could name a `const` of the user's file.

use crate::built::Package;
use crate::call::Failure;
use crate::lower::Lowering;
use crate::rust::is_of_wrapper;
use crate::stub::{plain_text, siblings, written};
use crate::template::{quote, quote_spanned};
use bico_syntax::{
    Argument, ArgumentKind, Attribute, Callee, Element, Errors, Function, Input, KernelArgument,
    Language, Layout, Lists, Name, RustType, TunableSpec, Wrapper,
};
use proc_macro2::{Ident, Span, TokenStream};

/// Rust code for a spec that the build script has seen.
///
/// # Errors
///
/// What the grammar allows and no Rust code can say, each on its own token.
pub fn expand(wrapper: &Wrapper, package: &Package) -> Result<TokenStream, Errors> {
    let Wrapper { spec, function } = wrapper;
    let bico: TokenStream = spec.crate_path.parse().unwrap_or_else(|_| quote!(::bico));
    let private = quote!(#bico::__private);
    let name = &function.name;
    let text = plain_text(name);
    let mut parts = Parts {
        spec,
        p: &private,
        data: Ident::new(&format!("__BICO_{text}"), Span::call_site()),
        kernel: Ident::new(&format!("__bico_{text}_kernel"), Span::call_site()),
        tunable: siblings(name)[2].clone(),
        lowering: Lowering::new(spec, &private),
    };
    let data = parts.data();
    let cuda = spec.is_cuda();
    let kernels = match &spec.rust {
        Some(rust) => parts.function(wrapper, rust, package)?,
        None if cuda => Vec::new(),
        None => parts.kernels(wrapper, &package.symbol(spec)),
    };
    let statics = parts.statics();
    let sizes = parts.sizes(Failure::Told);
    let [call, call_with, choice] = parts.bodies(wrapper);
    // Locals that meet the user's argument names get the macro's own hygiene.
    let config = Ident::new("config", Span::mixed_site());
    parts.lowering.errors.into_result(())?;

    let [with, warm_up, tunable] = siblings(name);
    let attributes = function.attributes.iter();
    let attributes = attributes.filter(|own| spec.rust.is_none() || is_of_wrapper(own));
    let attributes = attributes.map(|own| &own.tokens).collect_vec();
    let cfg = cfg(&function.attributes);
    let (visibility, head, output) = (&function.visibility, &function.qualifiers, &function.output);
    let inputs = inputs(function);
    // The stream comes first, wherever it stands in the signature.
    let arguments = || inputs.iter().zip(&spec.arguments);
    let streams = arguments().filter(|(_, argument)| matches!(argument.kind, ArgumentKind::Stream));
    let by_value =
        |kind: &ArgumentKind| matches!(kind, ArgumentKind::Scalar(_) | ArgumentKind::Selector(_));
    let values = arguments().filter(|(_, argument)| by_value(&argument.kind));
    let values = streams.chain(values).map(|(input, _)| input).collect_vec();
    let doc_with =
        format!(" [`{name}`] with a config of the caller's choice: for data prepared for it.");
    let doc_warm_up = format!(" Settles what serves [`{name}`] at these sizes, and says it.");
    let doc_tunable = format!(" What the build found for [`{name}`], and what this process chose.");
    let quiet = quiet();
    let allow = quote!(#[allow(unused, non_snake_case, #quiet)]);
    let code = quote! {
        #(#cfg #kernels)*
        #cfg #data
        #(#attributes)*
        #visibility #head fn #name(#(#inputs),*) #output { #call }
        #cfg #allow
        #[doc = #doc_with]
        #visibility #head fn #with(#config: &#bico::Config, #(#inputs),*) #output { #call_with }
        #cfg #allow
        #[doc = #doc_warm_up]
        #visibility fn #warm_up(#(#values),*) -> #bico::Result<#bico::Choice> { #sizes #choice }
        #cfg #allow
        #[doc = #doc_tunable]
        #[inline]
        #visibility fn #tunable() -> &'static #bico::Tunable { #statics }
    };
    // This macro may have CUDA from a build script's side while the program's side has none.
    Ok(match cuda {
        true => quote!(#private::with_cuda! { #code }),
        false => code,
    })
}

/// The arguments of a wrapper, as they stand in its signature.
pub(crate) fn inputs(function: &Function) -> Vec<TokenStream> {
    function.inputs.iter().map(written).collect_vec()
}

/// An argument, as the user calls it.
pub(crate) fn user(name: &Name) -> Ident {
    Ident::new(&name.text, name.span)
}

/// `Some(value)` or `None`.
pub(crate) fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// Those attributes that say whether an item is there at all.
pub(crate) fn cfg(attributes: &[Attribute]) -> TokenStream {
    let mut cfg = TokenStream::new();
    for own in attributes {
        if own.name == "cfg" {
            cfg.extend(Some(own.tokens.clone()));
        }
    }
    cfg
}

/// Clippy has no business with what nobody wrote, however strict its user is. It does not see by
/// itself that included files and closures are generated.
fn quiet() -> TokenStream {
    quote!(
        clippy::all,
        clippy::pedantic,
        clippy::nursery,
        clippy::restriction
    )
}

/// The pieces of one expansion.
pub(crate) struct Parts<'a> {
    pub(crate) spec: &'a TunableSpec,
    /// `::bico::__private`
    pub(crate) p: &'a TokenStream,
    pub(crate) data: Ident,
    pub(crate) kernel: Ident,
    pub(crate) tunable: Ident,
    pub(crate) lowering: Lowering<'a>,
}

impl Parts<'_> {
    /// The bodies of the wrapper and of the sibling that is given a config, and what the warm-up says.
    fn bodies(&mut self, wrapper: &Wrapper) -> [TokenStream; 3] {
        let here = Span::mixed_site();
        let given = &self.given(Failure::Told);
        #[cfg(feature = "cuda")]
        if self.spec.is_cuda() {
            return self.gpu_bodies(given);
        }
        let pull = quote_spanned!(here=> tunable.pull(&sizes, &#given)?);
        let body = self.body(pull, Some(given));
        let call = self.short_way(wrapper, &body);
        let with = quote_spanned!(here=> tunable.pull_with(config, &sizes, &#given)?);
        [
            call,
            self.body(with, None),
            quote_spanned!(here=> tunable.choice(&sizes, &#given)),
        ]
    }

    pub(crate) fn data(&self) -> TokenStream {
        let Parts { p, data, .. } = self;
        let file = format!("/{}", bico_syntax::data_file(&self.spec.key.text));
        let quiet = quiet();
        // Kernels write any bits into them.
        let layouts = self.spec.arguments.iter();
        let layouts = layouts.filter_map(|argument| argument.kind.layout());
        let plain: Vec<TokenStream> = layouts
            .filter_map(structure)
            .map(|of| quote_spanned!(Span::mixed_site()=> const _: () = #p::plain::<#of>();))
            .collect_vec();
        let included = quote!(::core::include!(
            ::core::concat!(::core::env!("OUT_DIR"), #file)
        ));
        let value = match plain.is_empty() {
            true => included,
            false => quote!({ #(#plain)* #included }),
        };
        quote! {
            #[doc(hidden)]
            #[allow(non_upper_case_globals, #quiet)]
            const #data: #p::Data = #value;
        }
    }

    /// The table has one entry per candidate: the build script writes both, and the fingerprint says
    /// that they belong to this attribute. That is what makes the `static` sound.
    pub(crate) fn kernels(&self, wrapper: &Wrapper, symbol: &str) -> Vec<TokenStream> {
        let passes = self.given_to_passes().into_iter().enumerate();
        passes
            .map(|(pass, given)| self.kernel(wrapper, symbol, pass, given))
            .collect_vec()
    }

    /// What each pass gets, of one variant after the other.
    pub(crate) fn given_to_passes(&self) -> Vec<Vec<KernelArgument>> {
        let kernels = 0..self.spec.kernels.len();
        let passes = kernels.flat_map(|at| self.spec.kernel_arguments(Callee::Kernel(at)));
        passes.collect_vec()
    }

    /// The function that gives the kernel of a pass: of variants an `Option`, since a candidate has those of one.
    pub(crate) fn kernel_of(&self, pass: usize) -> Ident {
        match pass {
            0 => self.kernel.clone(),
            _ => Ident::new(&format!("{}_{pass}", self.kernel), self.kernel.span()),
        }
    }

    fn kernel(
        &self,
        wrapper: &Wrapper,
        symbol: &str,
        pass: usize,
        given: Vec<KernelArgument>,
    ) -> TokenStream {
        let Parts { spec, data, .. } = self;
        let kernel = self.kernel_of(pass);
        let types = given.into_iter().map(|given| match given {
            KernelArgument::Argument(at) => {
                kernel_type(&wrapper.function.inputs[at], &spec.arguments[at]).unwrap_or_default()
            }
            KernelArgument::Scratch(at) => {
                let element = element(spec.scratch[at].element);
                quote!(*mut #element)
            }
            KernelArgument::Null | KernelArgument::Tensor(_) => quote!(*mut ::core::ffi::c_void),
            KernelArgument::Value(_, of) => element(of),
        });
        let types = types.collect_vec();
        let mut function = quote!(unsafe extern "C" fn(#(#types),*));
        if spec.has_variants() {
            function = quote!(::core::option::Option<#function>);
        }
        let table = bico_syntax::table(symbol, pass);
        // Linked here like the kernels: cargo's directives miss a `main.rs` beside a `lib.rs`.
        let mut sources = spec.kernels.iter().map(|kernel| &kernel.source);
        let cpp = sources.any(|source| source.language == Language::Cpp);
        let standard_library = cpp.then(|| {
            quote! {
                #[cfg_attr(target_vendor = "apple", link(name = "c++"))]
                #[cfg_attr(not(any(target_vendor = "apple", target_env = "msvc")), link(name = "stdc++"))]
                unsafe extern "C" {}
            }
        });
        // Behind the kernels, which need them. Those of variants come with the data: they may be missing.
        let libraries = spec.link.iter().map(|library| &library.text);
        let libraries = libraries.collect_vec();
        let quiet = quiet();
        quote! {
            #[doc(hidden)]
            #[inline(always)]
            #[allow(unused, non_snake_case, improper_ctypes, #quiet)]
            fn #kernel(candidate: usize) -> #function {
                #[link(name = #symbol, kind = "static")]
                unsafe extern "C" {
                    #[link_name = #table]
                    static __BICO_TABLE: [#function; #data.candidates.len()];
                }
                #standard_library
                #(#[link(name = #libraries)] unsafe extern "C" {})*
                unsafe { __BICO_TABLE[candidate] }
            }
        }
    }
}

/// Bytes of an element. The size of a structure is rustc's to say, beside what the build made of its definition.
pub(crate) fn bytes(layout: &Layout) -> TokenStream {
    let size = layout.size();
    match structure(layout) {
        Some(of) => quote!({ ::core::mem::size_of::<#of>() }),
        None => quote!(#size),
    }
}

/// The structure that an element is, as the user writes it, and where.
fn structure(layout: &Layout) -> Option<TokenStream> {
    let path = layout.structure.as_ref()?;
    let mut placed = TokenStream::new();
    for mut token in path.text.parse::<TokenStream>().ok()? {
        token.set_span(path.span);
        placed.extend(Some(TokenStream::from(token)));
    }
    Some(placed)
}

/// The kernel's parameter for an argument, in the user's own types.
fn kernel_type(input: &Input, argument: &Argument) -> Option<TokenStream> {
    match argument.kind {
        ArgumentKind::Buffer { mutable, .. } => {
            let Some(RustType::Reference { target, .. }) = input.rust_type() else {
                return None;
            };
            match (*target, mutable) {
                (RustType::Slice { tokens, .. }, true) => Some(quote!(*mut #tokens)),
                (RustType::Slice { tokens, .. }, false) => Some(quote!(*const #tokens)),
                _ => None,
            }
        }
        ArgumentKind::Scalar(_) | ArgumentKind::Value { .. } | ArgumentKind::Structure(_) => {
            input.kind.clone()
        }
        ArgumentKind::Selector(_) | ArgumentKind::Stream => None,
    }
}

/// The type of a scratch buffer's elements. The 16-bit floats are in no standard library: their bits.
pub(crate) fn element(element: Element) -> TokenStream {
    let name = match element {
        Element::F16 | Element::Bf16 => "u16",
        other => other.name(),
    };
    let name = Ident::new(name, Span::call_site());
    quote!(::core::primitive::#name)
}
