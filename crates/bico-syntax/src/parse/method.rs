//! Methods and `powers_of_two(..)`: reading calls, and their types.

use super::check::Checker;
use super::expr::{Lowering, is_placeholder};
use super::types::Type;
use crate::expr::{Expr, ExprKind, Method};
use crate::messages;
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Lowering<'_> {
    pub(super) fn method(&mut self, call: &syn::ExprMethodCall) -> ExprKind {
        if let Some(turbofish) = &call.turbofish {
            return self.outside(turbofish.span(), "a type argument");
        }
        let name = call.method.to_string();
        let arguments: Vec<Expr> = call
            .args
            .iter()
            .map(|argument| self.expr(argument))
            .collect();
        let span = call.method.span();
        if matches!(&*call.receiver, syn::Expr::Path(base) if base.path.is_ident("device")) {
            return if name != "has" {
                self.errors.report(span, messages::device_method(&name));
                ExprKind::Name(String::new())
            } else if let Some([feature]) = self.arity(span, &name, arguments) {
                ExprKind::DeviceHas(Box::new(feature))
            } else {
                ExprKind::Name(String::new())
            };
        }
        let receiver = self.boxed(&call.receiver);
        if name == "step_by" {
            let step = self.arity(span, &name, arguments);
            if !matches!(receiver.kind, ExprKind::Range { .. }) && !is_placeholder(&receiver) {
                self.errors.report(span, messages::step_by_receiver());
                return ExprKind::Name(String::new());
            }
            return match step {
                Some([step]) => ExprKind::StepBy(receiver, Box::new(step)),
                None => ExprKind::Name(String::new()),
            };
        }
        let Some(method) = Method::ALL.into_iter().find(|method| method.name() == name) else {
            self.errors.report(span, messages::unknown_method(&name));
            return ExprKind::Name(String::new());
        };
        if arguments.len() != method.arity() {
            self.errors.report(
                span,
                messages::method_arity(&name, method.arity(), arguments.len()),
            );
            return ExprKind::Name(String::new());
        }
        ExprKind::Method(method, receiver, arguments)
    }

    pub(super) fn arity<const N: usize>(
        &mut self,
        span: Span,
        name: &str,
        arguments: Vec<Expr>,
    ) -> Option<[Expr; N]> {
        let found = arguments.len();
        let arguments = arguments.try_into().ok();
        if arguments.is_none() {
            self.errors
                .report(span, messages::method_arity(name, N, found));
        }
        arguments
    }

    pub(super) fn call(&mut self, call: &syn::ExprCall) -> ExprKind {
        let arguments: Vec<Expr> = call
            .args
            .iter()
            .map(|argument| self.expr(argument))
            .collect();
        let name = match &*call.func {
            syn::Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        match name.as_deref() {
            Some("powers_of_two") => match self.arity(call.func.span(), "powers_of_two", arguments)
            {
                Some([range])
                    if matches!(range.kind, ExprKind::Range { .. }) || is_placeholder(&range) =>
                {
                    ExprKind::PowersOfTwo(Box::new(range))
                }
                Some([other]) => {
                    self.errors
                        .report(other.span, messages::powers_of_two_argument());
                    ExprKind::Name(String::new())
                }
                None => ExprKind::Name(String::new()),
            },
            name => {
                self.errors
                    .report(call.func.span(), messages::unknown_function(name));
                ExprKind::Name(String::new())
            }
        }
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
                        self.context
                            .errors
                            .report(argument.span, messages::negative_power());
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
