//! Literals and the patterns made of them.

use super::expr::is_placeholder;
use super::reader::{Read, Reader, inside, list};
use crate::expr::{Expr, ExprKind, Pattern, UnaryOp};
use crate::messages;
use proc_macro2::{Delimiter, Literal, Span, TokenTree};

impl Reader<'_> {
    /// The value of a literal, with a `-` before it if it is negative.
    pub(super) fn literal(&mut self, literal: &Literal, negative: bool) -> Expr {
        let (span, text) = (literal.span(), literal.to_string());
        let digits = text.trim_start_matches('-');
        let kind = if digits.starts_with(|c: char| c.is_ascii_digit()) {
            self.number(digits, span, negative || text.starts_with('-'))
        } else {
            match string(&text) {
                // Strings end up in files and on command lines.
                Some(text) if text.chars().any(char::is_control) => {
                    self.mistake(span, messages::control_character())
                }
                Some(text) if negative => {
                    let text = Expr::new(ExprKind::Str(text), span);
                    ExprKind::Unary(UnaryOp::Neg, Box::new(text))
                }
                Some(text) => ExprKind::Str(text),
                None => self.outside(span, "this literal"),
            }
        };
        Expr::new(kind, span)
    }

    fn number(&mut self, text: &str, span: Span, negative: bool) -> ExprKind {
        let text = text.replace('_', "");
        let (radix, body) = match text.get(..2) {
            Some("0x") => (16, &text[2..]),
            Some("0o") => (8, &text[2..]),
            Some("0b") => (2, &text[2..]),
            _ => (10, &*text),
        };
        let sign = if negative { "-" } else { "" };
        let other = |c: char| !c.is_digit(radix);
        let whole = body.find(other).unwrap_or(body.len());
        if radix == 10 && body[whole..].starts_with(['.', 'e', 'E']) {
            let other = |c: char| !c.is_ascii_digit() && !"+-.eE".contains(c);
            let (digits, suffix) = body.split_at(body.find(other).unwrap_or(body.len()));
            if !matches!(suffix, "" | "f64") {
                return self.mistake(span, messages::suffix(suffix, digits));
            }
            return match format!("{sign}{digits}").parse::<f64>() {
                Ok(number) if number.is_finite() => ExprKind::Float(number),
                _ => self.mistake(span, messages::float_range(digits)),
            };
        }
        let (digits, suffix) = body.split_at(whole);
        let digits = match u128::from_str_radix(digits, radix) {
            Ok(value) => value.to_string(),
            Err(_) => digits.to_string(),
        };
        let signed = format!("{sign}{digits}");
        match suffix {
            "" | "i64" => match signed.parse() {
                Ok(number) => ExprKind::Int(number),
                Err(_) => self.mistake(span, messages::integer_range(&signed)),
            },
            "f64" => match signed.parse() {
                Ok(number) => ExprKind::Float(number),
                Err(_) => self.mistake(span, messages::float_range(&signed)),
            },
            suffix => self.mistake(span, messages::suffix(suffix, &digits)),
        }
    }

    /// Reports a pattern; `_` stands in for it, so that the `match` still covers what it did.
    fn strange(&mut self, span: Span, out: &mut Vec<Pattern>) {
        self.report(span, messages::pattern());
        out.push(Pattern::Any);
    }

    /// Adds the alternatives that stand before `if` or `=>` to `out`.
    pub(super) fn patterns(&mut self, out: &mut Vec<Pattern>) -> Read<()> {
        self.take("|");
        self.pattern(out)?;
        while self.take("|").is_some() {
            self.pattern(out)?;
        }
        Ok(())
    }

    fn pattern(&mut self, out: &mut Vec<Pattern>) -> Read<()> {
        let start = self.at;
        if let Some(group) = self.group(Delimiter::Parenthesis) {
            let trees = inside(group);
            if list(&trees).len() == 1 {
                self.skip(1);
                return self.within(&trees, |inner| inner.patterns(out));
            }
        }
        if self.take("_").is_some() {
            out.push(Pattern::Any);
            return Ok(());
        }
        let Some(low) = self.bound() else {
            // Anything else: up to what ends a pattern.
            self.skip_until(&|next| {
                ["|", "=>"].contains(&&*next.operator())
                    || next.word().is_some_and(|word| word == "if")
            });
            if self.at == start {
                return Err(self.expected("a pattern"));
            }
            let span = self.since(start);
            self.strange(span, out);
            return Ok(());
        };
        let operator = self.operator();
        if operator != "..=" && operator != ".." {
            out.push(Pattern::Literal(low));
            return Ok(());
        }
        let limits = self.skip(operator.len());
        match self.bound() {
            Some(high) if operator == "..=" => {
                for bound in [&low, &high] {
                    if bound.number().is_none() && !is_placeholder(bound) {
                        self.report(bound.span, messages::pattern());
                    }
                }
                out.push(Pattern::Range(low, high));
            }
            _ => self.strange(limits, out),
        }
        Ok(())
    }

    /// A literal of a pattern, possibly negative.
    fn bound(&mut self) -> Option<Expr> {
        let start = self.at;
        let minus = self.take("-").is_some();
        match self.peek() {
            Some(TokenTree::Literal(literal)) => {
                self.skip(1);
                let literal = self.literal(literal, minus);
                let span = self.since(start);
                Some(Expr { span, ..literal })
            }
            Some(TokenTree::Ident(word)) if !minus && (word == "true" || word == "false") => {
                self.skip(1);
                Some(Expr::new(ExprKind::Bool(word == "true"), word.span()))
            }
            _ => {
                self.at = start;
                None
            }
        }
    }
}

/// The text of a string literal, as it is written; `None` for any other literal.
pub fn string(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        let inner = raw.trim_start_matches('#');
        let marks = raw.len() - inner.len();
        let inner = inner.strip_prefix('"')?;
        let end = inner.len().checked_sub(marks + 1)?;
        return inner.get(..end).map(str::to_string);
    }
    let mut text = String::new();
    let mut rest = literal.strip_prefix('"')?.strip_suffix('"')?.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        text.push(match rest.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            'x' => {
                let digits = rest.as_str().get(..2)?;
                rest.nth(1);
                char::from(u8::from_str_radix(digits, 16).ok()?)
            }
            'u' => {
                let (digits, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
                rest = after.chars();
                char::from_u32(u32::from_str_radix(&digits.replace('_', ""), 16).ok()?)?
            }
            // A line that goes on in the next one.
            '\n' | '\r' => {
                rest = rest.as_str().trim_start().chars();
                continue;
            }
            other => other,
        });
    }
    Some(text)
}
