//! Methods and `powers_of_two(..)`: reading calls, and their types.

use super::check::{Checker, Type};
use super::expr::is_placeholder;
use super::reader::{Read, Reader, inside};
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
        let mut arguments = self.items(&inside(group))?;
        self.errors.rotate(known, before);
        let (span, name) = (name.span(), name.to_string());
        if device && name != "has" {
            return Ok(self.mistake(span, messages::device_method(&name)));
        }
        let method = Method::all().find(|method| method.name() == name);
        let arity = match method {
            _ if device || name == "step_by" => 1,
            Some(method) => method.arity(),
            None => return Ok(self.mistake(span, messages::unknown_method(&name))),
        };
        let fits = arguments.len() == arity;
        if !fits {
            let message = messages::method_arity(&name, arity, arguments.len());
            self.report(span, message);
        }
        let range = matches!(receiver.kind, ExprKind::Range { .. }) || is_placeholder(&receiver);
        if !device && name == "step_by" && !range {
            return Ok(self.mistake(span, messages::step_by_receiver()));
        }
        if !fits {
            return Ok(ExprKind::Name(String::new()));
        }
        Ok(match method {
            Some(method) if !device => ExprKind::Method(method, Box::new(receiver), arguments),
            _ => {
                let argument = Box::new(arguments.remove(0));
                match device {
                    true => ExprKind::DeviceHas(argument),
                    false => ExprKind::StepBy(Box::new(receiver), argument),
                }
            }
        })
    }

    /// A call of the function `name`, if it has one, at `span`.
    pub(super) fn call(&mut self, name: Option<&str>, span: Span, group: &Group) -> Read<ExprKind> {
        let mut arguments = self.items(&inside(group))?;
        if name != Some("powers_of_two") {
            return Ok(self.mistake(span, messages::unknown_function(name)));
        }
        if arguments.len() != 1 {
            let message = messages::method_arity("powers_of_two", 1, arguments.len());
            return Ok(self.mistake(span, message));
        }
        let range = arguments.remove(0);
        if !matches!(range.kind, ExprKind::Range { .. }) && !is_placeholder(&range) {
            return Ok(self.mistake(range.span, messages::powers_of_two_argument()));
        }
        Ok(ExprKind::PowersOfTwo(Box::new(range)))
    }
}

impl Checker<'_> {
    pub(super) fn method(&mut self, method: Method, receiver: &Expr, arguments: &[Expr]) -> Type {
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
