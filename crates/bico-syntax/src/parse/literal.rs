//! Literals and the patterns made of them.

use super::expr::{Lowering, is_placeholder, placeholder};
use crate::expr::{Expr, ExprKind, Pattern};
use crate::messages;
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Lowering<'_> {
    pub(super) fn literal(&mut self, literal: &syn::Lit) -> Expr {
        let span = literal.span();
        let kind = match literal {
            syn::Lit::Int(value) => self.integer(value, false),
            syn::Lit::Float(value) => self.float(value, false),
            syn::Lit::Bool(value) => ExprKind::Bool(value.value),
            syn::Lit::Str(value) => {
                let text = value.value();
                // Strings end up in files and on command lines.
                if text.chars().any(char::is_control) {
                    self.errors.report(span, messages::control_character());
                    return placeholder(span);
                }
                ExprKind::Str(text)
            }
            _ => {
                self.errors
                    .report(span, messages::outside_subset("this literal"));
                return placeholder(span);
            }
        };
        Expr { kind, span }
    }

    pub(super) fn integer(&mut self, value: &syn::LitInt, negative: bool) -> ExprKind {
        let digits = format!(
            "{}{}",
            if negative { "-" } else { "" },
            value.base10_digits()
        );
        match value.suffix() {
            "" | "i64" => match digits.parse() {
                Ok(number) => return ExprKind::Int(number),
                Err(_) => self
                    .errors
                    .report(value.span(), messages::integer_range(&digits)),
            },
            "f64" => match digits.parse() {
                Ok(number) => return ExprKind::Float(number),
                Err(_) => self
                    .errors
                    .report(value.span(), messages::float_range(&digits)),
            },
            suffix => self.errors.report(
                value.span(),
                messages::suffix(suffix, value.base10_digits()),
            ),
        }
        ExprKind::Name(String::new())
    }

    pub(super) fn float(&mut self, value: &syn::LitFloat, negative: bool) -> ExprKind {
        if !matches!(value.suffix(), "" | "f64") {
            self.errors.report(
                value.span(),
                messages::suffix(value.suffix(), value.base10_digits()),
            );
            return ExprKind::Name(String::new());
        }
        match value.base10_digits().parse::<f64>() {
            Ok(number) if number.is_finite() => {
                ExprKind::Float(if negative { -number } else { number })
            }
            _ => {
                self.errors
                    .report(value.span(), messages::float_range(value.base10_digits()));
                ExprKind::Name(String::new())
            }
        }
    }

    /// Reports a pattern; `_` stands in for it, so that the `match` still covers what it did.
    fn strange(&mut self, span: Span, out: &mut Vec<Pattern>) {
        self.errors.report(span, messages::pattern());
        out.push(Pattern::Any);
    }

    /// Adds the alternatives of `pattern` to `out`.
    pub(super) fn patterns(&mut self, pattern: &syn::Pat, out: &mut Vec<Pattern>) {
        match pattern {
            syn::Pat::Or(or) => or.cases.iter().for_each(|case| self.patterns(case, out)),
            syn::Pat::Paren(paren) => self.patterns(&paren.pat, out),
            syn::Pat::Guard(guard) => {
                self.outside(guard.if_token.span, "a guard");
                self.patterns(&guard.pat, out);
            }
            syn::Pat::Wild(_) => out.push(Pattern::Any),
            syn::Pat::Lit(literal) => out.push(Pattern::Literal(self.literal(&literal.lit))),
            syn::Pat::Range(range) => match (&range.start, &range.end, &range.limits) {
                (Some(start), Some(end), syn::RangeLimits::Closed(_)) => {
                    let (start, end) = (self.expr(start), self.expr(end));
                    for bound in [&start, &end] {
                        let number = matches!(bound.kind, ExprKind::Int(_) | ExprKind::Float(_));
                        if !number && !is_placeholder(bound) {
                            self.errors.report(bound.span, messages::pattern());
                        }
                    }
                    out.push(Pattern::Range(start, end));
                }
                _ => self.strange(range.limits.span(), out),
            },
            other => self.strange(other.span(), out),
        }
    }
}
