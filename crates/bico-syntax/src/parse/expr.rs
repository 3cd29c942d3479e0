//! Expressions, read from tokens: what is outside the subset is an error on its token.

use super::reader::{Read, Reader};
use crate::expr::{BINARY, BinaryOp, COMPARISON, Cast, Expr, ExprKind, UnaryOp};
use crate::messages::{self, Message};
use proc_macro2::{Delimiter, Span, TokenTree};

/// Stands where an expression could not be read. Its type is unknown, so that it causes no other error.
pub(crate) fn placeholder(span: Span) -> Expr {
    Expr::new(ExprKind::Name(String::new()), span)
}

/// Whether `expr` is (or contains nothing but) a [`placeholder`].
pub(crate) fn is_placeholder(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Name(name) if name.is_empty())
}

/// How tightly an operator binds, and what it is here: `None` if it has no counterpart.
fn binary_operator(operator: &str) -> Option<(u8, Option<BinaryOp>)> {
    if let Some((op, _, strength, _)) = BINARY.iter().find(|row| row.1 == operator) {
        return Some((*strength, Some(*op)));
    }
    let strength = match operator {
        "<<" | ">>" => 7,
        "&" => 6,
        "^" => 5,
        "|" => 4,
        _ => return None,
    };
    Some((strength, None))
}

