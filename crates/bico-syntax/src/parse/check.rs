//! The types that values have, and the type of an expression.

use super::names::{CPU_FIELDS, CUDA_FIELDS, Context, Place, Typed, Use, find, is_screaming};
use crate::canonical::same;
use crate::expr::{Arithmetic, BinaryOp, COMPARISON, Cast, Expr, ExprKind, Method, UnaryOp};
use crate::messages::{self, Message};
use crate::spec::Element;
use proc_macro2::Span;

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    Int,
    Float,
    /// Either, in real arithmetic, where there is no difference.
    Number,
    Bool,
    Str,
    /// A domain.
    List(Box<Type>),
    /// A `const` of the file, or something that has been reported already.
    Unknown,
}

impl Type {
    /// The type that both are, if there is one.
    pub(crate) fn unify(&self, other: &Type) -> Option<Type> {
        match (self, other) {
            (Type::Unknown, known) | (known, Type::Unknown) => Some(known.clone()),
            (Type::List(a), Type::List(b)) => Some(Type::List(Box::new(a.unify(b)?))),
            (a, b) if a == b => Some(a.clone()),
            _ => None,
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Float | Type::Number | Type::Unknown)
    }
}

/// How a message calls it.
impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Type::Int => "an integer",
            Type::Float => "a float",
            Type::Number => "a number",
            Type::Bool => "a boolean",
            Type::Str => "a string",
            Type::List(element) => match **element {
                Type::Int => "a list of integers",
                Type::Float => "a list of floats",
                Type::Bool => "a list of booleans",
                Type::Str => "a list of strings",
                _ => "a list",
            },
            Type::Unknown => "unknown",
        })
    }
}

impl From<Element> for Type {
    fn from(element: Element) -> Self {
        match element {
            Element::Bool => Type::Bool,
            Element::Str => Type::Str,
            element if element.is_float() => Type::Float,
            _ => Type::Int,
        }
    }
}

