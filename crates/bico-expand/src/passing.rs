//! What a kernel gets: arguments, scratch buffers, and what `args` computes.

use crate::call::Failure;
use crate::expand::{Parts, element, user};
use crate::lower::Place;
use crate::template::{quote, quote_spanned};
use bico_syntax::{ArgumentKind, Arithmetic, Expr, KernelArgument, Lists, TensorMap};
use proc_macro2::{Ident, Literal, Span, TokenStream};

impl Parts<'_> {
    /// What a call of the short way needs besides its candidate, as `(wanted, passed)`, and the call that takes it.
    pub(crate) fn kept(&mut self) -> (TokenStream, TokenStream) {
        let here = Span::mixed_site();
        let (passed, wanted) = (self.passed(Failure::Silent), self.wanted(Failure::Silent));
        let (wanted, call) = match self.spec.scratch.is_empty() {
            true => {
                let call = self.call_with(None);
                (quote!(()), quote!(#call; ::core::result::Result::Ok(())))
            }
            false => {
                let tunable = &self.tunable;
                let call = self.call_with(Some(quote_spanned!(here=> wanted)));
                let call = quote_spanned!(here=> let tunable = #tunable(); #call);
                (quote!([#(#wanted),*]), call)
            }
        };
        (quote!((#wanted, (#(#passed,)*))), call)
    }

    /// Whether a call needs more than its arguments: what the candidate that `scope` knows makes of them.
    pub(crate) fn prepares(&self) -> bool {
        !self.spec.scratch.is_empty() || self.computes()
    }

    /// Whether `args` computes anything.
    fn computes(&self) -> bool {
        let mut args = self.given_to_passes().into_iter().flatten();
        args.any(|given| matches!(given, KernelArgument::Value(..) | KernelArgument::Tensor(_)))
    }

    /// The kernel with what it gets. Its promise to stay inside the declared lengths is the author's, made by declaring the
    /// wrapper safe; the lengths are checked.
    pub(crate) fn call(&mut self) -> TokenStream {
        let here = Span::mixed_site();
        let passed = self.passed(Failure::Told);
        let passed =
            (!passed.is_empty()).then(|| quote_spanned!(here=> let passed = (#(#passed,)*);));
        if self.spec.scratch.is_empty() {
            let call = self.call_with(None);
            return quote_spanned!(here=> #passed #call;);
        }
        let wanted = self.wanted(Failure::Told);
        let call = self.call_with(Some(quote!([#(#wanted),*])));
        quote_spanned!(here=> #passed #call?;)
    }

    /// The kernels; with their scratch buffers, where there are such, or why there are none.
    fn call_with(&self, wanted: Option<TokenStream>) -> TokenStream {
        if self.spec.rust.is_some() {
            return self.call_function();
        }
        let (p, here) = (self.p, Span::mixed_site());
        let passes = self.arguments().into_iter().enumerate();
        let passes = passes.map(|(pass, arguments)| {
            let kernel = self.kernel_of(pass);
            match self.spec.has_variants() {
                true => quote_spanned! {here=>
                    if let ::core::option::Option::Some(kernel) = #kernel(candidate) {
                        kernel(#(#arguments),*)
                    }
                },
                false => quote_spanned!(here=> #kernel(candidate)(#(#arguments),*)),
            }
        });
        let passes: Vec<TokenStream> = passes.collect_vec();
        let call = quote_spanned!(here=> unsafe { #(#passes);* });
        match wanted {
            None => call,
            Some(wanted) => quote_spanned! {here=>
                #p::with_scratch(tunable.owner(), #wanted, |scratch| #call)
            },
        }
    }

    /// What the kernel of each pass gets, in its order.
    fn arguments(&self) -> Vec<Vec<TokenStream>> {
        let (spec, here) = (self.spec, Span::mixed_site());
        let mut passed = (0..).map(Literal::usize_unsuffixed);
        let mut argument = |given| match given {
            KernelArgument::Argument(at) => {
                let name = user(&spec.arguments[at].name);
                match spec.arguments[at].kind {
                    ArgumentKind::Buffer { mutable: true, .. } => quote!(#name.as_mut_ptr()),
                    ArgumentKind::Buffer { .. } => quote!(#name.as_ptr()),
                    _ => quote!(#name),
                }
            }
            KernelArgument::Scratch(at) => {
                let element = element(spec.scratch[at].element);
                quote_spanned!(here=> scratch[#at].cast::<#element>())
            }
            KernelArgument::Null => quote!(::core::ptr::null_mut()),
            KernelArgument::Value(..) | KernelArgument::Tensor(_) => {
                let at = passed.next();
                quote_spanned!(here=> passed.#at)
            }
        };
        let passes = self.given_to_passes().into_iter();
        passes
            .map(|given| given.into_iter().map(&mut argument).collect_vec())
            .collect_vec()
    }

    /// The values that the `args` of all passes compute, for the candidate that `scope` knows.
    pub(crate) fn passed(&mut self, failure: Failure) -> Vec<TokenStream> {
        let p = self.p;
        let mut passed = Vec::new();
        for len in self.slices() {
            let (told, place) = (self.told(&len, failure), self.slice_place(&len));
            let len = self.needed(&len, place);
            passed.push(quote_spanned!(Span::mixed_site()=> #p::given::<usize>(#len) #told));
        }
        for given in self.given_to_passes().into_iter().flatten() {
            match given {
                KernelArgument::Value(value, of) => {
                    passed.push(self.value_of(&value, element(of), of.arithmetic(), failure));
                }
                KernelArgument::Tensor(map) => passed.push(self.tensor(&map, failure)),
                _ => {}
            }
        }
        passed
    }

    /// The value of an expression, as this type.
    fn value_of(
        &mut self,
        expr: &Expr,
        kind: TokenStream,
        arithmetic: Arithmetic,
        failure: Failure,
    ) -> TokenStream {
        let (p, told) = (self.p, self.told(expr, failure));
        let value = self.lowering.value(expr, arithmetic, Place::Chosen);
        quote_spanned! {Span::mixed_site()=>
            #p::given::<#kind>(
                (|| -> ::core::result::Result<#p::Value, #p::EvalError> {
                    ::core::result::Result::Ok(#value)
                })()
            ) #told
        }
    }

    /// A tensor map of a buffer, whose address is known by then.
    fn tensor(&mut self, map: &TensorMap, failure: Failure) -> TokenStream {
        let (p, here) = (self.p, Span::mixed_site());
        let (address, name) = (address(&map.buffer), self.spec.viewed(map));
        let mut numbers = Vec::new();
        for number in map.numbers() {
            numbers.push(self.value_of(number, quote!(i64), Arithmetic::Integer, failure));
        }
        let (key, kind) = (&self.spec.key.text, map.kind());
        let (code, bytes, nan) = (kind.code, kind.bytes, kind.nan);
        quote_spanned! {here=>
            #p::gpu::tensor_map(
                #key,
                #name,
                #p::gpu::TensorKind { code: #code, bytes: #bytes, nan: #nan },
                #address,
                [#(#numbers),*],
            )?
        }
    }

    /// What is done where an expression has no value.
    fn told(&self, expr: &Expr, failure: Failure) -> TokenStream {
        let (p, key, text) = (self.p, &self.spec.key.text, expr.to_string());
        let here = Span::mixed_site();
        match failure {
            Failure::Silent => quote_spanned!(here=> .ok()?),
            Failure::Told => {
                quote_spanned!(here=> .map_err(|error| #p::eval_failed(#key, #text, error))?)
            }
        }
    }

    /// The scratch buffers, for the candidate that `scope` knows.
    pub(crate) fn wanted(&mut self, failure: Failure) -> Vec<TokenStream> {
        let (spec, p) = (self.spec, self.p);
        let here = Span::mixed_site();
        let mut wanted = Vec::new();
        for scratch in &spec.scratch {
            let (element, told) = (element(scratch.element), self.told(&scratch.len, failure));
            let zeroed = scratch.zeroed;
            let len = self
                .lowering
                .value(&scratch.len, Arithmetic::Integer, Place::Chosen);
            wanted.push(quote_spanned! {here=> #p::Wanted {
                len: (|| -> ::core::result::Result<i64, #p::EvalError> { #p::ops::length(#len) })()
                    #told,
                element: ::core::mem::size_of::<#element>(),
                zeroed: #zeroed,
            }});
        }
        wanted
    }
}

/// Where a buffer or scratch lies on the GPU, by the name that a wrapper has for it.
pub(crate) fn address(of: &KernelArgument) -> TokenStream {
    let here = Span::mixed_site();
    match of {
        KernelArgument::Argument(at) => {
            let pointer = Ident::new(&format!("pointer_{at}"), here);
            quote_spanned!(here=> #pointer.0)
        }
        KernelArgument::Scratch(at) => {
            let address = Ident::new(&format!("scratch_{at}"), here);
            quote!(#address)
        }
        _ => TokenStream::new(),
    }
}
