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
        self.node(expr, arithmetic == Arithmetic::Real, place, &mut Vec::new())
    }

    fn node(
        &mut self,
        expr: &Expr,
        real: bool,
        place: Place,
        lets: &mut Vec<String>,
    ) -> TokenStream {
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
            ExprKind::Name(name) => self.name(name, expr.span, real, place, lets),
            ExprKind::Device(field) => {
                let field = quote_spanned!(span=> #p::ops::field(scope.device, #field)?);
                leaf(p, span, field, real)
            }
            ExprKind::DeviceHas(feature) => {
                let feature = self.node(feature, real, place, lets);
                quote_spanned!(span=> #p::ops::has(scope.device, #feature)?)
            }
            ExprKind::Unary(op, a) => {
                let a = self.node(a, real, place, lets);
                let function = match op {
                    UnaryOp::Neg => quote!(neg),
                    UnaryOp::Not => quote!(not),
                };
                quote_spanned!(span=> #p::ops::#function(#a)?)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (
                    self.node(a, real, place, lets),
                    self.node(b, real, place, lets),
                );
                match op {
                    BinaryOp::And => quote_spanned!(span=>
                        #p::Value::Bool(#p::ops::truth(#a)? && #p::ops::truth(#b)?)
                    ),
                    BinaryOp::Or => quote_spanned!(span=>
                        #p::Value::Bool(#p::ops::truth(#a)? || #p::ops::truth(#b)?)
                    ),
                    _ => {
                        let function = Ident::new(binary(*op), span);
                        quote_spanned!(span=> #p::ops::#function(#a, #b)?)
                    }
                }
            }
            ExprKind::If(condition, yes, no) => {
                let condition = self.node(condition, real, place, lets);
                let (yes, no) = (
                    self.node(yes, real, place, lets),
                    self.node(no, real, place, lets),
                );
                quote_spanned!(span=> if #p::ops::truth(#condition)? { #yes } else { #no })
            }
            ExprKind::Match(value, arms) => {
                let value = self.node(value, real, place, lets);
                let arms = self.arms(arms, real, place, lets);
                quote_spanned!(span=> {
                    let matched = #value;
                    #arms { return ::core::result::Result::Err(#p::ops::no_arm(matched)) }
                })
            }
            ExprKind::Block(bindings, body) => {
                let outside = lets.len();
                let mut statements = TokenStream::new();
                for (name, value) in bindings {
                    let value = self.node(value, real, place, lets);
                    let name = local(name, span, lets, true);
                    statements.extend(quote_spanned!(span=> let #name = #value;));
                }
                let body = self.node(body, real, place, lets);
                lets.truncate(outside);
                quote_spanned!(span=> { #statements #body })
            }
            ExprKind::Method(method, receiver, arguments) => {
                let function = Ident::new(method.name(), span);
                let receiver = self.node(receiver, real, place, lets);
                let arguments = arguments.iter().map(|a| self.node(a, real, place, lets));
                let arguments: Vec<TokenStream> = arguments.collect();
                quote_spanned!(span=> #p::ops::#function(#receiver #(, #arguments)*)?)
            }
            ExprKind::Cast(a, cast) => {
                let a = self.node(a, real, place, lets);
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

    /// `if .. { .. } else if .. { .. } else`, to be followed by a block.
    fn arms(
        &mut self,
        arms: &[Arm],
        real: bool,
        place: Place,
        lets: &mut Vec<String>,
    ) -> TokenStream {
        let p = self.private;
        let mut chain = TokenStream::new();
        for arm in arms {
            let mut tests = Vec::new();
            for pattern in &arm.patterns {
                tests.push(match pattern {
                    Pattern::Any => quote!(true),
                    Pattern::Literal(literal) => {
                        let literal = self.node(literal, real, place, lets);
                        let span = Span::mixed_site();
                        quote_spanned!(span=> #p::ops::truth(#p::ops::eq(matched, #literal)?)?)
                    }
                    Pattern::Range(low, high) => {
                        let low = self.node(low, real, place, lets);
                        let high = self.node(high, real, place, lets);
                        let span = Span::mixed_site();
                        quote_spanned!(span=>
                            (#p::ops::truth(#p::ops::ge(matched, #low)?)?
                                && #p::ops::truth(#p::ops::le(matched, #high)?)?)
                        )
                    }
                });
            }
            let value = self.node(&arm.value, real, place, lets);
            chain.extend(quote!(if #(#tests)||* { #value } else));
        }
        chain
    }

    fn name(
        &mut self,
        name: &str,
        span: Span,
        real: bool,
        place: Place,
        lets: &mut Vec<String>,
    ) -> TokenStream {
        let p = self.private;
        let here = Span::mixed_site().located_at(span);
        if lets.iter().any(|known| known == name) {
            let name = local(name, here, lets, false);
            return quote!(#name);
        }
        let mut parameters = self.spec.parameters.iter();
        let value = if let Some(i) = parameters.position(|parameter| parameter.name.text == name) {
            quote_spanned!(here=> scope.parameters[#i])
        } else if let Some(i) = self.consts.iter().position(|known| *known == name) {
            quote_spanned!(here=> scope.consts[__BICO_CONSTS[#i]])
        } else if let Some(i) = self.sizes.iter().position(|known| *known == name) {
            match place {
                Place::Scope => quote_spanned!(here=> #p::Value::Int(scope.sizes[#i])),
                Place::Wrapper | Place::Chosen => quote_spanned!(here=> #p::Value::Int(sizes[#i])),
            }
        } else {
            if place == Place::Scope && self.is_other_scalar(name) {
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
        leaf(p, here, value, real)
    }
}

fn leaf(private: &TokenStream, span: Span, value: TokenStream, real: bool) -> TokenStream {
    if real {
        quote_spanned!(span=> #private::ops::real(#value))
    } else {
        value
    }
}

/// The variable of a `let`: counted, so that it can meet neither an argument nor another `let`.
fn local(name: &str, span: Span, lets: &mut Vec<String>, bind: bool) -> Ident {
    if bind {
        lets.push(name.to_string());
    }
    let at = lets
        .iter()
        .rposition(|known| known == name)
        .unwrap_or_default();
    Ident::new(&format!("let_{at}"), span.resolved_at(Span::mixed_site()))
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
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
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
    }
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
mod tests {
    use super::*;

    fn spec(attribute: TokenStream) -> TunableSpec {
        let attribute = quote!(
            source = "k.c", space(TILE in [1, 2]), problem(m = 8, n = 8, beta = 0.5, const ACT = "relu"), #attribute
        );
        let item = quote!(
            fn f(
                #[len(m * n)] c: &mut [f32],
                m: u32,
                n: u64,
                beta: f32,
                act: &str,
            ) -> bico::Result<()>;
        );
        bico_syntax::parse(attribute, item)
            .unwrap_or_else(|errors| panic!("{errors}"))
            .spec
    }

    /// The code without the path that all names begin with, and without blanks.
    fn lowered(expr: &Expr, spec: &TunableSpec, arithmetic: Arithmetic, place: Place) -> String {
        let private = quote!(P);
        let mut lowering = Lowering::new(spec, &private);
        let code = lowering.value(expr, arithmetic, place).to_string();
        assert!(lowering.errors.is_empty(), "{}", lowering.errors);
        code.replace(' ', "")
            .replace("P::ops::", "")
            .replace("P::", "")
    }

    #[test]
    fn names_are_found_where_they_are() {
        let spec = spec(quote!(require(
            m * TILE + LIMIT <= device.l2_bytes || ACT == "relu"
        )));
        let code = lowered(&spec.require[0], &spec, Arithmetic::Integer, Place::Scope);
        assert_eq!(
            code,
            "Value::Bool(truth(le(add(mul(Value::Int(scope.sizes[0usize]),scope.parameters[0usize])?,\
             lift(LIMIT)?)?,field(scope.device,\"l2_bytes\")?)?)?||\
             truth(eq(scope.consts[__BICO_CONSTS[0usize]],Value::Str(\"relu\"))?)?)"
        );
        let ArgumentKind::Buffer { len, .. } = &spec.arguments[0].kind else {
            panic!()
        };
        assert_eq!(
            lowered(len, &spec, Arithmetic::Integer, Place::Wrapper),
            "mul(Value::Int(sizes[0usize]),Value::Int(sizes[1usize]))?"
        );
    }

    #[test]
    fn real_leaves_are_real() {
        let spec = spec(quote!(score = (m / 2) as i64 * LIMIT));
        let score = spec.score.as_ref().unwrap();
        assert_eq!(
            lowered(score, &spec, Arithmetic::Real, Place::Scope),
            "mul(real(as_i64(div(real(Value::Int(scope.sizes[0usize])),Value::Float(2f64))?)?),\
             real(lift(LIMIT)?))?"
        );
    }

    #[test]
    fn lets_and_arms_nest() {
        let spec = spec(quote!(require({
            let a = TILE;
            let b = {
                let a = a + 1;
                a
            };
            match a {
                1 | 3..=4 => b == a,
                _ => true,
            }
        })));
        let code = lowered(&spec.require[0], &spec, Arithmetic::Integer, Place::Scope);
        assert_eq!(
            code,
            "{letlet_0=scope.parameters[0usize];\
             letlet_1={letlet_1=add(let_0,Value::Int(1i64))?;let_1};\
             {letmatched=let_0;\
             iftruth(eq(matched,Value::Int(1i64))?)?||\
             (truth(ge(matched,Value::Int(3i64))?)?&&truth(le(matched,Value::Int(4i64))?)?)\
             {eq(let_1,let_0)?}elseiftrue{Value::Bool(true)}else\
             {return::core::result::Result::Err(no_arm(matched))}}}"
        );
    }

    #[test]
    fn only_integers_choose_a_config() {
        let spec = spec(quote!(require(beta > 0.0)));
        let private = quote!(P);
        let mut lowering = Lowering::new(&spec, &private);
        assert!(
            lowering.names_other_scalar(&spec.require[0]) && !lowering.is_sized(&spec.require[0])
        );
        lowering.value(&spec.require[0], Arithmetic::Integer, Place::Scope);
        assert!(
            lowering
                .errors
                .to_string()
                .contains("`beta` cannot take part"),
            "{}",
            lowering.errors
        );
    }
}
