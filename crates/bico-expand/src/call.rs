//! The body of a wrapper: lengths, the choice of a candidate, the kernel.

use crate::expand::{Parts, bytes, inputs, user};
use crate::lower::{Place, sizes};
use crate::template::{quote, quote_spanned};
use bico_syntax::{Argument, ArgumentKind, Arithmetic, Element, Expr, Lists, Wrapper};
use proc_macro2::{Ident, Span, TokenStream};

/// What generated code does where an argument lies outside `i64`.
#[derive(Clone, Copy)]
pub(crate) enum Failure {
    /// Returns `None`.
    Silent,
    /// Returns the error.
    Told,
}

impl Parts<'_> {
    /// The values of the selecting arguments.
    pub(crate) fn given(&self, failure: Failure) -> TokenStream {
        let p = self.p;
        let given = self
            .selectors()
            .into_iter()
            .map(|(name, element, _)| match element {
                Element::Str => quote!(#p::Selector::Str(#name)),
                Element::Bool => quote!(#p::Selector::Bool(#name)),
                _ => {
                    let value = self.size(&name, failure);
                    quote!(#p::Selector::Int(#value))
                }
            });
        let given = given.collect_vec();
        quote!([#(#given),*])
    }

    pub(crate) fn size(&self, name: &Ident, failure: Failure) -> TokenStream {
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
    pub(crate) fn sizes(&self, failure: Failure) -> TokenStream {
        let tunable = &self.tunable;
        let sizes = sizes(self.spec).map(|name| self.size(&user(name), failure));
        let sizes: Vec<TokenStream> = sizes.collect_vec();
        let count = sizes.len();
        quote_spanned! {Span::mixed_site()=>
            let tunable = #tunable();
            let sizes: [i64; #count] = [#(#sizes),*];
        }
    }

    /// The body of the wrapper, with the expression that says what serves the call.
    /// With `given`, a candidate that needs longer buffers than the call has is replaced by another.
    pub(crate) fn body(&mut self, pull: TokenStream, given: Option<&TokenStream>) -> TokenStream {
        let (spec, p) = (self.spec, self.p);
        let here = Span::mixed_site();
        let sizes = self.sizes(Failure::Told);
        let (before, after) = self.checks();
        let scope = (!after.is_empty() || self.prepares())
            .then(|| quote_spanned!(here=> let scope = tunable.scope_of(candidate, &sizes);));
        let call = self.call();
        let consts = scope.is_some().then(|| self.consts());
        // What a candidate needs of the call's buffers.
        let late = quote_spanned! {here=>
            (|| -> ::core::result::Result<(), #p::Error> {
                #scope
                #after
                ::core::result::Result::Ok(())
            })()
        };
        let pull = match (after.is_empty(), given) {
            (true, _) => quote_spanned!(here=> let pull = #pull;),
            (false, None) => quote_spanned! {here=>
                let pull = #pull;
                let candidate = pull.candidate();
                #late?;
            },
            // A caller cannot know which candidate calls are trying: it is another one's turn then.
            (false, Some(given)) => quote_spanned! {here=>
                let mut pull = #pull;
                let mut refused = #p::Refused::default();
                while let ::core::result::Result::Err(error) = {
                    let candidate = pull.candidate();
                    #late
                } {
                    pull = tunable.another(pull, error, &mut refused, &sizes, &#given)?;
                }
            },
        };
        let live = spec.verify.live.then(|| self.live(&late, &scope, &call));
        quote_spanned! {here=>
            #consts
            #sizes
            #before
            #pull
            let candidate = pull.candidate();
            #live
            #scope
            let start = pull.start();
            #call
            pull.stop(start);
            ::core::result::Result::Ok(())
        }
    }

    /// `verify(live = true)`: the first call of a candidate runs on copies of the outputs, and one that was compared
    /// before serves the call.
    fn live(
        &self,
        late: &TokenStream,
        scope: &Option<TokenStream>,
        call: &TokenStream,
    ) -> TokenStream {
        let p = self.p;
        let here = Span::mixed_site();
        let outputs = self
            .spec
            .arguments
            .iter()
            .filter_map(|argument| match &argument.kind {
                ArgumentKind::Buffer {
                    layout,
                    mutable: true,
                    ..
                } => {
                    let tolerance = self.tolerance(&argument.name.text, layout.element()?);
                    let flat = layout.number().is_none();
                    let flat = flat.then(|| quote!(.as_flattened()));
                    Some((user(&argument.name), (tolerance, flat)))
                }
                _ => None,
            });
        let (outputs, compared): (Vec<Ident>, Vec<_>) = outputs.unzip();
        let (tolerances, flat): (Vec<TokenStream>, Vec<Option<TokenStream>>) =
            compared.into_iter().unzip();
        let copies: Vec<Ident> = (0..outputs.len())
            .map(|at| Ident::new(&format!("copy_{at}"), here))
            .collect_vec();
        quote_spanned! {here=>
            let other = pull.check().filter(|&other| {
                let candidate = other;
                #late.is_ok()
            });
            if let ::core::option::Option::Some(other) = other {
                #(let mut #copies = #outputs.to_vec();)*
                {
                    #(let #outputs = &mut #copies[..];)*
                    #scope
                    #call
                }
                let candidate = other;
                #scope
                #call
                let right = true #(&& #p::agree(&#copies #flat, &*#outputs #flat, #tolerances))*;
                pull.checked(right);
                return ::core::result::Result::Ok(());
            }
        }
    }

    /// The wrapper's body: a short way that calls of a tuned size take on a known device, one for other settled calls, and
    /// `whole`, to which all else goes, each in a function of its own. The short way holds nothing that
    /// fails with words, no search for the nearest problem and no clock: each would cost every call a stack frame and
    /// a dozen saved registers.
    pub(crate) fn short_way(&mut self, wrapper: &Wrapper, whole: &TokenStream) -> TokenStream {
        let (spec, p) = (self.spec, self.p);
        let here = Span::mixed_site();
        let mut checks = TokenStream::new();
        let mut scoped = self.prepares();
        for argument in &spec.arguments {
            let ArgumentKind::Buffer { len, align, .. } = &argument.kind else {
                continue;
            };
            let late = self.lowering.needs_candidate(len);
            scoped |= late;
            let name = user(&argument.name);
            let need = self.needed(len, if late { Place::Chosen } else { Place::Wrapper });
            let bytes = align.declared().into_iter().collect_vec();
            checks.extend(quote_spanned! {here=>
                if !#p::long_enough(#name.len(), #need)
                    #(|| !#p::is_aligned(#name.as_ptr() as usize, #name.len(), #bytes))*
                {
                    return ::core::option::Option::None;
                }
            });
        }
        let sizes = self.sizes(Failure::Silent);
        let given = self.given(Failure::Silent);
        let scope =
            scoped.then(|| quote_spanned!(here=> let scope = tunable.scope_of(candidate, &sizes);));
        let consts = scoped.then(|| self.consts());
        let (kept, call) = self.kept();
        let known = quote_spanned!(here=> (wanted, passed));
        let names = spec.arguments.iter().map(|argument| user(&argument.name));
        let names: Vec<Ident> = names.collect_vec();
        let way = |settled: &str, otherwise: &str| {
            let [settled, otherwise] = [settled, otherwise].map(|name| Ident::new(name, here));
            let otherwise = match spec.is_unsafe {
                true => quote!(unsafe { #otherwise(#(#names),*) }),
                false => quote!(#otherwise(#(#names),*)),
            };
            quote_spanned! {here=>
                let settled = (|| -> ::core::option::Option<(usize, _)> {
                    #consts
                    #sizes
                    let candidate = tunable.#settled(&sizes, &#given)?;
                    #scope
                    #checks
                    ::core::option::Option::Some((candidate, #kept))
                })();
                match settled {
                    ::core::option::Option::Some((candidate, #known)) => { #call }
                    ::core::option::Option::None => #otherwise,
                }
            }
        };
        let (head, output) = (&wrapper.function.qualifiers, &wrapper.function.output);
        let inputs = inputs(&wrapper.function);
        let otherwise = way("settled_otherwise", "__bico_whole");
        let whole = quote! {
            #[cold]
            #[inline(never)]
            #head fn __bico_whole(#(#inputs),*) #output { #whole }
        };
        let exact = way("settled_exactly", "__bico_otherwise");
        let captured = self.captured(wrapper, &names);
        quote! {
            #whole
            #[inline(never)]
            #head fn __bico_otherwise(#(#inputs),*) #output { #otherwise }
            #captured
            #exact
        }
    }

    /// The value of a length, or why it has none.
    pub(crate) fn needed(&mut self, len: &Expr, place: Place) -> TokenStream {
        let p = self.p;
        let need = self.lowering.value(len, Arithmetic::Integer, place);
        quote_spanned! {Span::mixed_site()=>
            (|| -> ::core::result::Result<#p::Value, #p::EvalError> {
                ::core::result::Result::Ok(#need)
            })()
        }
    }

    /// What checks the lengths of buffers: before a candidate is chosen, and after.
    pub(crate) fn checks(&mut self) -> (TokenStream, TokenStream) {
        let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
        for argument in &self.spec.arguments {
            let ArgumentKind::Buffer {
                layout,
                len,
                align,
                symbol,
                ..
            } = &argument.kind
            else {
                continue;
            };
            // On a GPU addresses are known where the kernel is launched.
            if let (Some(bytes), false) = (align.declared(), self.spec.is_cuda()) {
                let (function, p, name) = (&self.spec.function.text, self.p, user(&argument.name));
                let text = &argument.name.text;
                before.extend(quote_spanned! {Span::mixed_site()=>
                    #p::aligned(#function, #text, #name.as_ptr() as usize, #name.len(), #bytes)?;
                });
            }
            let (checks, place) = match self.lowering.needs_candidate(len) {
                true => (&mut after, Place::Chosen),
                false => (&mut before, Place::Wrapper),
            };
            let on_gpu = self.spec.is_cuda() && symbol.is_none();
            checks.extend(self.check(argument, bytes(layout), len, place, on_gpu));
        }
        (before, after)
    }

    /// A buffer has its elements, and one on a GPU lies where the stream is.
    fn check(
        &mut self,
        argument: &Argument,
        bytes: TokenStream,
        len: &Expr,
        place: Place,
        on_gpu: bool,
    ) -> TokenStream {
        let (function, p, here) = (&self.spec.function.text, self.p, Span::mixed_site());
        let (name, text, written) = (user(&argument.name), &argument.name.text, len.to_string());
        let need = self.needed(len, place);
        if !on_gpu {
            return quote_spanned! {here=>
                #p::check(#function, #text, #name.len(), #written, #need)?;
            };
        }
        quote_spanned! {here=>
            #p::check(
                #function, #text, #p::gpu::len::<_, _, #bytes>(&*#name), #written, #need,
            )?;
            #p::gpu::here(#function, #text, &*#name, stream)?;
        }
    }
}
