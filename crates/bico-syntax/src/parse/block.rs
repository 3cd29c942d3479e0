//! `if`, `match` and `let` blocks: reading them, and the types of `match`.

use super::check::{Checker, Type};
use super::expr::placeholder;
use super::reader::{Read, Reader, inside};
use crate::expr::{Arm, Expr, ExprKind, Pattern};
use crate::messages;
use crate::spec::Name;
use proc_macro2::{Delimiter, Group, TokenTree};

/// What begins an item.
const ITEMS: [&str; 10] = [
    "fn", "struct", "const", "static", "use", "enum", "impl", "mod", "trait", "type",
];

impl Reader<'_> {
    fn braces(&mut self) -> Read<Expr> {
        let group = self.want_group(Delimiter::Brace, "curly braces")?;
        self.block(group)
    }

    pub(super) fn branch(&mut self) -> Read<ExprKind> {
        let span = self.skip(1);
        let condition = self.expr(false)?;
        let yes = self.braces()?;
        if self.take("else").is_none() {
            return Ok(self.mistake(span, messages::if_without_else()));
        }
        let start = self.at;
        let no = match self.word() {
            Some(word) if word == "if" => {
                let kind = self.branch()?;
                Expr::new(kind, self.since(start))
            }
            _ => self.braces()?,
        };
        let [condition, yes, no] = [condition, yes, no].map(Box::new);
        Ok(ExprKind::If(condition, yes, no))
    }

    pub(super) fn matching(&mut self) -> Read<ExprKind> {
        self.skip(1);
        let value = self.expr(false)?;
        let group = self.want_group(Delimiter::Brace, "curly braces")?;
        let arms = self.within(&inside(group), |inner| {
            let mut arms = Vec::new();
            while !inner.is_over() {
                arms.push(inner.arm()?);
            }
            Ok(arms)
        })?;
        Ok(ExprKind::Match(Box::new(value), arms))
    }

    fn arm(&mut self) -> Read<Arm> {
        let known = self.errors.len();
        let mut patterns = Vec::new();
        self.patterns(&mut patterns)?;
        if let Some(span) = self.take("if") {
            let before = self.errors.len();
            self.expr(true)?;
            self.errors.truncate(before);
            self.outside(span, "a guard");
            self.errors.rotate(known, before);
        }
        self.want("=>")?;
        let braces = self.group(Delimiter::Brace).is_some();
        let value = match braces && !self.goes_on(self.at + 1) {
            true => self.braces()?,
            false => self.expr(true)?,
        };
        if self.take(",").is_none() && !self.is_over() && !braces {
            return Err(self.expected("`,`"));
        }
        Ok(Arm { patterns, value })
    }

    /// Whether the token of this number goes on with an expression that could end before it.
    fn goes_on(&self, at: usize) -> bool {
        matches!(self.trees.get(at), Some(TokenTree::Punct(punct)) if ".?".contains(punct.as_char()))
    }

    pub(super) fn block(&mut self, group: &Group) -> Read<Expr> {
        let mut lets = Vec::new();
        let value = self.within(&inside(group), |inner| inner.statements(&mut lets))?;
        let Some(value) = value else {
            self.report(group.span_close(), messages::block_without_value());
            return Ok(placeholder(group.span()));
        };
        Ok(match lets.is_empty() {
            true => value,
            false => Expr::new(ExprKind::Block(lets, Box::new(value)), group.span()),
        })
    }

    fn statements(&mut self, lets: &mut Vec<(String, Expr)>) -> Read<Option<Expr>> {
        while !self.is_over() {
            if self.take(";").is_some() {
                continue;
            }
            if self.take("let").is_some() {
                lets.extend(self.local()?);
                continue;
            }
            let (start, known) = (self.at, self.errors.len());
            let word = self.word().map(ToString::to_string).unwrap_or_default();
            if ITEMS.contains(&&*word) {
                self.skip_until(&|next| next.sees(";") || next.group(Delimiter::Brace).is_some());
                self.skip(1);
                let span = self.since(start);
                self.outside(span, "this statement");
                continue;
            }
            let braces = ["if", "match", "unsafe", "loop", "while", "for"].contains(&&*word)
                || self.group(Delimiter::Brace).is_some();
            let value = self.expr(true)?;
            if self.is_over() {
                return Ok(Some(value));
            }
            if self.take(";").is_none() && !braces {
                return Err(self.expected("`;`"));
            }
            // What would have an effect, such as `x += 1`, is reported as what it is.
            if self.errors.len() == known {
                self.outside(value.span, "a statement without effect");
            }
        }
        Ok(None)
    }

    /// What follows `let`, up to its `;`.
    fn local(&mut self) -> Read<Option<(String, Expr)>> {
        let mutable = self.take("mut");
        let (start, word) = (self.at, self.word());
        self.skip_until(&|next| [";", "=", ":"].contains(&&*next.operator()));
        if self.at == start {
            return Err(self.expected("identifier"));
        }
        let pattern = self.since(start);
        let plain = self.at == start + 1;
        let kind = self.take(":").map(|_| {
            let start = self.at;
            self.skip_until(&|next| [";", "="].contains(&&*next.operator()));
            self.since(start)
        });
        let value = self.take("=").map(|_| self.expr(true)).transpose()?;
        if let Some(span) = self.take("else") {
            self.skip(1);
            self.outside(span, "`let .. else`");
        }
        self.want(";")?;
        if let Some(span) = kind {
            self.outside(span, "the type of a `let`");
        }
        if let Some(span) = mutable.filter(|_| plain) {
            self.outside(span, "`mut`");
        }
        let Some(word) = word.filter(|_| plain) else {
            self.outside(pattern, "a `let` of anything but a name");
            return Ok(None);
        };
        let (name, span) = (word.to_string(), word.span());
        // In Rust an upper-case name would be compared with a `const` of that name, not bound.
        if name.starts_with("r#") || name.chars().any(|c| c.is_uppercase()) || name == "device" {
            self.report(span, messages::let_name(&name));
            return Ok(Some((name, placeholder(span))));
        }
        self.lets.push(Name::new(&name, span));
        let value = value.unwrap_or_else(|| {
            self.outside(span, "a `let` without a value");
            placeholder(span)
        });
        Ok(Some((name, value)))
    }
}

impl Checker<'_> {
    pub(super) fn matching(&mut self, expr: &Expr, value: &Expr, arms: &[Arm]) -> Type {
        let scrutinee = self.check(value);
        if let Type::List(_) = scrutinee {
            self.report(value.span, messages::list_operand("`match`", value));
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
            self.report(expr.span, messages::match_incomplete());
        }
        result.map_or(Type::Unknown, |(_, kind)| kind)
    }

    pub(super) fn pattern(&mut self, literal: &Expr, scrutinee: &Type, value: &Expr) {
        let kind = self.check(literal);
        if kind.unify(scrutinee).is_none() && !matches!(scrutinee, Type::List(_)) {
            let message = messages::mixed("`match`", value, scrutinee, literal, &kind);
            self.report(literal.span, message);
        }
    }
}
