//! One of the kernels that a tunable chooses from.

use crate::Lists;
use crate::args::KernelArgument;
use crate::expr::{BinaryOp, Expr, ExprKind};
use crate::spec::{FlagPart, Language, Launch, Name, Pass, Source, TunableSpec};
use crate::tensor::TensorMap;
use proc_macro2::Span;

/// The parameter that says of which variant a config is.
pub const VARIANT: &str = "VARIANT";

/// `variant(NAME, ..)`, or what the attribute says of its only kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The variant's name; `None` where there is one kernel only.
    pub name: Option<Name>,
    /// Its source.
    pub source: Source,
    /// What a call runs, in order. Never empty.
    pub passes: Vec<Pass>,
    /// Compiler flags behind those of the tunable.
    pub flags: Vec<Vec<FlagPart>>,
    /// Libraries before those of the tunable.
    pub link: Vec<Name>,
    /// Whether it is no kernel, but a function in C or C++ beside CUDA kernels, which gets the stream: a library's call.
    pub host: bool,
    /// `arch = "exact"`: a CUDA kernel that uses what only one kind of GPU has, such as `sm_90a`.
    pub exact: bool,
}

impl Kernel {
    /// The launches of a CUDA kernel's passes, in order.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> {
        self.passes.iter().filter_map(|pass| pass.launch.as_ref())
    }

    /// The tensor maps that its passes get.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = &TensorMap> {
        let given = self
            .passes
            .iter()
            .flat_map(|pass| pass.args.iter().flatten());
        given.filter_map(|given| match given {
            KernelArgument::Tensor(map) => Some(&**map),
            _ => None,
        })
    }

    /// Whether a parameter is a template argument: no pass sees it as a macro then.
    pub fn is_templated(&self, parameter: &str) -> bool {
        let mut names = self.passes.iter().flat_map(|pass| &pass.template);
        names.any(|name| name.text == parameter)
    }

    /// What its source calls a parameter; `None` where that is another variant's, or says which variant it is.
    pub fn sees<'n>(&self, parameter: &'n str) -> Option<&'n str> {
        let Some(Name { text, .. }) = &self.name else {
            return Some(parameter);
        };
        match parameter.split_once('.') {
            None => (parameter != VARIANT).then_some(parameter),
            Some((variant, own)) => (variant == text).then_some(own),
        }
    }

    /// `expr`, where a config is of this variant; elsewhere what `other` says.
    pub(crate) fn only(name: &str, expr: Expr, other: Expr) -> Expr {
        let span = expr.span;
        let is = comparison(BinaryOp::Eq, name, span);
        let parts = [is, expr, other].map(Box::new);
        let [is, expr, other] = parts;
        Expr::new(ExprKind::If(is, expr, other), span)
    }

    /// A condition that only configs of this variant must meet.
    pub fn guard(&self, condition: Expr) -> Expr {
        let Some(Name { text, .. }) = &self.name else {
            return condition;
        };
        let span = condition.span;
        let other = Box::new(comparison(BinaryOp::Ne, text, span));
        let kind = ExprKind::Binary(BinaryOp::Or, other, Box::new(condition));
        Expr::new(kind, span)
    }
}

/// `VARIANT == "blocked"`, or `!=`.
fn comparison(op: BinaryOp, name: &str, span: Span) -> Expr {
    let parameter = ExprKind::Name(VARIANT.to_string());
    let name = ExprKind::Str(name.to_string());
    let [a, b] = [parameter, name].map(|kind| Box::new(Expr::new(kind, span)));
    Expr::new(ExprKind::Binary(op, a, b), span)
}

/// What configs of other variants than this are: `VARIANT != "blocked"`.
pub fn other_than(variant: &Name) -> Expr {
    comparison(BinaryOp::Ne, &variant.text, variant.span)
}

impl TunableSpec {
    /// Whether it runs on a GPU.
    pub fn is_cuda(&self) -> bool {
        self.language().is_cuda()
    }

    /// The language of its first kernel.
    pub fn language(&self) -> Language {
        self.kernels[0].source.language
    }

    /// Where its source is named, or that of its first variant.
    pub fn place(&self) -> Span {
        self.kernels[0].source.path.span
    }

    /// Whether it chooses from variants.
    pub fn has_variants(&self) -> bool {
        self.kernels[0].name.is_some()
    }

    /// The compiler flags of a kernel. A function of the host has only its own: the others are a CUDA compiler's.
    pub fn flags_of<'a>(&'a self, kernel: &'a Kernel) -> impl Iterator<Item = &'a Vec<FlagPart>> {
        let shared = self.flags.iter().filter(|_| !kernel.host);
        shared.chain(&kernel.flags)
    }

    /// The libraries of a kernel.
    pub fn libraries(&self, kernel: &Kernel) -> Vec<Name> {
        kernel.link.iter().chain(&self.link).cloned().collect_vec()
    }

    /// How each pass is launched, whichever variant a config is of: as many as the longest has.
    pub fn launches(&self) -> Vec<Launch> {
        let most = self.kernels.iter().map(|kernel| kernel.launches().count());
        let all = (0..most.max().unwrap_or(0)).filter_map(|pass| {
            let mut kernels = self.kernels.iter().rev();
            let mut joined = kernels
                .find_map(|kernel| kernel.launches().nth(pass))?
                .clone();
            for kernel in kernels {
                if let Some(launch) = kernel.launches().nth(pass) {
                    joined = join(kernel, launch, joined);
                }
            }
            Some(joined)
        });
        all.collect_vec()
    }
}

/// The launch of this variant, and what the others have.
fn join(kernel: &Kernel, own: &Launch, others: Launch) -> Launch {
    let Some(Name { text, span }) = &kernel.name else {
        return own.clone();
    };
    let number = |value| Expr::new(ExprKind::Int(value), *span);
    let extents = |own: &[Expr], others: Vec<Expr>| {
        let count = own.len().max(others.len());
        let mut others = others.into_iter();
        let extents = (0..count).map(|at| {
            let own = own.get(at).cloned().unwrap_or_else(|| number(1));
            let other = others.next().unwrap_or_else(|| number(1));
            Kernel::only(text, own, other)
        });
        extents.collect_vec()
    };
    // Where one says nothing, it is `nothing` for its configs.
    let either = |own: &Option<Expr>, other: Option<Expr>, nothing: ExprKind| {
        let nothing = Expr::new(nothing, *span);
        let some = own.is_some() || other.is_some();
        let [own, other] = [own.clone(), other].map(|of| of.unwrap_or_else(|| nothing.clone()));
        some.then(|| Kernel::only(text, own, other))
    };
    Launch {
        grid: extents(&own.grid, others.grid),
        block: extents(&own.block, others.block),
        cluster: extents(&own.cluster, others.cluster),
        shared: either(&own.shared, others.shared, ExprKind::Int(0)),
        dependent: either(&own.dependent, others.dependent, ExprKind::Bool(false)),
    }
}
