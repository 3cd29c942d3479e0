//! What expressions are made of: literals, names, groups, what begins with a word, and calls.

use super::expr::is_placeholder;
use super::reader::{Read, Reader, inside, is_keyword, is_punct};
use crate::expr::{Expr, ExprKind, Method};
use crate::messages;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenTree};

impl Reader<'_> {
    pub(super) fn primary(&mut self, structs: bool) -> Read<Expr> {
        let start = self.at;
        let kind = match self.peek() {
            Some(TokenTree::Literal(literal)) => {
                self.skip(1);
                return Ok(self.literal(literal, false));
            }
            Some(TokenTree::Group(group)) => {
                self.skip(1);
                return self.grouped(group);
            }
            Some(TokenTree::Ident(word)) => self.worded(word, structs)?,
            Some(TokenTree::Punct(_)) if self.sees("::") => self.path(structs),
            Some(tree) if is_punct(tree, '|') => self.closure()?,
            _ => return Err(self.expected("an expression")),
        };
        Ok(Expr::new(kind, self.since(start)))
    }

    fn grouped(&mut self, group: &Group) -> Read<Expr> {
        let trees = inside(group);
        let comma = trees.iter().any(|tree| is_punct(tree, ','));
        let kind = match group.delimiter() {
            Delimiter::Brace => return self.block(group),
            Delimiter::None => return self.within(&trees, |inner| inner.expr(true)),
            Delimiter::Parenthesis if trees.is_empty() || comma => {
                self.outside(group.span_open(), "a tuple")
            }
            Delimiter::Parenthesis => self.within(&trees, |inner| inner.expr(true))?.kind,
            Delimiter::Bracket => match trees.iter().find(|tree| is_punct(tree, ';')) {
                Some(semicolon) => self.outside(semicolon.span(), "a repeated value"),
                None => ExprKind::List(self.items(&trees)?),
            },
        };
        Ok(Expr::new(kind, group.span()))
    }

    /// Expressions between commas.
    pub(super) fn items(&mut self, trees: &[TokenTree]) -> Read<Vec<Expr>> {
        self.within(trees, |inner| {
            let mut items = Vec::new();
            while !inner.is_over() {
                items.push(inner.expr(true)?);
                if !inner.is_over() {
                    inner.want(",")?;
                }
            }
            Ok(items)
        })
    }

    /// What begins with a word.
    fn worded(&mut self, word: &Ident, structs: bool) -> Read<ExprKind> {
        let (span, known) = (word.span(), self.errors.len());
        let text = word.to_string();
        match text.as_str() {
            "true" | "false" => {
                self.skip(1);
                return Ok(ExprKind::Bool(text == "true"));
            }
            "if" => return self.branch(),
            "match" => return self.matching(),
            "self" | "Self" | "super" | "crate" => return Ok(self.path(structs)),
            "move" => {
                self.skip(1);
                return self.closure();
            }
            "let" => {
                self.skip(1);
                self.skip_until(&|next| next.group(Delimiter::Brace).is_some());
            }
            "unsafe" | "loop" | "while" | "for" => {
                self.skip_until(&|next| next.group(Delimiter::Brace).is_some());
                self.skip(1);
            }
            "return" | "break" => {
                self.skip(1);
                if self.may_begin(structs) {
                    self.expr(structs)?;
                }
            }
            _ if is_keyword(&text) => return Err(self.expected("an expression")),
            _ => return Ok(self.path(structs)),
        }
        let what = match text.as_str() {
            "let" => "`if let`",
            "unsafe" => "`unsafe`",
            "return" => "`return`",
            "break" => "this expression",
            _ => "a loop",
        };
        Ok(self.stranger(known, span, what))
    }

    /// A name, or what begins with a path.
    fn path(&mut self, structs: bool) -> ExprKind {
        let start = self.at;
        let first = self.word();
        self.skip(if first.is_some() { 1 } else { 0 });
        while self.sees("::") {
            self.skip(2);
            match self.sees("<") {
                true => drop(self.angles()),
                false => drop(self.skip(1)),
            }
        }
        let span = self.since(start);
        let plain = self.at == start + 1;
        if self.sees("!") && matches!(self.trees.get(self.at + 1), Some(TokenTree::Group(_))) {
            self.skip(2);
            return self.outside(span, "a macro call");
        }
        if structs && self.group(Delimiter::Brace).is_some() {
            self.skip(1);
            return self.outside(span, "a struct");
        }
        let Some(word) = first.filter(|_| plain) else {
            return self.outside(span, "a path");
        };
        let name = word.to_string();
        let strange = ["self", "Self", "super", "crate"].contains(&name.as_str());
        match name.starts_with("r#") || strange {
            true => self.outside(span, &format!("`{name}`")),
            false => ExprKind::Name(name),
        }
    }

    fn closure(&mut self) -> Read<ExprKind> {
        let (known, operator) = (self.errors.len(), self.operator());
        let bars = if operator == "||" { 2 } else { 1 };
        let span = self.skip(1);
        self.skip(bars - 1);
        if bars == 1 {
            self.skip_until(&|next| next.peek().is_some_and(|tree| is_punct(tree, '|')));
            self.skip(1);
        }
        if self.take("->").is_some() {
            self.skip(1);
        }
        self.expr(true)?;
        Ok(self.stranger(known, span, "a closure"))
    }

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
