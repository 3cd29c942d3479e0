//! The wrapper and its siblings.
//!
//! ```text
//! const __BICO_gemm: Data            what the build knew, included from OUT_DIR
//! fn    __bico_gemm_kernel(index)    one load from the table of kernels, in the static library
//! fn    gemm_tunable()               the statics: rules, slots, the `Tunable`
//! fn    gemm(..)                     lengths, select, call
//! fn    gemm_with(config, ..)        the same with a given config
//! fn    gemm_warm_up(..)             only select, and say what
//! ```
//!
//! Items bear the function's name or stand inside of functions, so that tunables of one module do
//! not meet, and begin with `__BICO` where an expression could name a `const` of the user's file.

use crate::built::Package;
use crate::lower::{Lowering, Place, sizes};
use crate::stub::siblings;
use bico_syntax::{
    Argument, ArgumentKind, Arithmetic, Element, Errors, Expr, Name, TunableSpec, Wrapper,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// Rust code for a spec that the build script has seen.
pub(crate) fn expand(wrapper: &Wrapper, package: &Package) -> Result<TokenStream, Errors> {
    let Wrapper {
        spec,
        attributes,
        visibility,
        signature,
    } = wrapper;
    let bico: TokenStream = spec.crate_path.parse().unwrap_or_else(|_| quote!(::bico));
    let private = quote!(#bico::__private);
    let name = &signature.ident;
    let mut parts = Parts {
        spec,
        p: &private,
        data: format_ident!("__BICO_{name}", span = Span::call_site()),
        kernel: format_ident!("__bico_{name}_kernel", span = Span::call_site()),
        tunable: siblings(name)[2].clone(),
        lowering: Lowering::new(spec, &private),
    };
    let data = parts.data();
    let kernel = parts.kernel(wrapper, &package.symbol(spec));
    let statics = parts.statics();
    let given = parts.given(Failure::Told);
    // Locals that meet the user's argument names get the macro's own hygiene.
    let here = Span::mixed_site();
    let call = parts.body(quote_spanned!(here=> tunable.select(&sizes, &#given)?));
    let call = parts.short_way(wrapper, &call).unwrap_or(call);
    let call_with =
        parts.body(quote_spanned!(here=> tunable.with_config(config, &sizes, &#given)?));
    let sizes = parts.sizes(Failure::Told);
    let choice = quote_spanned!(here=> tunable.choice(&sizes, &#given));
    let config = Ident::new("config", here);
    parts.lowering.errors.into_result(())?;

    let [with, warm_up, tunable] = siblings(name);
    let cfg: Vec<_> = attributes
        .iter()
        .filter(|a| a.path().is_ident("cfg"))
        .collect();
    let head = spec.is_unsafe.then(|| quote!(unsafe));
    let (inputs, output) = (&signature.inputs, &signature.output);
    let values = inputs.iter().zip(&spec.arguments).filter(|(_, argument)| {
        matches!(
            argument.kind,
            ArgumentKind::Scalar(_) | ArgumentKind::Selector(_)
        )
    });
    let values = values.map(|(input, _)| input);
    let doc_with =
        format!(" [`{name}`] with a config of the caller's choice: for data prepared for it.");
    let doc_warm_up = format!(" Settles what serves [`{name}`] at these sizes, and says it.");
    let doc_tunable = format!(" What the build found for [`{name}`], and what this process chose.");
    let allow = quote!(#[allow(
        unused, non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc,
    )]);
    Ok(quote! {
        #(#cfg)* #data
        #(#cfg)* #kernel
        #(#attributes)*
        #visibility #signature { #call }
        #(#cfg)* #allow
        #[doc = #doc_with]
        #visibility #head fn #with(#config: &#bico::Config, #inputs) #output { #call_with }
        #(#cfg)* #allow
        #[doc = #doc_warm_up]
        #visibility fn #warm_up(#(#values),*) -> #bico::Result<#bico::Choice> { #sizes #choice }
        #(#cfg)* #allow
        #[doc = #doc_tunable]
        #[inline]
        #visibility fn #tunable() -> &'static #bico::Tunable { #statics }
    })
}

/// What generated code does where an argument lies outside `i64`.
#[derive(Clone, Copy)]
enum Failure {
    /// Returns `None`.
    Silent,
    /// Returns the error.
    Told,
}

/// The pieces of one expansion.
struct Parts<'a> {
    spec: &'a TunableSpec,
    /// `::bico::__private`
    p: &'a TokenStream,
    data: Ident,
    kernel: Ident,
    tunable: Ident,
    lowering: Lowering<'a>,
}

impl Parts<'_> {
    fn data(&self) -> TokenStream {
        let Parts { p, data, .. } = self;
        let file = format!("/{}", bico_syntax::data_file(&self.spec.key.text));
        quote! {
            #[doc(hidden)]
            #[allow(non_upper_case_globals, clippy::all)]
            const #data: #p::Data =
                ::core::include!(::core::concat!(::core::env!("OUT_DIR"), #file));
        }
    }

    /// The table has one entry per candidate: the build script writes both, and the fingerprint says
    /// that they belong to this attribute. That is what makes the `static` sound.
    fn kernel(&self, wrapper: &Wrapper, symbol: &str) -> TokenStream {
        let Parts {
            spec, data, kernel, ..
        } = self;
        let inputs = wrapper.signature.inputs.iter().zip(&spec.arguments);
        let types = inputs.filter_map(|(input, argument)| kernel_type(input, argument));
        let scratch = spec.scratch.iter().map(|scratch| {
            let element = element(scratch.element);
            quote!(*mut #element)
        });
        let types = types.chain(scratch);
        let function = quote!(unsafe extern "C" fn(#(#types),*));
        let table = bico_syntax::table(symbol);
        quote! {
            #[doc(hidden)]
            #[inline(always)]
            #[allow(unused, non_snake_case, improper_ctypes, clippy::all)]
            fn #kernel(candidate: usize) -> #function {
                #[link(name = #symbol, kind = "static")]
                unsafe extern "C" {
                    #[link_name = #table]
                    static __BICO_TABLE: [#function; #data.candidates.len()];
                }
                unsafe { __BICO_TABLE[candidate] }
            }
        }
    }

    /// Where the build put the constants of the problems; what lowered expressions index with.
    fn consts(&self) -> Option<TokenStream> {
        let Parts { p, data, .. } = self;
        let names = &self.lowering.consts;
        let count = names.len();
        (count > 0).then(|| {
            quote! {
                const __BICO_CONSTS: [usize; #count] = #p::find_consts(&#data, [#(#names),*]);
            }
        })
    }

    fn statics(&mut self) -> TokenStream {
        let (spec, p) = (self.spec, self.p);
        let here = Span::mixed_site();
        let mut any_sized = false;
        let mut require = Vec::new();
        for condition in &spec.require {
            let sized = self.lowering.is_sized(condition);
            any_sized |= sized;
            let text = condition.to_string();
            let value = self
                .lowering
                .value(condition, Arithmetic::Integer, Place::Scope);
            require.push(quote_spanned! {here=> #p::Require {
                text: #text,
                sized: #sized,
                holds: |scope: &#p::Scope<'_>| -> ::core::result::Result<bool, #p::EvalError> {
                    #p::ops::truth(#value)
                },
            }});
        }
        let rank = self.rank();
        let selectors = self
            .selectors()
            .map(|(_, _, at)| quote!(__BICO_CONSTS[#at]));
        let selectors: Vec<TokenStream> = selectors.collect();
        let consts = self.consts();
        let data = &self.data;
        let width = sizes(spec).count();
        quote_spanned! {here=>
            #consts
            const __BICO_PROBLEMS: usize = #data.problems.len();
            const __BICO_CANDIDATES: usize = #data.candidates.len();
            static __BICO_RULES: #p::Rules = #p::Rules {
                require: &[#(#require),*],
                sized: #any_sized,
                selectors: &[#(#selectors),*],
                rank: |scope: &#p::Scope<'_>| -> ::core::result::Result<f64, #p::EvalError> { #rank },
            };
            const __BICO_LOGS: [i64; __BICO_PROBLEMS * #width] = #p::logs(&#data);
            static __BICO_SLOTS: [#p::AtomicU32; __BICO_PROBLEMS] =
                [const { #p::AtomicU32::new(0) }; __BICO_PROBLEMS];
            static __BICO_ABLE: [#p::AtomicU8; __BICO_CANDIDATES] =
                [const { #p::AtomicU8::new(0) }; __BICO_CANDIDATES];
            static __BICO_TUNABLE: #p::Tunable =
                #p::Tunable::new(&#data, &__BICO_RULES, &__BICO_LOGS, &__BICO_SLOTS, &__BICO_ABLE);
            &__BICO_TUNABLE
        }
    }

    /// Smaller is better: the score negated, or the model's time.
    fn rank(&mut self) -> TokenStream {
        let (spec, p) = (self.spec, self.p);
        let here = Span::mixed_site();
        let mut real = |expr: &Expr| {
            let value = self.lowering.value(expr, Arithmetic::Real, Place::Scope);
            quote_spanned!(here=> #p::ops::number(#value)?)
        };
        if let Some(score) = &spec.score {
            let score = real(score);
            return quote_spanned!(here=> ::core::result::Result::Ok(-#score));
        }
        let mut optional = |expr: &Option<Expr>| match expr.as_ref().map(&mut real) {
            Some(value) => quote_spanned!(here=> ::core::option::Option::Some(#value)),
            None => quote!(::core::option::Option::None),
        };
        let (flops, bytes) = (optional(&spec.work.flops), optional(&spec.work.bytes));
        let buffers = spec
            .arguments
            .iter()
            .filter_map(|argument| match &argument.kind {
                ArgumentKind::Buffer { element, len, .. } => Some((len, element.size())),
                _ => None,
            });
        let scratch = spec
            .scratch
            .iter()
            .map(|scratch| (&scratch.len, scratch.element.size()));
        let mut footprint = TokenStream::new();
        for (len, bytes) in buffers.chain(scratch) {
            // A length that hangs on a `bool` or a real number is not known here: leave it out.
            if !self.lowering.names_other_scalar(len) {
                let len = self.lowering.value(len, Arithmetic::Integer, Place::Scope);
                let bytes = bytes as f64;
                footprint.extend(quote_spanned!(here=> + #p::ops::number(#len)? * #bytes));
            }
        }
        quote_spanned! {here=>
            let work = #p::model::Work {
                flops: #flops,
                bytes: #bytes,
                footprint: 0.0 #footprint,
                vector_bits: scope.vector_bits,
            };
            ::core::result::Result::Ok(#p::model::predict(scope.device, &work))
        }
    }

    /// The selecting arguments: name, type, and position among the problems' constants.
    fn selectors(&self) -> impl Iterator<Item = (Ident, Element, usize)> {
        let consts = &self.lowering.consts;
        self.spec.arguments.iter().filter_map(move |argument| {
            let ArgumentKind::Selector(element) = argument.kind else {
                return None;
            };
            let name = argument.name.text.as_str();
            let at = consts.iter().position(|known| *known == name);
            let at = at.or_else(|| consts.iter().position(|c| c.eq_ignore_ascii_case(name)))?;
            Some((Ident::new(name, argument.name.span), element, at))
        })
    }

    /// The values of the selecting arguments.
    fn given(&self, failure: Failure) -> TokenStream {
        let p = self.p;
        let given = self.selectors().map(|(name, element, _)| match element {
            Element::Str => quote!(#p::Selector::Str(#name)),
            Element::Bool => quote!(#p::Selector::Bool(#name)),
            _ => {
                let value = self.size(&name, failure);
                quote!(#p::Selector::Int(#value))
            }
        });
        quote!([#(#given),*])
    }

    fn size(&self, name: &Ident, failure: Failure) -> TokenStream {
        let (p, key) = (self.p, &self.spec.key.text);
        let (here, text) = (Span::mixed_site(), name.to_string());
        match failure {
            Failure::Silent => quote_spanned!(here=> #p::size(#name).ok()?),
            Failure::Told => quote_spanned! {here=>
                #p::size(#name).map_err(|error| #p::eval_failed(#key, #text, error))?
            },
        }
    }

    /// `tunable` and `sizes`, which all functions begin with.
    fn sizes(&self, failure: Failure) -> TokenStream {
        let tunable = &self.tunable;
        let value = |name: &Name| self.size(&Ident::new(&name.text, name.span), failure);
        let sizes = sizes(self.spec).map(value);
        let sizes: Vec<TokenStream> = sizes.collect();
        let count = sizes.len();
        quote_spanned! {Span::mixed_site()=>
            let tunable = #tunable();
            let sizes: [i64; #count] = [#(#sizes),*];
        }
    }

    /// The body of the wrapper, with the expression that finds the candidate.
    fn body(&mut self, select: TokenStream) -> TokenStream {
        let spec = self.spec;
        let here = Span::mixed_site();
        let sizes = self.sizes(Failure::Told);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for argument in &spec.arguments {
            let ArgumentKind::Buffer { len, .. } = &argument.kind else {
                continue;
            };
            let late = self.lowering.needs_candidate(len);
            let check = self.check(
                argument,
                len,
                if late { Place::Chosen } else { Place::Wrapper },
            );
            if late {
                after.push(check)
            } else {
                before.push(check)
            }
        }
        let scope = (!after.is_empty() || !spec.scratch.is_empty())
            .then(|| quote_spanned!(here=> let scope = tunable.scope_of(candidate, &sizes);));
        let call = self.call();
        let consts = scope.is_some().then(|| self.consts());
        quote_spanned! {here=>
            #consts
            #sizes
            #(#before)*
            let candidate = #select;
            #scope
            #(#after)*
            #call
            ::core::result::Result::Ok(())
        }
    }

    /// The wrapper's body: a short way that most calls take, and `whole` in a function of its own,
    /// to which all else goes. The short way holds nothing that fails with words, and no search for
    /// the nearest problem where there are several: either would cost every call a stack frame and
    /// a dozen saved registers. `None` where a length has to wait for the candidate.
    fn short_way(&mut self, wrapper: &Wrapper, whole: &TokenStream) -> Option<TokenStream> {
        let (spec, p) = (self.spec, self.p);
        let here = Span::mixed_site();
        let mut checks = TokenStream::new();
        for argument in &spec.arguments {
            let ArgumentKind::Buffer { len, .. } = &argument.kind else {
                continue;
            };
            if self.lowering.needs_candidate(len) || !spec.scratch.is_empty() {
                return None;
            }
            let name = Ident::new(&argument.name.text, argument.name.span);
            let need = self.needed(len, Place::Wrapper);
            checks.extend(quote_spanned! {here=>
                if !#p::long_enough(#name.len(), #need) {
                    return ::core::option::Option::None;
                }
            });
        }
        let sizes = self.sizes(Failure::Silent);
        let given = self.given(Failure::Silent);
        let call = self.call();
        let names = spec
            .arguments
            .iter()
            .map(|a| Ident::new(&a.name.text, a.name.span));
        let names: Vec<Ident> = names.collect();
        let way = |settled: &str, otherwise: &str| {
            let (settled, otherwise) = (Ident::new(settled, here), Ident::new(otherwise, here));
            let otherwise = quote!(#otherwise(#(#names),*));
            let otherwise = if spec.is_unsafe {
                quote!(unsafe { #otherwise })
            } else {
                otherwise
            };
            quote_spanned! {here=>
                let settled = (|| -> ::core::option::Option<usize> {
                    #sizes
                    let candidate = tunable.#settled(&sizes, &#given)?;
                    #checks
                    ::core::option::Option::Some(candidate)
                })();
                match settled {
                    ::core::option::Option::Some(candidate) => {
                        #call
                        ::core::result::Result::Ok(())
                    }
                    ::core::option::Option::None => #otherwise,
                }
            }
        };
        let head = spec.is_unsafe.then(|| quote!(unsafe));
        let (inputs, output) = (&wrapper.signature.inputs, &wrapper.signature.output);
        let near = way("settled_nearest", "__bico_whole");
        let whole = quote! {
            #[cold]
            #[inline(never)]
            #head fn __bico_whole(#inputs) #output { #whole }
        };
        // With one problem every call is near, and its sizes only matter where a condition names one.
        let sized = spec
            .require
            .iter()
            .any(|condition| self.lowering.is_sized(condition));
        if spec.problems.len() == 1 && !sized {
            return Some(quote!(#whole #near));
        }
        let exact = way("settled_exactly", "__bico_near");
        Some(quote! {
            #whole
            #[inline(never)]
            #head fn __bico_near(#inputs) #output { #near }
            #exact
        })
    }

    /// The value of a length, or why it has none.
    fn needed(&mut self, len: &Expr, place: Place) -> TokenStream {
        let p = self.p;
        let need = self.lowering.value(len, Arithmetic::Integer, place);
        quote_spanned! {Span::mixed_site()=>
            (|| -> ::core::result::Result<#p::Value, #p::EvalError> {
                ::core::result::Result::Ok(#need)
            })()
        }
    }

    fn check(&mut self, argument: &Argument, len: &Expr, place: Place) -> TokenStream {
        let (function, p) = (&self.spec.function.text, self.p);
        let (text, written) = (&argument.name.text, len.to_string());
        let name = Ident::new(text, argument.name.span);
        let need = self.needed(len, place);
        quote_spanned! {Span::mixed_site()=>
            #p::check(#function, #text, #name.len(), #written, #need)?;
        }
    }

    /// The kernel, with the arguments and then the scratch buffers. Its promise to stay inside the
    /// declared lengths is the author's, made by declaring the wrapper safe; the lengths are checked.
    fn call(&mut self) -> TokenStream {
        let Parts {
            spec, p, kernel, ..
        } = self;
        let (spec, p) = (*spec, *p);
        let here = Span::mixed_site();
        let arguments = spec.arguments.iter().filter_map(|argument| {
            let name = Ident::new(&argument.name.text, argument.name.span);
            match argument.kind {
                ArgumentKind::Buffer { mutable: true, .. } => Some(quote!(#name.as_mut_ptr())),
                ArgumentKind::Buffer { .. } => Some(quote!(#name.as_ptr())),
                ArgumentKind::Scalar(_) => Some(quote!(#name)),
                ArgumentKind::Selector(_) | ArgumentKind::Stream => None,
            }
        });
        let arguments: Vec<TokenStream> = arguments.collect();
        if spec.scratch.is_empty() {
            return quote_spanned!(here=> unsafe { #kernel(candidate)(#(#arguments),*) };);
        }
        let key = &spec.key.text;
        let kernel = kernel.clone();
        let (mut lengths, mut pointers) = (Vec::new(), Vec::new());
        for (i, scratch) in spec.scratch.iter().enumerate() {
            let (element, text) = (element(scratch.element), scratch.len.to_string());
            let len = self
                .lowering
                .value(&scratch.len, Arithmetic::Integer, Place::Chosen);
            lengths.push(quote_spanned! {here=> (
                (|| -> ::core::result::Result<i64, #p::EvalError> { #p::ops::length(#len) })()
                    .map_err(|error| #p::eval_failed(#key, #text, error))?,
                ::core::mem::size_of::<#element>(),
            )});
            pointers.push(quote_spanned!(here=> scratch[#i].cast::<#element>()));
        }
        let arguments = arguments.into_iter().chain(pointers);
        quote_spanned! {here=>
            #p::with_scratch(#key, [#(#lengths),*], |scratch| unsafe {
                #kernel(candidate)(#(#arguments),*)
            })?;
        }
    }
}

/// The kernel's parameter for an argument, in the user's own types.
fn kernel_type(input: &syn::FnArg, argument: &Argument) -> Option<TokenStream> {
    let syn::FnArg::Typed(input) = input else {
        return None;
    };
    match argument.kind {
        ArgumentKind::Buffer { mutable, .. } => {
            let element = slice_element(&input.ty)?;
            Some(if mutable {
                quote!(*mut #element)
            } else {
                quote!(*const #element)
            })
        }
        ArgumentKind::Scalar(_) => {
            let scalar = &input.ty;
            Some(quote!(#scalar))
        }
        ArgumentKind::Selector(_) | ArgumentKind::Stream => None,
    }
}

fn slice_element(ty: &syn::Type) -> Option<&syn::Type> {
    match ty {
        syn::Type::Reference(reference) => slice_element(&reference.elem),
        syn::Type::Paren(inner) => slice_element(&inner.elem),
        syn::Type::Group(inner) => slice_element(&inner.elem),
        syn::Type::Slice(slice) => Some(&slice.elem),
        _ => None,
    }
}

/// The type of a scratch buffer's elements. The 16-bit floats are in no standard library: their bits.
fn element(element: Element) -> TokenStream {
    let name = match element {
        Element::F16 | Element::Bf16 => "u16",
        other => other.name(),
    };
    let name = Ident::new(name, Span::call_site());
    quote!(::core::primitive::#name)
}