impl Reader<'_> {
    /// Reports a mistake, and gives what stands where an expression could not be read.
    pub(super) fn mistake(&mut self, span: Span, message: Message) -> ExprKind {
        self.report(span, message);
        ExprKind::Name(String::new())
    }

    pub(super) fn outside(&mut self, span: Span, what: &str) -> ExprKind {
        self.mistake(span, messages::outside_subset(what))
    }

    /// Reports something that has no counterpart here. What it holds, read since there were `known` errors, is of
    /// no interest.
    pub(super) fn stranger(&mut self, known: usize, span: Span, what: &str) -> ExprKind {
        self.errors.truncate(known);
        self.outside(span, what)
    }

    /// An expression and nothing behind it.
    pub(crate) fn whole(&mut self) -> Read<Expr> {
        let expr = self.expr(true)?;
        self.end()?;
        Ok(expr)
    }

    /// An expression. `structs`: whether braces may follow a name, which they may not before a block.
    pub(super) fn expr(&mut self, structs: bool) -> Read<Expr> {
        let (start, known) = (self.at, self.errors.len());
        let is_range = |operator: &str| operator == ".." || operator == "..=";
        let left = match is_range(&self.operator()) {
            true => None,
            false => Some(self.binary(1, structs)?),
        };
        let operator = self.operator();
        let assigns = operator.ends_with('=') && binary_operator(&operator).is_none();
        let kind = if is_range(&operator) {
            let limits = self.skip(operator.len());
            let right = match self.may_begin(structs) {
                true => Some(self.binary(1, structs)?),
                false => None,
            };
            match (left, right) {
                (Some(start), Some(end)) => ExprKind::Range {
                    start: Box::new(start),
                    end: Box::new(end),
                    inclusive: operator == "..=",
                },
                _ => self.mistake(limits, messages::open_range()),
            }
        } else if let (Some(left), false) = (left, assigns) {
            return Ok(left);
        } else {
            let span = self.skip(operator.len());
            self.expr(structs)?;
            if operator == "=" {
                self.errors.truncate(known);
            }
            self.mistake(span, messages::assignment())
        };
        Ok(Expr::new(kind, self.since(start)))
    }

    /// Whether the next token can be the first of an expression.
    pub(super) fn may_begin(&self, structs: bool) -> bool {
        match self.peek() {
            None => false,
            Some(TokenTree::Literal(_)) => true,
            Some(TokenTree::Group(group)) => structs || group.delimiter() != Delimiter::Brace,
            Some(TokenTree::Ident(word)) => word != "as" && word != "else",
            Some(TokenTree::Punct(punct)) => "-!*&|:<".contains(punct.as_char()),
        }
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8, structs: bool) -> Read<Expr> {
        let start = self.at;
        let mut left = self.unary(structs)?;
        loop {
            if self.take("as").is_some() {
                let kind = self.cast(left)?;
                left = Expr::new(kind, self.since(start));
                continue;
            }
            let operator = self.operator();
            let Some((level, op)) = binary_operator(&operator) else {
                return Ok(left);
            };
            if level < least {
                return Ok(left);
            }
            let span = self.skip(operator.len());
            let right = self.binary(level + 1, structs)?;
            let next = binary_operator(&self.operator());
            if level == COMPARISON && next.is_some_and(|(level, _)| level == COMPARISON) {
                let message = messages::syntax("comparison operators cannot be chained");
                return Err(self.broken(message));
            }
            let kind = match op {
                Some(op) => ExprKind::Binary(op, Box::new(left), Box::new(right)),
                None => self.outside(span, &format!("the operator `{operator}`")),
            };
            left = Expr::new(kind, self.since(start));
        }
    }

    fn cast(&mut self, value: Expr) -> Read<ExprKind> {
        let start = self.at;
        // A path, a type in brackets, or a reference to one of them.
        while self.sees("&") || self.sees("*") {
            self.skip(1);
        }
        if self.peek().is_none() {
            return Err(self.expected("a type"));
        }
        self.skip(1);
        while self.sees("::") {
            self.skip(3);
        }
        let target = match &self.trees[start..self.at] {
            [TokenTree::Ident(target)] => target.to_string(),
            _ => String::new(),
        };
        if self.sees("<") || self.sees("<<") {
            return Err(self.broken(messages::cast_then_less(&target)));
        }
        let target = match target.as_str() {
            "f64" => Cast::F64,
            "i64" => Cast::I64,
            _ => {
                let span = self.since(start);
                return Ok(self.mistake(span, messages::cast_target()));
            }
        };
        Ok(ExprKind::Cast(Box::new(value), target))
    }

    fn unary(&mut self, structs: bool) -> Read<Expr> {
        let (start, known) = (self.at, self.errors.len());
        let operator = self.operator();
        let kind = match operator.as_str() {
            "-" | "!" | "*" => {
                let span = self.skip(1);
                if let (Some(TokenTree::Literal(literal)), "-", false) =
                    (self.peek(), &*operator, self.is_called(self.at + 1))
                {
                    // The most negative number is in range only together with its sign.
                    self.skip(1);
                    let mut expr = self.literal(literal, true);
                    expr.span = self.since(start);
                    return Ok(expr);
                }
                let inner = self.unary(structs)?;
                match operator.as_str() {
                    "-" => ExprKind::Unary(UnaryOp::Neg, Box::new(inner)),
                    "!" => ExprKind::Unary(UnaryOp::Not, Box::new(inner)),
                    _ => self.outside(span, "dereferencing"),
                }
            }
            "&" | "&&" => {
                let span = self.skip(operator.len());
                self.take("mut");
                self.unary(structs)?;
                self.stranger(known, span, "a reference")
            }
            _ => return self.postfix(structs),
        };
        Ok(Expr::new(kind, self.since(start)))
    }

    /// Whether the token of this number calls what stands before it, indexes it, or asks for a field.
    fn is_called(&self, at: usize) -> bool {
        match self.trees.get(at) {
            Some(TokenTree::Punct(punct)) => {
                punct.as_char() == '?'
                    || punct.as_char() == '.' && punct.spacing() == proc_macro2::Spacing::Alone
            }
            Some(TokenTree::Group(group)) => {
                [Delimiter::Parenthesis, Delimiter::Bracket].contains(&group.delimiter())
            }
            _ => false,
        }
    }

    /// Calls, fields and indices behind something.
    fn postfix(&mut self, structs: bool) -> Read<Expr> {
        let (start, known) = (self.at, self.errors.len());
        let first = self.word().map(ToString::to_string);
        let mut expr = self.primary(structs)?;
        // The name itself, if nothing else stands there yet.
        let mut bare = first.filter(|_| self.at == start + 1 && !is_placeholder(&expr));
        while self.is_called(self.at) {
            let kind = match self.peek() {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
                    self.skip(1);
                    self.stranger(known, group.span_open(), "indexing")
                }
                Some(TokenTree::Group(group)) => {
                    let function = self.since(start);
                    self.skip(1);
                    self.errors.truncate(known);
                    self.call(bare.as_deref(), function, group)?
                }
                _ if self.sees("?") => {
                    let span = self.skip(1);
                    self.stranger(known, span, "`?`")
                }
                _ => {
                    self.skip(1);
                    let device = bare.take().is_some_and(|name| name == "device");
                    expr = self.member(expr, device, start, known)?;
                    continue;
                }
            };
            expr = Expr::new(kind, self.since(start));
            bare = None;
        }
        Ok(expr)
    }

    /// What follows a `.`: a call of a method, or else a field, whose place is its name. `device`: of `device` itself;
    /// the receiver began with token number `start`, when there were `known` errors.
    fn member(&mut self, receiver: Expr, device: bool, start: usize, known: usize) -> Read<Expr> {
        let (name, span) = match self.peek() {
            Some(TokenTree::Ident(name)) => (Some(name), name.span()),
            Some(TokenTree::Literal(index)) => (None, index.span()),
            _ => return Err(self.expected("identifier or integer")),
        };
        self.skip(1);
        let behind = self.at;
        if self.take("::").is_some() {
            self.angles()?;
        }
        let turbofish = (self.at > behind).then(|| self.since(behind));
        if let (Some(name), Some(group)) = (name, self.group(Delimiter::Parenthesis)) {
            self.skip(1);
            let kind = match turbofish {
                Some(span) => self.stranger(known, span, "a type argument"),
                None => self.method(receiver, device, name, group, known)?,
            };
            return Ok(Expr::new(kind, self.since(start)));
        }
        let kind = match name {
            Some(name) if device => ExprKind::Device(name.to_string()),
            _ => self.stranger(known, span, "a field of something other than `device`"),
        };
        Ok(Expr::new(kind, span))
    }
}
