//! The statics of a tunable: its conditions and its ranking as functions, and the state of dispatch.

use crate::expand::Parts;
use crate::lower::{Place, sizes};
use bico_syntax::{ArgumentKind, Arithmetic, Element, Expr};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

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
        let require: Vec<TokenStream> =
            spec.require.iter().map(|own| self.condition(own)).collect();
        let launch = self.launch();
        let launched = match launch {
            Some(_) => quote!(::core::option::Option::Some(__BICO_LAUNCH)),
            None => quote!(::core::option::Option::None),
        };
        let gpus = spec.source.language.is_cuda().then(|| {
            quote_spanned! {here=>
                .on_gpus({
                    static __BICO_GPUS: #p::gpu::States = #p::gpu::States::new();
                    &__BICO_GPUS
                })
            }
        });
        // What a GPU decided stands beside its code.
        let kept = |kept: TokenStream| match gpus {
            Some(_) => quote!(0),
            None => kept,
        };
        let (slots, able) = (
            kept(quote!(__BICO_PROBLEMS)),
            kept(quote!(__BICO_CANDIDATES)),
        );
        let rank = self.rank();
        let (timed, work) = (spec.score.is_none(), self.work());
        let live = match spec.verify.live {
            true => {
                let tolerance = self.tolerance();
                quote!(::core::option::Option::Some(#tolerance))
            }
            false => quote!(::core::option::Option::None),
        };
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
            #launch
            static __BICO_RULES: #p::Rules = #p::Rules {
                require: &[#(#require),*],
                sized: #any_sized,
                selectors: &[#(#selectors),*],
                launch: #launched,
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
        let value = self
            .lowering
            .value(condition, Arithmetic::Integer, Place::Scope);
        quote_spanned! {Span::mixed_site()=> #p::Require {
            text: #text,
            sized: #sized,
            holds: |scope: &#p::Scope<'_>| -> ::core::result::Result<bool, #p::EvalError> {
                #p::ops::truth(#value)
            },
        }}
    }

    /// `launch(..)` as a function.
    fn launch(&mut self) -> Option<TokenStream> {
        let (spec, p) = (self.spec, self.p);
        let launch = spec.launch.as_ref()?;
        let here = Span::mixed_site();
        let mut extent = |expr: &Expr| {
            let value = self.lowering.value(expr, Arithmetic::Integer, Place::Scope);
            quote_spanned!(here=> #p::ops::extent(#value)?)
        };
        let shared = launch
            .shared
            .as_ref()
            .map_or_else(|| quote!(0), &mut extent);
        let mut extents = |list: &[Expr]| {
            let mut all: Vec<TokenStream> = list.iter().map(&mut extent).collect();
            all.resize(3, quote!(1));
            quote!([#(#all),*])
        };
        let (grid, block) = (extents(&launch.grid), extents(&launch.block));
        Some(quote_spanned! {here=>
            const __BICO_LAUNCH: fn(
                &#p::Scope<'_>,
            ) -> ::core::result::Result<#p::device::Dims, #p::EvalError> = |scope| {
                ::core::result::Result::Ok(#p::device::Dims {
                    grid: #grid,
                    block: #block,
                    shared: #shared,
                })
            };
        })
    }

    /// Smaller is better: the score negated, or the model's time.
    pub(crate) fn rank(&mut self) -> TokenStream {
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
        let footprint = self.footprint();
        let launch = match spec.launch {
            Some(_) => quote_spanned! {here=> ::core::option::Option::Some(
                #p::model::Launch::new(&__BICO_LAUNCH(scope)?, scope.registers)
            )},
            None => quote!(::core::option::Option::None),
        };
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

    /// How far results may lie apart.
    pub(crate) fn tolerance(&self) -> TokenStream {
        let (p, verify) = (self.p, &self.spec.verify);
        let rtol = verify.rtol;
        let atol = match verify.atol {
            Some(atol) => quote!(::core::option::Option::Some(#atol)),
            None => quote!(::core::option::Option::None),
        };
        quote!(#p::Tolerance { rtol: #rtol, atol: #atol })
    }

    /// What a call's time grows with.
    fn work(&mut self) -> TokenStream {
        let spec = self.spec;
        let here = Span::mixed_site();
        let amount = match spec.work.flops.as_ref().or(spec.work.bytes.as_ref()) {
            Some(amount) => {
                let p = self.p;
                let amount = self.lowering.value(amount, Arithmetic::Real, Place::Scope);
                quote_spanned!(here=> #p::ops::number(#amount)?)
            }
            None => self.footprint(),
        };
        quote_spanned!(here=> ::core::result::Result::Ok(#amount))
    }

    /// Bytes of all buffers, scratch included.
    fn footprint(&mut self) -> TokenStream {
        let (spec, p) = (self.spec, self.p);
        let here = Span::mixed_site();
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
        quote_spanned!(here=> (0.0 #footprint))
    }

    /// The selecting arguments: name, type, and position among the problems' constants.
    pub(crate) fn selectors(&self) -> impl Iterator<Item = (Ident, Element, usize)> {
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
}
