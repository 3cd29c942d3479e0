//! The body of a CUDA kernel's wrapper: lengths, the choice of a candidate, the launch.
//!
//! The buffers are cudarc's, and so is the tracking of what other streams do with them: addresses come
//! with guards that live until the launch is on its way.

use crate::call::Failure;
use crate::expand::{Parts, bytes, user};
use crate::lower::Place;
use crate::passing::address;
use crate::template::{quote, quote_spanned};
use bico_syntax::{ArgumentKind, Callee, Kernel, KernelArgument, Lists};
use proc_macro2::{Ident, Literal, Span, TokenStream};

impl Parts<'_> {
    /// The bodies of the wrapper and of the sibling that is given a config, and what the warm-up says.
    pub(crate) fn gpu_bodies(&mut self, given: &TokenStream) -> [TokenStream; 3] {
        let here = Span::mixed_site();
        let choose = quote_spanned!(here=> tunable.choose(stream, &sizes, &#given)?);
        let with = quote_spanned!(here=> tunable.choose_with(stream, config, &sizes, &#given)?);
        [
            self.gpu_body(choose, Some(given)),
            self.gpu_body(with, None),
            self.gpu_warm_up(given),
        ]
    }

    /// The wrapper's stream. The grammar asks for one.
    fn stream(&self) -> TokenStream {
        let p = self.p;
        let mut arguments = self.spec.arguments.iter();
        let stream = arguments.find(|argument| matches!(argument.kind, ArgumentKind::Stream));
        let name = stream.map(|argument| user(&argument.name));
        quote!(#p::gpu::stream(#name))
    }

    /// Scratch memory on the GPU, as `scratch`.
    fn scratch(&mut self) -> Option<TokenStream> {
        let (p, wanted) = (self.p, self.wanted(Failure::Told));
        (!wanted.is_empty()).then(|| {
            quote_spanned! {Span::mixed_site()=>
                let mut scratch = #p::gpu::Scratch::new(tunable.owner(), stream, [#(#wanted),*])?;
            }
        })
    }

    /// What the warm-up does: it chooses, and allocates what a capture could not.
    fn gpu_warm_up(&mut self, given: &TokenStream) -> TokenStream {
        let (here, stream) = (Span::mixed_site(), self.stream());
        let choice = quote_spanned!(here=> tunable.choice_on(#stream, &sizes, &#given));
        let Some(scratch) = self.scratch() else {
            return choice;
        };
        let consts = self.consts();
        quote_spanned! {here=>
            #consts
            let choice = #choice?;
            let stream = #stream;
            let chosen = tunable.choose_with(stream, &choice.config, &sizes, &#given)?;
            let scope = chosen.scope(&sizes);
            #scratch
            ::core::result::Result::Ok(choice)
        }
    }

    /// How each pass is launched. The first is as what was chosen says, unless it hangs on a `#[value]`: that has the
    /// problem's there.
    fn extents(&mut self, kernel: &Kernel) -> Vec<Option<TokenStream>> {
        let (p, key) = (self.p, &self.spec.key.text);
        let mut extents = Vec::new();
        for launch in kernel.launches() {
            let mut all = launch.exprs();
            let is_own =
                !extents.is_empty() || all.any(|expr| self.lowering.names_other_scalar(expr));
            extents.push(is_own.then(|| {
                let dims = self.dims(launch, Place::Chosen);
                quote_spanned! {Span::mixed_site()=>
                    (|| -> ::core::result::Result<#p::device::Dims, #p::EvalError> { #dims })()
                        .map_err(|error| #p::eval_failed(#key, "launch", error))?
                }
            }));
        }
        extents
    }

    /// What the `__constant__` variables of the kernel's module are to hold.
    fn constants(&mut self) -> Vec<TokenStream> {
        let (spec, p, here) = (self.spec, self.p, Span::mixed_site());
        let mut constants = Vec::new();
        for argument in &spec.arguments {
            if let ArgumentKind::Buffer {
                symbol: Some(symbol),
                layout,
                len,
                ..
            } = &argument.kind
            {
                let place = match self.lowering.needs_candidate(len) {
                    true => Place::Chosen,
                    false => Place::Wrapper,
                };
                let need = self.needed(len, place);
                let (name, text, bytes) =
                    (user(&argument.name), &argument.name.text, bytes(layout));
                constants.push(quote_spanned! {here=> #p::gpu::Constant {
                    symbol: #symbol,
                    argument: #text,
                    bytes: #p::gpu::contents::<_, #bytes>(#name, #need),
                }});
            }
        }
        constants
    }

    /// The addresses of all buffers, with guards that live until the launch is on its way.
    fn pointers(&self) -> TokenStream {
        let (p, function, here) = (self.p, &self.spec.function.text, Span::mixed_site());
        let mut pointers = TokenStream::new();
        for (at, argument) in self.spec.arguments.iter().enumerate() {
            let (name, text) = (user(&argument.name), &argument.name.text);
            let ArgumentKind::Buffer {
                layout,
                mutable,
                align,
                symbol: None,
                ..
            } = &argument.kind
            else {
                continue;
            };
            let pointer = Ident::new(&format!("pointer_{at}"), here);
            let from = match mutable {
                true => quote_spanned!(here=> #p::gpu::output(&mut *#name, stream)),
                false => quote_spanned!(here=> #p::gpu::input(&*#name, stream)),
            };
            let address = quote_spanned!(here=> let #pointer = #from;);
            let size = bytes(layout);
            pointers.extend(match align.declared() {
                Some(bytes) => quote_spanned! {here=>
                    let len = #p::gpu::len::<_, _, #size>(&*#name);
                    #address
                    #p::aligned(#function, #text, #pointer.0 as usize, len, #bytes)?;
                },
                None => address,
            });
        }
        for (at, buffer) in self.spec.scratch.iter().enumerate() {
            let address = Ident::new(&format!("scratch_{at}"), here);
            let method = Ident::new(if buffer.zeroed { "zeroed" } else { "address" }, here);
            pointers.extend(quote_spanned!(here=> let #address = scratch.#method(#at);));
        }
        pointers
    }

    /// What launches a call's passes, whichever variant is chosen, and whether it needs a `scope`.
    fn launch(&mut self) -> (bool, TokenStream) {
        let (spec, p, here) = (self.spec, self.p, Span::mixed_site());
        let mut passed = (0..).map(Literal::usize_unsuffixed);
        let (mut scoped, mut ways) = (spec.has_variants(), TokenStream::new());
        for at in 0..spec.kernels.len() {
            let (own, launches) = self.launches(at, &mut passed);
            scoped |= own;
            let launch = quote_spanned!(here=> unsafe { chosen.launch(stream, #launches) });
            let Some(name) = spec.kernels[at].name.as_ref().map(|name| &name.text) else {
                return (scoped, launch);
            };
            let is = match at + 1 == spec.kernels.len() {
                true => quote!(_),
                false => quote!(#p::Value::Str(#name)),
            };
            ways.extend(quote!(#is => #launch,));
        }
        (
            scoped,
            quote_spanned!(here=> match scope.parameters[0] { #ways }),
        )
    }

    /// The launches of a kernel, with what each pass gets, in its order.
    fn launches(
        &mut self,
        kernel: usize,
        passed: &mut dyn Iterator<Item = Literal>,
    ) -> (bool, TokenStream) {
        let (p, spec, here) = (self.p, self.spec, Span::mixed_site());
        let extents = self.extents(&spec.kernels[kernel]);
        let scoped = extents.iter().any(Option::is_some);
        let mut launches = TokenStream::new();
        let given = spec.kernel_arguments(Callee::Kernel(kernel)).into_iter();
        for (given, extents) in given.zip(extents) {
            let dims = extents.unwrap_or_else(|| quote_spanned!(here=> chosen.dims()));
            let parameters = given.into_iter().map(|given| {
                let from = match given {
                    KernelArgument::Argument(at) => match spec.arguments[at].kind {
                        ArgumentKind::Buffer { .. } => address(&given),
                        _ => {
                            let name = user(&spec.arguments[at].name);
                            quote!(#name)
                        }
                    },
                    KernelArgument::Scratch(_) => address(&given),
                    KernelArgument::Null => quote!(0u64),
                    KernelArgument::Value(..) | KernelArgument::Tensor(_) => {
                        let at = passed.next();
                        quote_spanned!(here=> passed.#at)
                    }
                };
                quote_spanned!(here=> #p::gpu::parameter(&#from))
            });
            let parameters = parameters.collect_vec();
            launches.extend(quote_spanned! {here=> #p::gpu::Launch {
                dims: #dims,
                parameters: &mut [#(#parameters),*],
            },});
        }
        (scoped, quote!(&mut [#launches]))
    }

    /// The body, with the expression that chooses by `tunable`, `stream` and `sizes`. With `given`, a
    /// candidate that cannot serve the call is replaced by another.
    fn gpu_body(&mut self, choose: TokenStream, given: Option<&TokenStream>) -> TokenStream {
        let here = Span::mixed_site();
        let (stream, sizes) = (self.stream(), self.sizes(Failure::Told));
        let (before, after) = self.checks();
        let (pointers, (scoped, launch)) = (self.pointers(), self.launch());
        // Memory that lives until after the launch.
        let scratch = self.scratch();
        let passed = self.passed(Failure::Told);
        let scope = (!after.is_empty() || scratch.is_some() || scoped || !passed.is_empty())
            .then(|| quote_spanned!(here=> let scope = chosen.scope(&sizes);));
        let passed =
            (!passed.is_empty()).then(|| quote_spanned!(here=> let passed = (#(#passed,)*);));
        let consts = scope.is_some().then(|| self.consts());
        let constants = self.constants();
        let launch = match constants.is_empty() {
            true => launch,
            false => quote_spanned! {here=>
                let filled = chosen.fill(stream, &[#(#constants),*])?;
                filled.launched(#launch)
            },
        };
        let launch = quote_spanned! {here=>
            #scope
            #after
            #scratch
            #pointers
            #passed
            #launch
        };
        let launch = match given {
            None => launch,
            Some(given) => quote_spanned! {here=>
                loop {
                    let launched = (|| -> ::core::result::Result<(), _> { #launch })();
                    match launched {
                        ::core::result::Result::Err(error) => {
                            chosen.another(error, stream, &sizes, &#given)?;
                        }
                        launched => break launched,
                    }
                }
            },
        };
        let launch = match given {
            Some(_) => self.captured_launch(&launch),
            None => launch,
        };
        quote_spanned! {here=>
            #consts
            let stream = #stream;
            #sizes
            #before
            let mut chosen = #choose;
            #launch
        }
    }
}