/// Finds types, and reports where there is none.
pub(crate) struct Checker<'a> {
    pub(super) context: &'a mut Context,
    place: Place,
    locals: Vec<Typed>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(context: &'a mut Context, place: Place) -> Self {
        Checker {
            context,
            place,
            locals: Vec::new(),
        }
    }

    pub(super) fn report(&mut self, span: Span, message: Message) {
        self.context.report(span, message);
    }

    pub(super) fn real(&self) -> bool {
        self.place.arithmetic == Arithmetic::Real
    }

    pub(super) fn number(&self, kind: Type) -> Type {
        if matches!(kind, Type::Int | Type::Float) && self.real() {
            Type::Number
        } else {
            kind
        }
    }

    pub(crate) fn check(&mut self, expr: &Expr) -> Type {
        let kind = match &expr.kind {
            ExprKind::Int(_) => Type::Int,
            ExprKind::Float(_) => Type::Float,
            ExprKind::Bool(_) => Type::Bool,
            ExprKind::Str(_) => Type::Str,
            ExprKind::Name(name) if name.is_empty() => Type::Unknown,
            ExprKind::Name(name) => match self.locals.iter().rfind(|(known, _)| known == name) {
                Some((_, kind)) => kind.clone(),
                None => self.context.resolve(name, expr.span, &self.place),
            },
            ExprKind::Device(field) => self.device(expr, field),
            ExprKind::DeviceHas(feature) => self.has(expr, feature),
            ExprKind::Unary(UnaryOp::Not, a) => {
                self.want(a, &Type::Bool, "`!`");
                Type::Bool
            }
            ExprKind::Unary(UnaryOp::Neg, a) => self.numeric(a, "`-`"),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::If(condition, yes, no) => {
                self.want(condition, &Type::Bool, "`if`");
                let first = self.check(yes);
                let second = self.check(no);
                self.branches((yes, first), (no, second))
            }
            ExprKind::Match(value, arms) => self.matching(expr, value, arms),
            ExprKind::Block(lets, value) => {
                let outer = self.locals.len();
                for (name, bound) in lets {
                    let kind = self.check(bound);
                    self.locals.push((name.clone(), kind));
                }
                let kind = self.check(value);
                self.locals.truncate(outer);
                kind
            }
            ExprKind::Method(method, receiver, arguments) => {
                self.method(*method, receiver, arguments)
            }
            ExprKind::Cast(a, cast) => {
                let found = self.check(a);
                if !found.is_number() && found != Type::Bool {
                    self.report(a.span, messages::needs_number("`as`", a, &found));
                }
                match cast {
                    Cast::F64 => Type::Float,
                    Cast::I64 => Type::Int,
                }
            }
            ExprKind::List(items) => self.list(items),
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => {
                self.integer(start, "a range");
                self.integer(end, "a range");
                self.order(start, end, *inclusive);
                Type::List(Box::new(Type::Int))
            }
            ExprKind::StepBy(range, step) => {
                self.check(range);
                self.integer(step, "`step_by`");
                if matches!(step.kind, ExprKind::Int(..=0)) {
                    self.report(step.span, messages::step_not_positive());
                }
                Type::List(Box::new(Type::Int))
            }
            ExprKind::PowersOfTwo(range) => {
                self.check(range);
                Type::List(Box::new(Type::Int))
            }
        };
        self.number(kind)
    }

    fn has(&mut self, expr: &Expr, feature: &Expr) -> Type {
        match &feature.kind {
            ExprKind::Name(name) if self.is_nothing(name) => {
                self.report(feature.span, messages::has_unquoted(name));
            }
            _ => self.want(feature, &Type::Str, "`device.has`"),
        }
        if !self.place.allows(Use::Device) {
            let message = messages::not_here("device", "device", self.place.what);
            self.report(expr.span, message);
        } else if self.context.names.cuda == Some(true) {
            self.report(expr.span, messages::has_on_gpu());
        }
        Type::Bool
    }

    /// Whether `name` is known nowhere, and cannot be a `const` of the file.
    fn is_nothing(&self, name: &str) -> bool {
        let known = find(&self.locals, name).is_some()
            || name == "device"
            || self.context.names.declared(name);
        !known && !name.is_empty() && !is_screaming(name)
    }

    /// Checks `expr` and reports it unless it has type `want`.
    pub(super) fn want(&mut self, expr: &Expr, want: &Type, what: &str) {
        let found = self.check(expr);
        if found.unify(want).is_none() {
            self.report(expr.span, messages::needs(what, want, expr, &found));
        }
    }

    pub(super) fn integer(&mut self, expr: &Expr, what: &str) {
        let want = self.number(Type::Int);
        self.want(expr, &want, what);
    }

    pub(super) fn numeric(&mut self, expr: &Expr, what: &str) -> Type {
        let found = self.check(expr);
        if found.is_number() {
            return found;
        }
        self.report(expr.span, messages::needs_number(what, expr, &found));
        Type::Unknown
    }

    fn device(&mut self, expr: &Expr, field: &str) -> Type {
        let (fields, gpu): (&[&str], _) = match self.context.names.cuda {
            Some(true) => (&CUDA_FIELDS, "a GPU"),
            Some(false) => (&CPU_FIELDS, "a CPU"),
            None => return Type::Int,
        };
        let message = if !self.place.allows(Use::Device) {
            messages::not_here("device", "device", self.place.what)
        } else if !fields.contains(&field) {
            messages::unknown_field(field, gpu, fields)
        } else {
            return Type::Int;
        };
        self.report(expr.span, message);
        Type::Int
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Type {
        let what = format!("`{}`", op.symbol());
        match op {
            BinaryOp::And | BinaryOp::Or => {
                self.want(a, &Type::Bool, &what);
                self.want(b, &Type::Bool, &what);
                Type::Bool
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let first = self.check(a);
                let second = self.check(b);
                for (operand, kind) in [(a, &first), (b, &second)] {
                    if let Type::List(_) = kind {
                        self.report(operand.span, messages::list_operand(&what, operand));
                        return Type::Bool;
                    }
                }
                self.both((a, first), (b, second), &what);
                Type::Bool
            }
            _ => {
                let first = self.numeric(a, &what);
                let second = self.numeric(b, &what);
                let both = self.both((a, first), (b, second), &what);
                if op.strength() == COMPARISON {
                    Type::Bool
                } else {
                    both
                }
            }
        }
    }

    /// The common type of two operands.
    pub(super) fn both(
        &mut self,
        (a, first): (&Expr, Type),
        (b, second): (&Expr, Type),
        what: &str,
    ) -> Type {
        first.unify(&second).unwrap_or_else(|| {
            self.report(b.span, messages::mixed(what, a, &first, b, &second));
            Type::Unknown
        })
    }

    pub(super) fn branches(
        &mut self,
        (a, first): (&Expr, Type),
        (b, second): (&Expr, Type),
    ) -> Type {
        first.unify(&second).unwrap_or_else(|| {
            self.report(b.span, messages::branches(a, &first, b, &second));
            first
        })
    }

    fn list(&mut self, items: &[Expr]) -> Type {
        let mut kind = Type::Unknown;
        let mut first: Option<&Expr> = None;
        for (index, item) in items.iter().enumerate() {
            let found = self.check(item);
            if let Type::List(_) = found {
                self.report(item.span, messages::nested_list(item));
                continue;
            }
            match kind.unify(&found) {
                Some(both) => kind = both,
                None => {
                    let first = first.unwrap_or(item);
                    let message = messages::mixed("a list", first, &kind, item, &found);
                    self.report(item.span, message);
                }
            }
            first = first.or(Some(item));
            if found != Type::Unknown && items[..index].iter().any(|before| same(before, item)) {
                self.report(item.span, messages::repeated_value(item));
            }
        }
        Type::List(Box::new(kind))
    }

    /// Reports a range of two literals that holds nothing.
    pub(super) fn order(&mut self, start: &Expr, end: &Expr, inclusive: bool) {
        let empty = match (&start.kind, &end.kind) {
            (ExprKind::Int(first), ExprKind::Int(last)) => {
                first > last || (first == last && !inclusive)
            }
            (ExprKind::Float(first), ExprKind::Float(last)) => first > last,
            _ => false,
        };
        if empty {
            self.report(start.span, messages::empty_range(start, end, inclusive));
        }
    }

    fn method(&mut self, method: Method, receiver: &Expr, arguments: &[Expr]) -> Type {
        let what = format!("`{}`", method.name());
        let integers = !matches!(
            method,
            Method::Min | Method::Max | Method::Abs | Method::Pow
        );
        if integers {
            self.integer(receiver, &what);
            for argument in arguments {
                self.integer(argument, &what);
            }
            return match method {
                Method::IsMultipleOf | Method::IsPowerOfTwo => Type::Bool,
                _ => Type::Int,
            };
        }
        let mut kind = self.numeric(receiver, &what);
        for argument in arguments {
            let other = self.numeric(argument, &what);
            let both = self.both((receiver, kind.clone()), (argument, other), &what);
            if method != Method::Pow {
                kind = both;
            } else if matches!(argument.kind, ExprKind::Int(..0)) && !self.real() {
                self.report(argument.span, messages::negative_power());
            }
        }
        kind
    }
}
