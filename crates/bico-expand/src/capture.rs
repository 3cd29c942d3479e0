//! What a wrapper does where the program's calls are captured: nothing, unless bico-runtime has its feature `capture`.

use crate::call::Failure;
use crate::expand::{Parts, inputs};
use crate::template::{quote, quote_spanned};
use bico_syntax::Wrapper;
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
        let note = self.note();
        quote_spanned! {here=> #p::with_capture! {
            #[cold]
            #[inline(never)]
            #head fn __bico_captured(#(#inputs),*) #output {
                let mut clock = #p::capture::Clock::start();
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
        let note = self.note();
        quote_spanned! {here=>
            #p::with_capture! {
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
