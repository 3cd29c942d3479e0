//! `variant(NAME, source = .., ..)`: several kernels of one tunable, each with its own space and conditions.
//!
//! Their spaces become one, with a parameter that says which variant a config is of. What only one of them has is called
//! `NAME.TILE` behind the parser, and has a single value in the configs of others.

use super::check::Type;
use super::names::{Context, Typed};
use super::options::{Known, Options};
use super::space;
use super::tokens::{Entry, Tokens, is_identifier, split};
use super::{scratch, source, tunable};
use crate::Lists;
use crate::args::KernelArgument;
use crate::errors::Errors;
use crate::expr::{Expr, ExprKind};
use crate::kernel::VARIANT;
use crate::messages;
use crate::spec::*;
use proc_macro2::{Group, Span};

/// How a variant is written.
pub(crate) const EXAMPLE: Known = "variant(blocked, source = \"kernels/blocked.c\", space(..))";

/// The options of a variant.
const OPTIONS: &[Known] = &[
    "source = \"kernels/blocked.c\"",
    "entry = \"gemm_kernel\"",
    "template = [TILE_M, TILE_N]",
    "space(TILE in [4, 8, 16])",
    "require(TILE_M * TILE_N <= 1024)",
    "launch(grid = .., block = ..)",
    "flags = [\"-O3\"]",
    source::INCLUDE,
    source::LINK,
    "scratch(PARTIAL: f32, len = m * n)",
    "args(x, y, n, PARTIAL)",
    "pass(entry = \"partial_sums\", launch(..), args(x, PARTIAL, n))",
];

/// What one says of each pass.
const OF_PASS: [&str; 4] = ["entry", "template", "launch", "args"];

/// What is said of one kernel: a variant, or the only one.
pub(crate) struct Part {
    pub(crate) name: Option<Name>,
    pub(crate) span: Span,
    own: Option<Options>,
    entries: Vec<Entry>,
    /// The parameters that its expressions may name.
    pub(crate) known: Vec<Typed>,
    /// Those that no other has.
    pub(crate) parameters: Vec<Parameter>,
}

/// The variants; one part without a name where there are none.
pub(crate) fn parts(options: &Options, owner: Span, context: &mut Context) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (span, group) in options.groups("variant") {
        let mut rest = split(group.stream(), &mut context.errors);
        let Some(text) = rest.first().and_then(Tokens::word) else {
            context.report(span, messages::variant_name());
            continue;
        };
        let name = Name::new(text, rest.remove(0).span());
        if !is_identifier(&name.text) {
            context.report(name.span, messages::parameter_name(&name.text));
        } else if parts.iter().any(|of| of.is(&name.text)) {
            context.report(name.span, messages::repeated_variant(&name.text));
        }
        let mut own = Options::from_parts(&rest, "variant", OPTIONS, &mut context.errors);
        inherit(&mut own, options);
        parts.push(Part::new(Some(name), span, Some(own)));
    }
    match options.span("source") {
        Some(span) if !parts.is_empty() => {
            context.report(span, messages::beside_variants("source"));
        }
        _ => {}
    }
    if parts.is_empty() {
        parts.push(Part::new(None, owner, None));
    }
    parts
}

/// What the tunable says of a kernel, where the variant says nothing.
fn inherit(own: &mut Options, options: &Options) {
    let passes = own.given("pass");
    let says = OF_PASS.iter().any(|name| own.given(name));
    for (name, span, value) in &options.list {
        let wanted = match *name {
            "pass" => !passes && !says,
            name => OF_PASS.contains(&name) && !passes && !own.given(name),
        };
        if wanted {
            own.list.push((name, *span, value.clone()));
        }
    }
}

/// The source of each; `None` beside a mistake.
pub(crate) fn sources(
    parts: &[Part],
    options: &Options,
    context: &mut Context,
) -> Vec<Option<Source>> {
    let mut sources: Vec<Option<Source>> = Vec::new();
    let mut first: Option<(&Part, bool)> = None;
    for part in parts {
        let beside = part.own.is_some().then_some(options);
        let source = source::source(part.of(options), beside, part.span, context);
        if let (Some(source), Some(Name { text, .. })) = (&source, &part.name) {
            let cuda = source.language.is_cuda();
            match first {
                Some((known, other)) if other != cuda => {
                    let known = known.name.as_ref().map_or("", |name| &name.text);
                    let message = messages::variant_device(text, known);
                    context.report(source.path.span, message);
                }
                Some(_) => {}
                None => first = Some((part, cuda)),
            }
        }
        sources.push(source);
    }
    sources
}

