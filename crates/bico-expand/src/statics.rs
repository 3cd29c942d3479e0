//! The statics of a tunable: its conditions and its ranking as functions, and the state of dispatch.

use crate::expand::{Parts, bytes, option, user};
use crate::lower::{Place, sizes};
use crate::template::{quote, quote_spanned};
use bico_syntax::{ArgumentKind, Arithmetic, Element, Expr, Launch, Lists};
use proc_macro2::{Ident, Span, TokenStream};

impl Parts<'_> {
    /// Where the build put the constants of the problems; what lowered expressions index with.
    pub(crate) fn consts(&self) -> Option<TokenStream> {
        let Parts { p, data, .. } = self;
        let names = &self.lowering.consts;
        let count = names.len();
        (count > 0).then(|| {
            quote! {
                const __BICO_CONSTS: [usize; #count] = #p::find_consts(&#data, [#(#names),*]);
            }
        })
    }

    pub(crate) fn statics(&mut self) -> TokenStream {
        let (spec, p) = (self.spec, self.p);
        let here = Span::mixed_site();
        let any_sized = spec.require.iter().any(|own| self.lowering.is_sized(own));
        let require: Vec<TokenStream> = spec
            .require
            .iter()
            .map(|own| self.condition(own))
            .collect_vec();
        let launches = self.launch_functions();
        let launched = match launches.is_some() {
            true => quote!(__BICO_LAUNCHES),
            false => quote!(&[]),
        };
        let gpus = spec.is_cuda().then(|| {
            quote_spanned! {here=>
                .on_gpus({
                    static __BICO_GPUS: #p::gpu::States = #p::gpu::States::new();
                    &__BICO_GPUS
                })
            }
        });
        // What a GPU decided stands beside its code.
        let (slots, able) = match gpus {
            Some(_) => (quote!(0), quote!(0)),
            None => (quote!(__BICO_PROBLEMS), quote!(__BICO_CANDIDATES)),
        };
        let rank = self.rank();
        let (timed, work) = (spec.score.is_none(), self.work());
        let live = spec.verify.live;
        let selectors = self.selectors().into_iter();
        let selectors = selectors.map(|(_, _, at)| quote!(__BICO_CONSTS[#at]));
        let selectors = selectors.collect_vec();
        let consts = self.consts();
        let data = &self.data;
        let width = sizes(spec).count();
        quote_spanned! {here=>
            #consts
            const __BICO_PROBLEMS: usize = #data.problems.len();
            const __BICO_CANDIDATES: usize = #data.candidates.len();
            #launches
            static __BICO_RULES: #p::Rules = #p::Rules {
                require: &[#(#require),*],
                sized: #any_sized,
                selectors: &[#(#selectors),*],
                launches: #launched,
                rank: |scope: &#p::Scope<'_>| -> ::core::result::Result<f64, #p::EvalError> { #rank },
                live: #live,
                timed: #timed,
                work: |scope: &#p::Scope<'_>| -> ::core::result::Result<f64, #p::EvalError> { #work },
            };
            const __BICO_LOGS: [i64; __BICO_PROBLEMS * #width] = #p::logs(&#data);
            static __BICO_SLOTS: [#p::AtomicU32; #slots] =
                [const { #p::AtomicU32::new(0) }; #slots];
            static __BICO_ABLE: [#p::AtomicU8; #able] =
                [const { #p::AtomicU8::new(0) }; #able];
            static __BICO_BOARD: #p::Board = #p::Board::new();
            static __BICO_TUNABLE: #p::Tunable = #p::Tunable::new(
                &#data, &__BICO_RULES, &__BICO_LOGS, &__BICO_SLOTS, &__BICO_ABLE, &__BICO_BOARD,
            ) #gpus;
            &__BICO_TUNABLE
        }
    }

    /// One condition of `require(..)` as a function.
    fn condition(&mut self, condition: &Expr) -> TokenStream {
        let p = self.p;
        let (sized, text) = (self.lowering.is_sized(condition), condition.to_string());
        let value = self.integer(condition);
        quote_spanned! {Span::mixed_site()=> #p::Require {
            text: #text,
            sized: #sized,
            holds: |scope: &#p::Scope<'_>| -> ::core::result::Result<bool, #p::EvalError> {
                #p::ops::truth(#value)
            },
        }}
    }

    /// A value for a function of a scope.
    fn integer(&mut self, expr: &Expr) -> TokenStream {
        self.lowering.value(expr, Arithmetic::Integer, Place::Scope)
    }

    /// A number for a function of a scope.
    fn real(&mut self, expr: &Expr) -> TokenStream {
        let p = self.p;
        let value = self.lowering.value(expr, Arithmetic::Real, Place::Scope);
        quote_spanned!(Span::mixed_site()=> #p::ops::number(#value)?)
    }

    /// The `launch(..)` of each pass as a function.
    fn launch_functions(&mut self) -> Option<TokenStream> {
        let (spec, p) = (self.spec, self.p);
        let launches = spec.launches();
        let launches = launches.iter().map(|own| self.dims(own, Place::Scope));
        let launches: Vec<TokenStream> = launches.collect_vec();
        (!launches.is_empty()).then(|| {
            quote_spanned! {Span::mixed_site()=>
                const __BICO_LAUNCHES: &[#p::LaunchOf] = &[#(|scope| #launches),*];
            }
        })
    }

    /// The extents of a launch, or why there are none.
    pub(crate) fn dims(&mut self, launch: &Launch, place: Place) -> TokenStream {
        let (p, here) = (self.p, Span::mixed_site());
        let dependent = launch.dependent.as_ref().map(|expr| {
            let value = self.lowering.value(expr, Arithmetic::Integer, place);
            quote_spanned!(here=> #p::ops::truth(#value)?)
        });
        let dependent = dependent.unwrap_or_else(|| quote!(false));
        let mut extent = |expr: &Expr| {
            let value = self.lowering.value(expr, Arithmetic::Integer, place);
            quote_spanned!(here=> #p::ops::extent(#value)?)
        };
        let shared = launch.shared.as_ref();
        let shared = shared.map_or_else(|| quote!(0), &mut extent);
        let mut extents = |list: &[Expr]| {
            let mut all: Vec<TokenStream> = list.iter().map(&mut extent).collect_vec();
            all.resize(3, quote!(1));
            quote!([#(#all),*])
        };
        let [grid, block, cluster] =
            [&launch.grid, &launch.block, &launch.cluster].map(|of| extents(of));
        quote_spanned! {here=>
            {
                ::core::result::Result::Ok(#p::device::Dims {
                    grid: #grid,
                    block: #block,
                    cluster: #cluster,
                    shared: #shared,
                    dependent: #dependent,
                })
            }
        }
    }

    /// Smaller is better: the score negated, or the model's time.
    pub(crate) fn rank(&mut self) -> TokenStream {
        let (spec, p) = (self.spec, self.p);
        let here = Span::mixed_site();
        if let Some(score) = &spec.score {
            let score = self.real(score);
            return quote_spanned!(here=> ::core::result::Result::Ok(-#score));
        }
        let work = [&spec.work.flops, &spec.work.bytes];
        let [flops, bytes] = work.map(|expr| option(expr.as_ref().map(|expr| self.real(expr))));
        let footprint = self.footprint();
        // As the build's model does, by the first pass.
        let launch = spec.launches();
        let launch = option(launch.first().map(|_| {
            quote_spanned!(here=> #p::model::Launch::new(&__BICO_LAUNCHES[0](scope)?, scope.registers))
        }));
        quote_spanned! {here=>
            let work = #p::model::Work {
                flops: #flops,
                bytes: #bytes,
                footprint: #footprint,
                vector_bits: scope.vector_bits,
                launch: #launch,
            };
            ::core::result::Result::Ok(#p::model::predict(scope.device, &work))
        }
    }

    /// How far the results in an output may lie apart.
    pub(crate) fn tolerance(&self, output: &str, element: Element) -> TokenStream {
        let (p, (rtol, atol)) = (self.p, self.spec.tolerance(output, element));
        let atol = option(atol.map(|atol| quote!(#atol)));
        quote!(#p::Tolerance { rtol: #rtol, atol: #atol })
    }

    /// What a call's time grows with.
    fn work(&mut self) -> TokenStream {
        let work = &self.spec.work;
        let amount = match work.flops.as_ref().or(work.bytes.as_ref()) {
            Some(amount) => self.real(amount),
            None => self.footprint(),
        };
        quote_spanned!(Span::mixed_site()=> ::core::result::Result::Ok(#amount))
    }

    /// Bytes of all buffers, scratch included.
    fn footprint(&mut self) -> TokenStream {
        let (spec, p) = (self.spec, self.p);
        let here = Span::mixed_site();
        let arguments = spec.arguments.iter();
        let buffers = arguments.filter_map(|argument| match &argument.kind {
            ArgumentKind::Buffer { layout, len, .. } => Some((len, bytes(layout))),
            _ => None,
        });
        let scratch = spec.scratch.iter();
        let scratch = scratch.map(|scratch| {
            let bytes = scratch.element.size();
            (&scratch.len, quote!(#bytes))
        });
        let mut footprint = TokenStream::new();
        for (len, bytes) in buffers.chain(scratch) {
            // A length that hangs on a `bool`, a real number or a `#[value]` is not known here: leave it out.
            if !self.lowering.names_other_scalar(len) {
                let len = self.integer(len);
                footprint.extend(quote_spanned!(here=> + #p::ops::number(#len)? * #bytes as f64));
            }
        }
        quote_spanned!(here=> (0.0 #footprint))
    }

    /// The selecting arguments: name, type, and position among the problems' constants.
    pub(crate) fn selectors(&self) -> Vec<(Ident, Element, usize)> {
        let consts = &self.lowering.consts;
        let selectors = self.spec.arguments.iter().filter_map(|argument| {
            let ArgumentKind::Selector(element) = argument.kind else {
                return None;
            };
            let name = argument.name.text.as_str();
            let at = consts.iter().position(|known| *known == name);
            let at = at.or_else(|| consts.iter().position(|c| c.eq_ignore_ascii_case(name)))?;
            Some((user(&argument.name), element, at))
        });
        selectors.collect_vec()
    }
}
