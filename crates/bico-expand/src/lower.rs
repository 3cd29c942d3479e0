//! Expressions of the attribute as Rust: calls of `bico::__private::ops`, one per node.
//!
//! The generated code stands in a function that returns `Result<_, EvalError>`. What the names mean
//! comes from a `Scope` (conditions, ranking) or from the wrapper's own arguments ([`Place`]).

use bico_syntax::{
    ArgumentKind, Arithmetic, Arm, BinaryOp, Cast, Error, Errors, Expr, ExprKind, Pattern,
    TunableSpec, UnaryOp,
};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};

/// Where an expression is evaluated.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    /// In a function of a `scope` alone.
    Scope,
    /// In the wrapper, with its arguments and their `sizes`, before a candidate is known.
    Wrapper,
    /// In the wrapper, with a `scope` beside the arguments.
    Chosen,
}

/// Lowers expressions of one tunable.
pub(crate) struct Lowering<'a> {
    spec: &'a TunableSpec,
    /// `::bico::__private`
    private: &'a TokenStream,
    /// The constants of the problems, in the order of the generated `__BICO_CONSTS`.
    pub(crate) consts: Vec<&'a str>,
    sizes: Vec<&'a str>,
    pub(crate) errors: Errors,
    /// Whether the numbers of the expression that is being lowered are real, and where it stands.
    real: bool,
    place: Place,
    /// The `let`s that it is inside of.
    lets: Vec<String>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(spec: &'a TunableSpec, private: &'a TokenStream) -> Lowering<'a> {
        let consts = spec
            .problems
            .first()
            .map_or(&[][..], |problem| &problem.consts);
        Lowering {
            spec,
            private,
            consts: consts.iter().map(|(name, _)| name.text.as_str()).collect(),
            sizes: sizes(spec).map(|name| name.text.as_str()).collect(),
            errors: Errors::new(),
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

    /// Whether the expression names a scalar argument that is no size: a number with a point, a `bool`.
    pub(crate) fn names_other_scalar(&self, expr: &Expr) -> bool {
        expr.names_any(&mut |name| self.is_other_scalar(name))
    }

    fn is_other_scalar(&self, name: &str) -> bool {
        let mut arguments = self.spec.arguments.iter();
        arguments.any(|argument| {
            argument.name.text == name
                && matches!(argument.kind, ArgumentKind::Scalar(element) if !element.is_integer())
        })
    }

    /// The expression as one of type `Value`.
    pub(crate) fn value(
        &mut self,
        expr: &Expr,
        arithmetic: Arithmetic,
        place: Place,
    ) -> TokenStream {
        (self.real, self.place) = (arithmetic == Arithmetic::Real, place);
        self.lets.clear();
        self.node(expr)
    }

    fn node(&mut self, expr: &Expr) -> TokenStream {
        let real = self.real;
        let p = self.private;
        // Located at the user's tokens, but known to rustc's lints as a macro's work.
        let span = Span::mixed_site().located_at(expr.span);
        match &expr.kind {
            ExprKind::Int(v) if real => {
                let v = Literal::f64_suffixed(*v as f64);
                quote_spanned!(span=> #p::Value::Float(#v))
            }
            ExprKind::Int(v) => quote_spanned!(span=> #p::Value::Int(#v)),
            ExprKind::Float(v) if !v.is_finite() => {
                self.errors
                    .push(Error::new(expr.span, "this number is too large for f64"));
                quote!(#p::Value::Float(0.0))
            }
            ExprKind::Float(v) => quote_spanned!(span=> #p::Value::Float(#v)),
            ExprKind::Bool(v) => quote_spanned!(span=> #p::Value::Bool(#v)),
            ExprKind::Str(v) => quote_spanned!(span=> #p::Value::Str(#v)),
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Device(field) => {
                let field = quote_spanned!(span=> #p::ops::field(scope.device, #field)?);
                leaf(p, span, field, real)
            }
            ExprKind::DeviceHas(feature) => {
                let feature = self.node(feature);
                quote_spanned!(span=> #p::ops::has(scope.device, #feature)?)
            }
            ExprKind::Unary(op, a) => {
                let a = self.node(a);
                let function = match op {
                    UnaryOp::Neg => quote!(neg),
                    UnaryOp::Not => quote!(not),
                };
                quote_spanned!(span=> #p::ops::#function(#a)?)
            }
            ExprKind::Binary(op, a, b) => {
                let a = self.node(a);
                let b = self.node(b);
                operation(p, span, *op, a, b)
            }
            ExprKind::If(condition, yes, no) => {
                let condition = self.node(condition);
                let (yes, no) = (self.node(yes), self.node(no));
                quote_spanned!(span=> if #p::ops::truth(#condition)? { #yes } else { #no })
            }
            ExprKind::Match(value, arms) => {
                let value = self.node(value);
                let arms = self.arms(arms);
                quote_spanned!(span=> {
                    let matched = #value;
                    #arms { return ::core::result::Result::Err(#p::ops::no_arm(matched)) }
                })
            }
            ExprKind::Block(bindings, body) => self.block(bindings, body, span),
            ExprKind::Method(method, receiver, arguments) => {
                let function = Ident::new(method.name(), span);
                let receiver = self.node(receiver);
                let arguments = arguments.iter().map(|a| self.node(a));
                let arguments: Vec<TokenStream> = arguments.collect();
                quote_spanned!(span=> #p::ops::#function(#receiver #(, #arguments)*)?)
            }
            ExprKind::Cast(a, cast) => {
                let a = self.node(a);
                match cast {
                    Cast::F64 => quote_spanned!(span=> #p::ops::as_f64(#a)?),
                    Cast::I64 => leaf(p, span, quote_spanned!(span=> #p::ops::as_i64(#a)?), real),
                }
            }
            ExprKind::List(_)
            | ExprKind::Range { .. }
            | ExprKind::StepBy(..)
            | ExprKind::PowersOfTwo(_) => {
                self.errors
                    .push(Error::new(expr.span, "a list is of no use here"));
                quote!(#p::Value::Int(0))
            }
        }
    }

    fn bind(&mut self, name: &str, span: Span) -> Ident {
        self.lets.push(name.to_string());
        local(self.lets.len() - 1, span)
    }

    fn block(&mut self, bindings: &[(String, Expr)], body: &Expr, span: Span) -> TokenStream {
        let outside = self.lets.len();
        let mut statements = TokenStream::new();
        for (name, value) in bindings {
            let value = self.node(value);
            let name = self.bind(name, span);
            statements.extend(quote_spanned!(span=> let #name = #value;));
        }
        let body = self.node(body);
        self.lets.truncate(outside);
        quote_spanned!(span=> { #statements #body })
    }

    /// `if .. { .. } else if .. { .. } else`, to be followed by a block.
    fn arms(&mut self, arms: &[Arm]) -> TokenStream {
        let p = self.private;
        let mut chain = TokenStream::new();
        for arm in arms {
            let mut tests = Vec::new();
            for pattern in &arm.patterns {
                tests.push(match pattern {
                    Pattern::Any => quote!(true),
                    Pattern::Literal(literal) => {
                        let literal = self.node(literal);
                        let span = Span::mixed_site();
                        quote_spanned!(span=> #p::ops::truth(#p::ops::eq(matched, #literal)?)?)
                    }
                    Pattern::Range(low, high) => {
                        let low = self.node(low);
                        let high = self.node(high);
                        let span = Span::mixed_site();
                        quote_spanned!(span=>
                            (#p::ops::truth(#p::ops::ge(matched, #low)?)?
                                && #p::ops::truth(#p::ops::le(matched, #high)?)?)
                        )
                    }
                });
            }
            let value = self.node(&arm.value);
            chain.extend(quote!(if #(#tests)||* { #value } else));
        }
        chain
    }

    fn name(&mut self, name: &str, span: Span) -> TokenStream {
        let p = self.private;
        let here = Span::mixed_site().located_at(span);
        if let Some(at) = self.lets.iter().rposition(|known| known == name) {
            let name = local(at, here);
            return quote!(#name);
        }
        let mut parameters = self.spec.parameters.iter();
        let value = if let Some(i) = parameters.position(|parameter| parameter.name.text == name) {
            quote_spanned!(here=> scope.parameters[#i])
        } else if let Some(i) = self.consts.iter().position(|known| *known == name) {
            quote_spanned!(here=> scope.consts[__BICO_CONSTS[#i]])
        } else if let Some(i) = self.sizes.iter().position(|known| *known == name) {
            match self.place {
                Place::Scope => quote_spanned!(here=> #p::Value::Int(scope.sizes[#i])),
                Place::Wrapper | Place::Chosen => quote_spanned!(here=> #p::Value::Int(sizes[#i])),
            }
        } else {
            if self.place == Place::Scope && self.is_other_scalar(name) {
                let error = Error::new(
                    span,
                    format!("`{name}` cannot take part in choosing a config: it is not an integer"),
                );
                let note = "only integer arguments are sizes of a problem; a `const` of the problem with a selecting argument can hold other values";
                self.errors.push(error.note(note));
            }
            // A `const` of the file, or an argument: with the user's own span, so that rustc finds
            // it in the user's scope, or says on its token that there is none.
            let name = Ident::new(name, span);
            quote_spanned!(here=> #p::lift(#name)?)
        };
        leaf(p, here, value, self.real)
    }
}

fn leaf(private: &TokenStream, span: Span, value: TokenStream, real: bool) -> TokenStream {
    if real {
        quote_spanned!(span=> #private::ops::real(#value))
    } else {
        value
    }
}

/// The variable of the `let` of this number: it can meet neither an argument nor another `let`.
fn local(at: usize, span: Span) -> Ident {
    Ident::new(&format!("let_{at}"), span.resolved_at(Span::mixed_site()))
}

/// A binary operation; `&&` and `||` look at their right side only when it matters.
fn operation(
    p: &TokenStream,
    span: Span,
    op: BinaryOp,
    a: TokenStream,
    b: TokenStream,
) -> TokenStream {
    let function = match op {
        BinaryOp::And => {
            return quote_spanned!(span=>
                #p::Value::Bool(#p::ops::truth(#a)? && #p::ops::truth(#b)?)
            );
        }
        BinaryOp::Or => {
            return quote_spanned!(span=>
                #p::Value::Bool(#p::ops::truth(#a)? || #p::ops::truth(#b)?)
            );
        }
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::Rem => "rem",
        BinaryOp::Eq => "eq",
        BinaryOp::Ne => "ne",
        BinaryOp::Lt => "lt",
        BinaryOp::Le => "le",
        BinaryOp::Gt => "gt",
        BinaryOp::Ge => "ge",
    };
    let function = Ident::new(function, span);
    quote_spanned!(span=> #p::ops::#function(#a, #b)?)
}

/// The integer scalar arguments, in order: the sizes of a problem.
pub(crate) fn sizes(spec: &TunableSpec) -> impl Iterator<Item = &bico_syntax::Name> {
    spec.arguments
        .iter()
        .filter_map(|argument| match argument.kind {
            ArgumentKind::Scalar(element) if element.is_integer() => Some(&argument.name),
            _ => None,
        })
}

#[cfg(test)]
mod tests;