/// The entries of the tunable's own `space(..)`, and of each variant's, which it keeps. All are known by name then.
pub(crate) fn entries(parts: &mut [Part], options: &Options, context: &mut Context) -> Vec<Entry> {
    let of = |options: &Options, context: &mut Context| {
        let space = options.group("space");
        space.map_or_else(Vec::new, |(_, group)| space::entries(&group, context))
    };
    if parts[0].name.is_some() {
        let known = &mut context.names.parameters;
        known.push((VARIANT.to_string(), Type::Str));
    }
    let entries = of(options, context);
    let outer = context.names.parameters.clone();
    let mut all = outer.clone();
    for part in parts {
        let (Some(own), Some(Name { text, .. })) = (&part.own, &part.name) else {
            continue;
        };
        context.names.parameters.clone_from(&outer);
        part.entries = of(own, context);
        for entry in &part.entries {
            let name = &entry.name.text;
            all.push((name.clone(), Type::Unknown));
            let elsewhere = &mut context.names.elsewhere;
            elsewhere.push((name.clone(), text.clone()));
        }
    }
    context.names.parameters = all;
    entries
}

/// Reads the domains of all, in order. What only one variant has is kept there; behind this only those that all have are
/// known.
pub(crate) fn parameters(
    parts: &mut [Part],
    entries: &[Entry],
    context: &mut Context,
) -> Vec<Parameter> {
    context.names.parameters.clear();
    let mut parameters = Vec::new();
    let named = parts.iter().filter_map(|part| part.name.as_ref());
    let variants = named.map(|name| Expr::new(ExprKind::Str(name.text.clone()), name.span));
    let variants: Vec<Expr> = variants.collect_vec();
    if let Some(first) = variants.first() {
        let span = first.span;
        let known = &mut context.names.parameters;
        known.push((VARIANT.to_string(), Type::Str));
        parameters.push(Parameter {
            name: Name::new(VARIANT, span),
            domain: Domain::In(Expr::new(ExprKind::List(variants), span)),
            elsewhere: None,
        });
    }
    parameters.extend(space::parameters(entries, context));
    let outer = context.names.parameters.clone();
    for part in parts {
        part.parameters = space::parameters(&part.entries, context);
        part.known = std::mem::replace(&mut context.names.parameters, outer.clone());
    }
    parameters
}

impl Part {
    fn new(name: Option<Name>, span: Span, own: Option<Options>) -> Part {
        Part {
            name,
            span,
            own,
            entries: Vec::new(),
            known: Vec::new(),
            parameters: Vec::new(),
        }
    }

    fn is(&self, name: &str) -> bool {
        self.name.as_ref().is_some_and(|own| own.text == name)
    }

    /// The options that say it, of which `options` are the tunable's.
    pub(crate) fn of<'a>(&'a self, options: &'a Options) -> &'a Options {
        self.own.as_ref().unwrap_or(options)
    }

    /// Reads something in which its own parameters are known.
    pub(crate) fn within<T>(
        &self,
        context: &mut Context,
        read: impl FnOnce(&mut Context) -> T,
    ) -> T {
        let outer = std::mem::replace(&mut context.names.parameters, self.known.clone());
        let read = read(context);
        context.names.parameters = outer;
        read
    }

    /// What one of its own parameters is called behind the parser.
    fn called(&self, name: &str) -> Option<String> {
        let variant = self.name.as_ref()?;
        let mut own = self.parameters.iter();
        let is_own = own.any(|of| of.name.text == name);
        is_own.then(|| format!("{}.{name}", variant.text))
    }

    pub(crate) fn rename(&self, expr: &mut Expr) {
        expr.rename(&|name| self.called(name));
    }

    pub(crate) fn rename_name(&self, name: &mut Name) {
        if let Some(called) = self.called(&name.text) {
            name.text = called;
        }
    }

    pub(crate) fn rename_launch(&self, launch: &mut Launch) {
        let extents = launch.grid.iter_mut().chain(&mut launch.block);
        extents
            .chain(&mut launch.shared)
            .for_each(|extent| self.rename(extent));
    }

