//! Methods and `powers_of_two(..)`: reading calls, and their types.

use super::check::Checker;
use super::expr::is_placeholder;
use super::reader::{Read, Reader, inside};
use super::types::Type;
use crate::expr::{Expr, ExprKind, Method};
use crate::messages;
use proc_macro2::{Group, Ident, Span};

impl Reader<'_> {
    /// A call of `name` on `receiver`, which was read since there were `known` errors: what is wrong in the
    /// arguments is said first.
    pub(super) fn method(
        &mut self,
        receiver: Expr,
        device: bool,
        name: &Ident,
        group: &Group,
        known: usize,
    ) -> Read<ExprKind> {
        let before = self.errors.len();
        let arguments = self.items(&inside(group))?;
        self.errors.rotate(known, before);
        let (span, name) = (name.span(), name.to_string());
        if device {
            return Ok(if name != "has" {
                self.report(span, messages::device_method(&name));
                ExprKind::Name(String::new())
            } else if let Some([feature]) = self.arity(span, &name, arguments) {
                ExprKind::DeviceHas(Box::new(feature))
            } else {
                ExprKind::Name(String::new())
            });
        }
        if name == "step_by" {
            let step = self.arity(span, &name, arguments);
            if !matches!(receiver.kind, ExprKind::Range { .. }) && !is_placeholder(&receiver) {
                self.report(span, messages::step_by_receiver());
                return Ok(ExprKind::Name(String::new()));
            }
            return Ok(match step {
                Some([step]) => ExprKind::StepBy(Box::new(receiver), Box::new(step)),
                None => ExprKind::Name(String::new()),
            });
        }
        let Some(method) = Method::ALL.into_iter().find(|method| method.name() == name) else {
            self.report(span, messages::unknown_method(&name));
            return Ok(ExprKind::Name(String::new()));
        };
        if arguments.len() != method.arity() {
            let message = messages::method_arity(&name, method.arity(), arguments.len());
            self.report(span, message);
            return Ok(ExprKind::Name(String::new()));
        }
        Ok(ExprKind::Method(method, Box::new(receiver), arguments))
    }

    fn arity<const N: usize>(
        &mut self,
        span: Span,
        name: &str,
        arguments: Vec<Expr>,
    ) -> Option<[Expr; N]> {
        let found = arguments.len();
        let arguments = arguments.try_into().ok();
        if arguments.is_none() {
            self.report(span, messages::method_arity(name, N, found));
        }
        arguments
    }

    /// A call of the function `name`, if it has one, at `span`.
    pub(super) fn call(&mut self, name: Option<&str>, span: Span, group: &Group) -> Read<ExprKind> {
        let arguments = self.items(&inside(group))?;
        if name != Some("powers_of_two") {
            self.report(span, messages::unknown_function(name));
            return Ok(ExprKind::Name(String::new()));
        }
        Ok(match self.arity(span, "powers_of_two", arguments) {
            Some([range])
                if matches!(range.kind, ExprKind::Range { .. }) || is_placeholder(&range) =>
            {
                ExprKind::PowersOfTwo(Box::new(range))
            }
            Some([other]) => {
                self.report(other.span, messages::powers_of_two_argument());
                ExprKind::Name(String::new())
            }
            None => ExprKind::Name(String::new()),
        })
    }
}

impl Checker<'_> {
    pub(super) fn method(&mut self, method: Method, receiver: &Expr, arguments: &[Expr]) -> Type {
        let what = format!("`{}`", method.name());
        match method {
            Method::Min | Method::Max => {
                let mut kind = self.numeric(receiver, &what);
                for argument in arguments {
                    let other = self.numeric(argument, &what);
                    kind = self.both((receiver, kind), (argument, other), &what);
                }
                kind
            }
            Method::Abs => self.numeric(receiver, &what),
            Method::Pow => {
                let kind = self.numeric(receiver, &what);
                for argument in arguments {
                    let exponent = self.numeric(argument, &what);
                    self.both((receiver, kind.clone()), (argument, exponent), &what);
                    if matches!(argument.kind, ExprKind::Int(..0)) && !self.real() {
                        self.report(argument.span, messages::negative_power());
                    }
                }
                kind
            }
            Method::DivCeil
            | Method::IsMultipleOf
            | Method::IsPowerOfTwo
            | Method::Ilog2
            | Method::NextPowerOfTwo => {
                self.integer(receiver, &what);
                arguments
                    .iter()
                    .for_each(|argument| self.integer(argument, &what));
                if matches!(method, Method::IsMultipleOf | Method::IsPowerOfTwo) {
                    Type::Bool
                } else {
                    Type::Int
                }
            }
        }
    }
}
