//! Expressions of the attribute as Rust: calls of `bico::__private::ops`, one per node.
//!
//! The generated code stands in a function that returns `Result<_, EvalError>`. What the names mean
//! comes from a `Scope` (conditions, ranking) or from the wrapper's own arguments ([`Place`]).

use crate::template::{Fill, quote, quote_spanned};
use bico_syntax::{
    ArgumentKind, Arithmetic, Arm, BinaryOp, Cast, Error, Errors, Expr, ExprKind, Lists, Name,
    Pattern, TunableSpec,
};
use proc_macro2::{Ident, Span, TokenStream};

/// Where an expression is evaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    /// In a function of a `scope` alone.
    Scope,
    /// In the wrapper, with its arguments and their `sizes`, before a candidate is known.
    Wrapper,
    /// In the wrapper, with a `scope` beside the arguments.
    Chosen,
}

/// Lowers expressions of one tunable.
#[derive(Debug)]
pub struct Lowering<'a> {
    spec: &'a TunableSpec,
    /// `::bico::__private`
    private: &'a TokenStream,
    /// The constants of the problems, in the order of the generated `__BICO_CONSTS`.
    pub(crate) consts: Vec<&'a str>,
    sizes: Vec<&'a str>,
    /// What no Rust code can say, each on its own token.
    pub errors: Errors,
    /// Whether the numbers of the expression that is being lowered are real, and where it stands.
    real: bool,
    place: Place,
    /// The `let`s that it is inside of.
    lets: Vec<String>,
}

