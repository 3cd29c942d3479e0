//! What a wrapper does where the program's calls are captured: nothing, unless bico-runtime has its feature `capture`.

use crate::call::Failure;
use crate::expand::{Parts, inputs, user};
use crate::template::{quote, quote_spanned};
use bico_syntax::{ArgumentKind, Element, Wrapper};
use proc_macro2::{Ident, Span, TokenStream};

impl Parts<'_> {
    /// Beside the short way, so that a call costs it one load and a branch: a function that takes the way of all settled
    /// calls, with a clock.
    pub(crate) fn captured(&self, wrapper: &Wrapper, names: &[Ident]) -> TokenStream {
        let (p, here) = (self.p, Span::mixed_site());
        let (head, output) = (&wrapper.function.qualifiers, &wrapper.function.output);
        let inputs = inputs(&wrapper.function);
        let call = |name: &str| {
            let name = Ident::new(name, here);
            match self.spec.is_unsafe {
                true => quote!(unsafe { #name(#(#names),*) }),
                false => quote!(#name(#(#names),*)),
            }
        };
        let (captured, otherwise) = (call("__bico_captured"), call("__bico_otherwise"));
        let (sample, note) = (self.sample(), self.note());
        quote_spanned! {here=> #p::with_capture! {
            #[cold]
            #[inline(never)]
            #head fn __bico_captured(#(#inputs),*) #output {
                let mut clock = #p::capture::Clock::start_after(|| { #sample });
                let result = #otherwise;
                clock.stop();
                #note
                result
            }
            if #p::capture::is_on() {
                return #captured;
            }
        } }
    }

    /// Keeps what the kernel is going to read, where somebody asked for it and it is made of numbers.
    fn sample(&self) -> TokenStream {
        let (p, here) = (self.p, Span::mixed_site());
        let (sizes, given) = (self.sizes(Failure::Silent), self.given(Failure::Silent));
        let on_gpu = self.spec.is_cuda();
        let mut buffers = TokenStream::new();
        for argument in &self.spec.arguments {
            let ArgumentKind::Buffer { layout, symbol, .. } = &argument.kind else {
                continue;
            };
            let is_read = !argument.kind.is_output() || argument.kind.is_filled();
            let kept = layout.element().is_some_and(is_kept);
            if is_read && kept {
                let (name, text) = (user(&argument.name), &argument.name.text);
                // What becomes a `__constant__` lies on the host.
                if on_gpu && symbol.is_none() {
                    if layout.number().is_some() {
                        buffers.extend(quote_spanned! {here=> (#text, &#p::gpu::held(&*#name, stream) as &dyn #p::capture::Sampled), });
                    }
                    continue;
                }
                let flat = layout.number().is_none().then(|| quote!(.as_flattened()));
                buffers.extend(quote_spanned! {here=> (#text, &&#name[..] #flat as &dyn #p::capture::Sampled), });
            }
        }
        quote_spanned! {here=>
            let _ = (|| -> ::core::option::Option<()> {
                #sizes
                #p::capture::sample(tunable, &sizes, &#given, &[#buffers]);
                ::core::option::Option::Some(())
            })();
        }
    }

    /// Counts the call of `clock`, if it came to `result`.
    fn note(&self) -> TokenStream {
        let here = Span::mixed_site();
        let sizes = self.sizes(Failure::Silent);
        let given = self.given(Failure::Silent);
        quote_spanned! {here=>
            let _ = (|| -> ::core::option::Option<()> {
                #sizes
                result.as_ref().ok()?;
                clock.note(::core::env!("CARGO_PKG_NAME"), tunable, &sizes, &#given);
                ::core::option::Option::Some(())
            })();
        }
    }

    /// The launch of a CUDA wrapper with a clock, which waits for the stream before and after it.
    #[cfg(feature = "cuda")]
    pub(crate) fn captured_launch(&self, launch: &TokenStream) -> TokenStream {
        let (p, here) = (self.p, Span::mixed_site());
        let (sample, note) = (self.sample(), self.note());
        quote_spanned! {here=>
            #p::with_capture! {
                if #p::capture::is_on() {
                    #sample
                }
                let mut clock = #p::capture::is_on().then(|| #p::gpu::start_clock(stream));
            }
            let result = #launch;
            #p::with_capture! {
                if let ::core::option::Option::Some(clock) = &mut clock {
                    #p::gpu::stop_clock(clock, stream);
                    #note
                }
            }
            result
        }
    }
}

/// Whether NumPy's arrays can hold it, by the types that bico-runtime has for it.
fn is_kept(element: Element) -> bool {
    let names = [
        "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
    ];
    names.contains(&element.name())
}
