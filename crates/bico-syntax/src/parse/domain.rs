//! Lists and ranges.

use super::check::Checker;
use super::reader::Reader;
use super::types::Type;
use crate::expr::{Expr, ExprKind};
use crate::fingerprint::same;
use crate::messages;
use proc_macro2::Span;

impl Reader<'_> {
    pub(super) fn range(
        &mut self,
        start: Option<Expr>,
        end: Option<Expr>,
        inclusive: bool,
        limits: Span,
    ) -> ExprKind {
        match (start, end) {
            (Some(start), Some(end)) => ExprKind::Range {
                start: Box::new(start),
                end: Box::new(end),
                inclusive,
            },
            _ => {
                self.report(limits, messages::open_range());
                ExprKind::Name(String::new())
            }
        }
    }
}

impl Checker<'_> {
    pub(super) fn list(&mut self, items: &[Expr]) -> Type {
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
                    let first = (first.unwrap_or(item), &kind);
                    self.report(item.span, messages::mixed("a list", first, (item, &found)));
                }
            }
            first = first.or(Some(item));
            if found != Type::Unknown && items.iter().take(index).any(|before| same(before, item)) {
                self.report(item.span, messages::repeated_value(item));
            }
        }
        Type::List(Box::new(kind))
    }

    pub(super) fn range(&mut self, expr: &Expr, start: &Expr, end: &Expr) -> Type {
        // `1..=32.step_by(8)` calls the method on 32: that has been reported.
        self.integer(start, "a range");
        self.integer(end, "a range");
        let ExprKind::Range { inclusive, .. } = expr.kind else {
            return Type::Unknown;
        };
        self.order(start, end, inclusive);
        Type::List(Box::new(Type::Int))
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
}