impl<'a> Lowering<'a> {
    /// Lowers expressions of `spec`, for code in which `private` is `bico::__private`.
    pub fn new(spec: &'a TunableSpec, private: &'a TokenStream) -> Lowering<'a> {
        let problem = spec.problems.first();
        let consts = problem.map_or(&[][..], |problem| &problem.consts);
        Lowering {
            spec,
            private,
            consts: consts
                .iter()
                .map(|(name, _)| name.text.as_str())
                .collect_vec(),
            sizes: sizes(spec).map(|name| name.text.as_str()).collect_vec(),
            errors: Errors::default(),
            real: false,
            place: Place::Scope,
            lets: Vec::new(),
        }
    }

    /// Whether the expression names a problem size.
    pub(crate) fn is_sized(&self, expr: &Expr) -> bool {
        expr.names_any(&mut |name| self.sizes.contains(&name))
    }

    /// Whether the expression can only be evaluated once a candidate is chosen.
    pub(crate) fn needs_candidate(&self, expr: &Expr) -> bool {
        let parameters = &self.spec.parameters;
        expr.names_any(&mut |name| {
            self.consts.contains(&name) || parameters.iter().any(|p| p.name.text == name)
        })
    }

    /// Whether the expression names a scalar argument that is no size: a number with a point, a `bool`, a `#[value]`.
    pub fn names_other_scalar(&self, expr: &Expr) -> bool {
        expr.names_any(&mut |name| self.is_other_scalar(name))
    }

    fn is_other_scalar(&self, name: &str) -> bool {
        let mut arguments = self.spec.arguments.iter();
        arguments.any(|argument| {
            argument.name.text == name
                && match argument.kind {
                    ArgumentKind::Scalar(element) => !element.is_integer(),
                    ArgumentKind::Value { .. } => true,
                    _ => false,
                }
        })
    }

    /// The value of a `#[value]` argument in the first problem.
    fn usual(&self, name: &str) -> Option<&'a Expr> {
        let mut values = self.spec.problems.first()?.values.iter();
        let found = values.find(|(known, _)| known.text == name);
        found.map(|(_, value)| value)
    }

    /// The expression as one of type `Value`.
    pub fn value(&mut self, expr: &Expr, arithmetic: Arithmetic, place: Place) -> TokenStream {
        (self.real, self.place) = (arithmetic == Arithmetic::Real, place);
        self.lets.clear();
        self.node(expr)
    }

    fn node(&mut self, expr: &Expr) -> TokenStream {
        let p = self.private;
        // Located at the user's tokens, but known to rustc's lints as a macro's work.
        let span = Span::mixed_site().located_at(expr.span);
        match &expr.kind {
            ExprKind::Int(v) if self.real => self.constant("Float", &(*v as f64), span),
            ExprKind::Int(v) => self.constant("Int", v, span),
            ExprKind::Float(v) if !v.is_finite() => {
                self.unusable(expr, "this number is too large for f64")
            }
            ExprKind::Float(v) => self.constant("Float", v, span),
            ExprKind::Bool(v) => self.constant("Bool", v, span),
            ExprKind::Str(v) => self.constant("Str", v, span),
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Device(field) => {
                let field = quote_spanned!(span=> #p::ops::field(scope.device, #field)?);
                self.leaf(field, span)
            }
            ExprKind::DeviceHas(feature) => {
                let feature = self.node(feature);
                quote_spanned!(span=> #p::ops::has(scope.device, #feature)?)
            }
            ExprKind::Unary(op, a) => {
                let a = self.node(a);
                self.call(op.name(), &[a], span)
            }
            ExprKind::Binary(op, a, b) => {
                let sides = [self.node(a), self.node(b)];
                self.binary(*op, sides, span)
            }
            ExprKind::If(condition, yes, no) => {
                let condition = self.node(condition);
                let condition = self.call("truth", &[condition], span);
                let (yes, no) = (self.node(yes), self.node(no));
                quote_spanned!(span=> if #condition { #yes } else { #no })
            }
            ExprKind::Match(value, arms) => {
                let value = self.node(value);
                let arms = self.arms(arms);
                quote_spanned!(span=> {
                    let matched = #value;
                    #arms { return ::core::result::Result::Err(#p::ops::no_arm(matched)) }
                })
            }
            ExprKind::Block(bindings, body) => {
                let outside = self.lets.len();
                let mut statements = TokenStream::new();
                for (name, value) in bindings {
                    let value = self.node(value);
                    let variable = local(self.lets.len(), span);
                    self.lets.push(name.clone());
                    statements.extend(quote_spanned!(span=> let #variable = #value;));
                }
                let body = self.node(body);
                self.lets.truncate(outside);
                quote_spanned!(span=> { #statements #body })
            }
            ExprKind::Method(method, receiver, arguments) => {
                let operands = [&**receiver].into_iter().chain(arguments);
                let operands: Vec<TokenStream> = operands.map(|own| self.node(own)).collect_vec();
                self.call(method.name(), &operands, span)
            }
            ExprKind::Cast(a, cast) => {
                let a = self.node(a);
                match cast {
                    Cast::F64 => self.call("as_f64", &[a], span),
                    Cast::I64 => self.leaf(self.call("as_i64", &[a], span), span),
                }
            }
            ExprKind::List(_)
            | ExprKind::Range { .. }
            | ExprKind::StepBy(..)
            | ExprKind::PowersOfTwo(_) => self.unusable(expr, "a list is of no use here"),
        }
    }

    fn binary(&self, op: BinaryOp, sides: [TokenStream; 2], span: Span) -> TokenStream {
        if !matches!(op, BinaryOp::And | BinaryOp::Or) {
            return self.call(op.name(), &sides, span);
        }
        // They look at their right side only when it matters.
        let [a, b] = sides.map(|side| self.call("truth", &[side], span));
        let both = match op {
            BinaryOp::And => quote_spanned!(span=> #a && #b),
            _ => quote_spanned!(span=> #a || #b),
        };
        self.constant("Bool", &both, span)
    }

    /// A value of this kind.
    fn constant(&self, kind: &str, value: &dyn Fill, span: Span) -> TokenStream {
        let (p, kind) = (self.private, Ident::new(kind, span));
        quote_spanned!(span=> #p::Value::#kind(#value))
    }

    /// A call of a function that says what an operation means.
    fn call(&self, function: &str, operands: &[TokenStream], span: Span) -> TokenStream {
        let (p, function) = (self.private, Ident::new(function, span));
        quote_spanned!(span=> #p::ops::#function(#(#operands),*)?)
    }

    /// A number, as the arithmetic wants it.
    fn leaf(&self, value: TokenStream, span: Span) -> TokenStream {
        let p = self.private;
        match self.real {
            true => quote_spanned!(span=> #p::ops::real(#value)),
            false => value,
        }
    }

    fn unusable(&mut self, expr: &Expr, why: &str) -> TokenStream {
        self.errors.push(Error::new(expr.span, why));
        TokenStream::new()
    }

    /// `if .. { .. } else if .. { .. } else`, to be followed by a block.
    fn arms(&mut self, arms: &[Arm]) -> TokenStream {
        let mut chain = TokenStream::new();
        for arm in arms {
            let tests = arm.patterns.iter().map(|pattern| match pattern {
                Pattern::Any => quote!(true),
                Pattern::Literal(literal) => self.test("eq", literal),
                Pattern::Range(low, high) => {
                    let (low, high) = (self.test("ge", low), self.test("le", high));
                    quote!((#low && #high))
                }
            });
            let tests: Vec<TokenStream> = tests.collect_vec();
            let value = self.node(&arm.value);
            chain.extend(quote!(if #(#tests)||* { #value } else));
        }
        chain
    }

    /// Whether what is matched stands to `bound` as this function says.
    fn test(&mut self, function: &str, bound: &Expr) -> TokenStream {
        let here = Span::mixed_site();
        let sides = [quote_spanned!(here=> matched), self.node(bound)];
        let holds = self.call(function, &sides, here);
        self.call("truth", &[holds], here)
    }

    fn name(&mut self, name: &str, span: Span) -> TokenStream {
        let p = self.private;
        let here = Span::mixed_site().located_at(span);
        if let Some(at) = self.lets.iter().rposition(|known| known == name) {
            return local(at, here).tokens();
        }
        let mut parameters = self.spec.parameters.iter();
        let value = if let Some(i) = parameters.position(|parameter| parameter.name.text == name) {
            quote_spanned!(here=> scope.parameters[#i])
        } else if let Some(i) = self.consts.iter().position(|known| *known == name) {
            quote_spanned!(here=> scope.consts[__BICO_CONSTS[#i]])
        } else if let Some(i) = self.sizes.iter().position(|known| *known == name) {
            let size = match self.place {
                Place::Scope => quote_spanned!(here=> scope.sizes[#i]),
                Place::Wrapper | Place::Chosen => quote_spanned!(here=> sizes[#i]),
            };
            self.constant("Int", &size, here)
        } else if self.place == Place::Scope
            && let Some(value) = self.usual(name)
        {
            // What it is in a call says nothing of which config is good; its launch is computed anew.
            let (lets, real) = (std::mem::take(&mut self.lets), self.real);
            self.real = false;
            let value = self.node(value);
            (self.lets, self.real) = (lets, real);
            value
        } else {
            if self.place == Place::Scope && self.is_other_scalar(name) {
                let message =
                    format!("`{name}` cannot take part in choosing a config: it is not an integer");
                let note = "only integer arguments are sizes of a problem; a `const` of the problem with a selecting argument can hold other values";
                self.errors.push(Error::new(span, message).note(note));
            }
            // A `const` of the file, or an argument: with the user's own span, so that rustc finds
            // it in the user's scope, or says on its token that there is none.
            let name = Ident::new(name, span);
            quote_spanned!(here=> #p::lift(#name)?)
        };
        self.leaf(value, here)
    }
}

/// The variable of the `let` of this number: it can meet neither an argument nor another `let`.
fn local(at: usize, span: Span) -> Ident {
    Ident::new(&format!("let_{at}"), span.resolved_at(Span::mixed_site()))
}

/// The integer scalar arguments, in order: the sizes of a problem.
pub(crate) fn sizes(spec: &TunableSpec) -> impl Iterator<Item = &Name> {
    let arguments = spec.arguments.iter();
    let sizes = arguments.filter(
        |argument| matches!(argument.kind, ArgumentKind::Scalar(element) if element.is_integer()),
    );
    sizes.map(|argument| &argument.name)
}

#[cfg(test)]
mod tests;