    /// Its kernel, and its conditions, which only its configs must meet.
    pub(crate) fn kernel(
        &self,
        source: Source,
        mut passes: Vec<Pass>,
        require: &mut Vec<Expr>,
        context: &mut Context,
    ) -> Kernel {
        for pass in &mut passes {
            self.rename(&mut pass.entry);
            pass.template
                .iter_mut()
                .for_each(|name| self.rename_name(name));
            pass.launch
                .iter_mut()
                .for_each(|launch| self.rename_launch(launch));
            for argument in pass.args.iter_mut().flatten() {
                if let KernelArgument::Value(value, element) = argument {
                    self.rename(value);
                    if let Some(Name { text, .. }) = &self.name {
                        // Computed for every call, whatever it runs.
                        let nothing = match element {
                            Element::Bool => ExprKind::Bool(false),
                            _ => ExprKind::Int(0),
                        };
                        let nothing = Expr::new(nothing, value.span);
                        *value = Kernel::only(text, value.clone(), nothing);
                    }
                }
            }
        }
        let mut kernel = Kernel {
            name: self.name.clone(),
            source,
            passes,
            flags: Vec::new(),
            link: Vec::new(),
        };
        let Some(own) = &self.own else { return kernel };
        self.within(context, |context| {
            kernel.flags = source::flags(&own.values("flags"), context);
            kernel.link = source::link(own, context);
            for mut condition in tunable::require(own, context) {
                self.rename(&mut condition);
                require.push(kernel.guard(condition));
            }
        });
        for part in kernel.flags.iter_mut().flatten() {
            if let FlagPart::Name(name) = part
                && let Some(called) = self.called(name)
            {
                *name = called;
            }
        }
        kernel
    }

    /// Adds its own scratch buffers, which have no elements for configs of others.
    pub(crate) fn scratch(
        &self,
        at: usize,
        arguments: &[Argument],
        list: &mut Vec<Scratch>,
        context: &mut Context,
    ) {
        let (Some(own), Some(Name { text, .. })) = (&self.own, &self.name) else {
            return;
        };
        let first = list.len();
        self.within(context, |context| {
            scratch::scratch(own, arguments, Some(at), list, context);
        });
        for scratch in &mut list[first..] {
            self.rename(&mut scratch.len);
            let nothing = Expr::new(ExprKind::Int(0), scratch.len.span);
            scratch.len = Kernel::only(text, scratch.len.clone(), nothing);
        }
    }

    /// Its own parameters as those of the tunable.
    pub(crate) fn joined(&self) -> Vec<Parameter> {
        let Some(Name { text, .. }) = &self.name else {
            return Vec::new();
        };
        let joined = self.parameters.iter().map(|parameter| {
            let Name { text: name, span } = &parameter.name;
            let known = self.known.iter().find(|(known, _)| known == name);
            let nothing = match known.map(|(_, kind)| kind) {
                Some(Type::Bool) => ExprKind::Bool(false),
                Some(Type::Float) => ExprKind::Float(0.0),
                Some(Type::Str) => ExprKind::Str(String::new()),
                _ => ExprKind::Int(0),
            };
            let nothing = Expr::new(nothing, *span);
            let renamed = |expr: &Expr| {
                let mut expr = expr.clone();
                self.rename(&mut expr);
                expr
            };
            let domain = match &parameter.domain {
                Domain::Derived(value) => {
                    Domain::Derived(Kernel::only(text, renamed(value), nothing.clone()))
                }
                Domain::In(list) => {
                    let one = Expr::new(ExprKind::List(vec![nothing.clone()]), *span);
                    Domain::In(Kernel::only(text, renamed(list), one))
                }
            };
            let mut name = parameter.name.clone();
            self.rename_name(&mut name);
            Parameter {
                name,
                domain,
                elsewhere: Some(nothing),
            }
        });
        joined.collect_vec()
    }
}

/// Of which part a config is whose values are written out: `default = { VARIANT: "blocked", .. }`.
pub(crate) fn named<'a>(parts: &'a [Part], config: &Group) -> Option<&'a Part> {
    // What is wrong there is told by who reads it.
    let mut listed = split(config.stream(), &mut Errors::default()).into_iter();
    let found = listed.find(|of| of.trees[0].to_string() == VARIANT)?;
    let text = super::string(&found.trees.last()?.to_string())?;
    parts.iter().find(|part| part.is(&text))
}
