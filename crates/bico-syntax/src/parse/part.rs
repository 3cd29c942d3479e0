//! What an attribute says of one of its kernels, and what becomes of the names that only that one knows.

use super::check::Type;
use super::names::{Context, Typed};
use super::options::Options;
use super::tokens::Entry;
use super::{scratch, source, tunable};
use crate::Lists;
use crate::args::KernelArgument;
use crate::expr::{Expr, ExprKind};
use crate::messages;
use crate::spec::*;
use proc_macro2::Span;

/// What is said of one kernel: a variant, or the only one.
pub(crate) struct Part {
    pub(crate) name: Option<Name>,
    pub(crate) span: Span,
    pub(super) own: Option<Options>,
    pub(super) entries: Vec<Entry>,
    /// The parameters that its expressions may name.
    pub(crate) known: Vec<Typed>,
    /// Those that no other has.
    pub(crate) parameters: Vec<Parameter>,
}

impl Part {
    pub(super) fn new(name: Option<Name>, span: Span, own: Option<Options>) -> Part {
        Part {
            name,
            span,
            own,
            entries: Vec::new(),
            known: Vec::new(),
            parameters: Vec::new(),
        }
    }

    pub(super) fn is(&self, name: &str) -> bool {
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

    fn rename(&self, expr: &mut Expr) {
        expr.rename(&|name| self.called(name));
    }

    pub(crate) fn rename_name(&self, name: &mut Name) {
        if let Some(called) = self.called(&name.text) {
            name.text = called;
        }
    }

    /// Reads what is said of the reference, in which its own parameters are known.
    pub(crate) fn verify(
        &self,
        context: &mut Context,
        read: impl FnOnce(&mut Context) -> Verify,
    ) -> Verify {
        let mut verify = self.within(context, read);
        if let Some(reference) = &mut verify.reference {
            let names = reference.with.iter_mut();
            names.for_each(|(name, _)| self.rename_name(name));
            let launch = reference.launch.iter_mut();
            launch.for_each(|launch| self.rename_launch(launch));
        }
        verify
    }

    fn rename_launch(&self, launch: &mut Launch) {
        let extents = launch.grid.iter_mut().chain(&mut launch.block);
        extents
            .chain(&mut launch.cluster)
            .chain(&mut launch.shared)
            .chain(&mut launch.dependent)
            .for_each(|extent| self.rename(extent));
    }

    /// Its own score.
    pub(super) fn score(&self, context: &mut Context) -> Option<Expr> {
        let own = self.own.as_ref()?;
        let mut score = self.within(context, |context| tunable::score(own, context))?;
        self.rename(&mut score);
        Some(score)
    }

    /// What is computed for every call, whatever variant it runs.
    fn own_value(&self, value: &mut Expr, is_bool: bool) {
        self.rename(value);
        if let Some(Name { text, .. }) = &self.name {
            let nothing = match is_bool {
                true => ExprKind::Bool(false),
                false => ExprKind::Int(0),
            };
            let nothing = Expr::new(nothing, value.span);
            *value = Kernel::only(text, value.clone(), nothing);
        }
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
                match argument {
                    KernelArgument::Value(value, element) => {
                        self.own_value(value, element == &Element::Bool);
                    }
                    KernelArgument::Tensor(map) => {
                        for number in map.numbers_mut() {
                            self.own_value(number, false);
                        }
                    }
                    _ => {}
                }
            }
        }
        let mut kernel = Kernel {
            name: self.name.clone(),
            host: source::is_host(&source, context),
            source,
            passes,
            flags: Vec::new(),
            link: Vec::new(),
            exact: false,
        };
        let maps = kernel.tensors().filter(|_| kernel.host);
        for map in maps.collect_vec() {
            context.report(map.dims[0].span, messages::tensor_on_cpu());
        }
        let Some(own) = &self.own else { return kernel };
        self.within(context, |context| {
            kernel.flags = source::flags(&own.values("flags"), context);
            kernel.link = source::link(own, !kernel.host, context);
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
    pub(super) fn scratch(
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
    pub(super) fn joined(&self) -> Vec<Parameter> {
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
