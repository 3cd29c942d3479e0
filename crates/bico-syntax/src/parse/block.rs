//! `if`, `match` and `let` blocks: reading them, and the types of `match`.

use super::check::Checker;
use super::expr::{Lowering, placeholder};
use super::types::Type;
use crate::expr::{Arm, Expr, ExprKind, Pattern};
use crate::messages;
use crate::spec::Name;
use syn::spanned::Spanned;

impl Lowering<'_> {
    pub(super) fn branch(&mut self, branch: &syn::ExprIf) -> ExprKind {
        let condition = self.boxed(&branch.cond);
        let yes = Box::new(self.block(&branch.then_branch));
        match &branch.else_branch {
            Some((_, no)) => ExprKind::If(condition, yes, self.boxed(no)),
            None => {
                self.errors
                    .report(branch.if_token.span, messages::if_without_else());
                ExprKind::Name(String::new())
            }
        }
    }

    pub(super) fn matching(&mut self, of: &syn::ExprMatch) -> ExprKind {
        let value = self.boxed(&of.expr);
        let mut arms = Vec::new();
        for arm in &of.arms {
            let mut patterns = Vec::new();
            self.patterns(&arm.pat, &mut patterns);
            arms.push(Arm {
                patterns,
                value: self.expr(&arm.body),
            });
        }
        ExprKind::Match(value, arms)
    }

    pub(super) fn block(&mut self, block: &syn::Block) -> Expr {
        let span = block.span();
        let mut lets = Vec::new();
        let mut value = None;
        for (index, statement) in block.stmts.iter().enumerate() {
            match statement {
                syn::Stmt::Local(local) => lets.extend(self.local(local)),
                syn::Stmt::Expr(expr, None) if index + 1 == block.stmts.len() => {
                    value = Some(self.expr(expr))
                }
                syn::Stmt::Expr(expr, _) => {
                    // What would have an effect, such as `x += 1`, is reported as what it is.
                    let known = self.errors.len();
                    self.expr(expr);
                    if self.errors.len() == known {
                        self.outside(expr.span(), "a statement without effect");
                    }
                }
                other => {
                    self.outside(other.span(), "this statement");
                }
            }
        }
        let Some(value) = value else {
            self.errors.report(
                block.brace_token.span.close(),
                messages::block_without_value(),
            );
            return placeholder(span);
        };
        if lets.is_empty() {
            value
        } else {
            Expr {
                kind: ExprKind::Block(lets, Box::new(value)),
                span,
            }
        }
    }

    pub(super) fn local(&mut self, local: &syn::Local) -> Option<(String, Expr)> {
        let init = local.init.as_ref();
        let value = init.map(|init| self.expr(&init.expr));
        if let Some((token, _)) = init.and_then(|init| init.diverge.as_ref()) {
            self.outside(token.span, "`let .. else`");
        }
        let pattern = match &local.pat {
            syn::Pat::Type(typed) => {
                self.outside(typed.ty.span(), "the type of a `let`");
                &*typed.pat
            }
            pattern => pattern,
        };
        let ident = match pattern {
            syn::Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
                if let Some(token) = &pattern.mutability {
                    self.outside(token.span, "`mut`");
                }
                &pattern.ident
            }
            other => {
                self.outside(other.span(), "a `let` of anything but a name");
                return None;
            }
        };
        let name = ident.to_string();
        // In Rust an upper-case name would be compared with a `const` of that name, not bound.
        if name.starts_with("r#") || name.chars().any(|c| c.is_uppercase()) || name == "device" {
            self.errors.report(ident.span(), messages::let_name(&name));
            return Some((name, placeholder(ident.span())));
        }
        self.lets.push(Name {
            text: name.clone(),
            span: ident.span(),
        });
        match value {
            Some(value) => Some((name, value)),
            None => {
                self.outside(ident.span(), "a `let` without a value");
                Some((name, placeholder(ident.span())))
            }
        }
    }
}

impl Checker<'_> {
    pub(super) fn matching(&mut self, expr: &Expr, value: &Expr, arms: &[Arm]) -> Type {
        let scrutinee = self.check(value);
        if let Type::List(_) = scrutinee {
            self.context
                .errors
                .report(value.span, messages::list_operand("`match`", value));
        }
        let mut result: Option<(&Expr, Type)> = None;
        let (mut complete, mut seen) = (false, [false; 2]);
        for arm in arms {
            for pattern in &arm.patterns {
                match pattern {
                    Pattern::Any => complete = true,
                    Pattern::Literal(literal) => {
                        if let ExprKind::Bool(value) = literal.kind {
                            seen[usize::from(value)] = true;
                        }
                        self.pattern(literal, &scrutinee, value);
                    }
                    Pattern::Range(start, end) => {
                        self.pattern(start, &scrutinee, value);
                        self.pattern(end, &scrutinee, value);
                        self.order(start, end, true);
                    }
                }
            }
            let kind = self.check(&arm.value);
            result = Some(match result.take() {
                None => (&arm.value, kind),
                Some((first, known)) => (first, self.branches((first, known), (&arm.value, kind))),
            });
        }
        if !complete && seen != [true; 2] {
            self.context
                .errors
                .report(expr.span, messages::match_incomplete());
        }
        result.map_or(Type::Unknown, |(_, kind)| kind)
    }

    pub(super) fn pattern(&mut self, literal: &Expr, scrutinee: &Type, value: &Expr) {
        let kind = self.check(literal);
        if kind.unify(scrutinee).is_none() && !matches!(scrutinee, Type::List(_)) {
            self.context.errors.report(
                literal.span,
                messages::mixed("`match`", (value, scrutinee), (literal, &kind)),
            );
        }
    }
}
