//! A place in a list of tokens, from which the parser reads on.

use crate::Lists;
use crate::errors::Errors;
use crate::messages::{self, Message};
use crate::spec::Name;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenTree};

/// Reads tokens one by one. What is readable but wrong goes to `errors`; what is not ends the reading.
pub(crate) struct Reader<'a> {
    pub(super) trees: &'a [TokenTree],
    pub(super) at: usize,
    pub(super) errors: &'a mut Errors,
    /// Every `let` that was met: whether its name is free is for the caller to say.
    pub(super) lets: &'a mut Vec<Name>,
}

/// A syntax error. Without a place: the tokens were over.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) span: Option<Span>,
    pub(crate) message: Message,
}

pub(crate) type Read<T> = Result<T, Broken>;

/// Operators of more than one character, the longer ones first.
const OPERATORS: [&str; 25] = [
    "<<=", ">>=", "..=", "...", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "^=", "&=", "|=", "<<", ">>", "..", "::", "->", "=",
];

/// All from `first` to `last` where the compiler can join places, else `first`.
pub(crate) fn joined(first: Span, last: Span) -> Span {
    first.join(last).unwrap_or(first)
}

/// The place where a token begins: of a group its opening delimiter.
pub(crate) fn first_span(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) if group.delimiter() != Delimiter::None => group.span_open(),
        _ => tree.span(),
    }
}

/// The place where a token ends: of a group its closing delimiter.
pub(crate) fn last_span(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) if group.delimiter() != Delimiter::None => group.span_close(),
        _ => tree.span(),
    }
}

/// Whether this token is this character.
pub(crate) fn is_punct(tree: &TokenTree, c: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == c)
}

/// The tokens inside of a group.
pub(crate) fn inside(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect_vec()
}

/// Whether this word is one of Rust's own.
pub(crate) fn is_keyword(word: &str) -> bool {
    const KEYWORDS: &str = " _ abstract as async await become box break const continue crate do dyn else enum extern \
        false final fn for if impl in let loop macro match mod move mut override priv pub ref return Self self static \
        struct super trait true try type typeof unsafe unsized use virtual where while yield ";
    KEYWORDS.contains(&format!(" {word} "))
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        trees: &'a [TokenTree],
        errors: &'a mut Errors,
        lets: &'a mut Vec<Name>,
    ) -> Self {
        Reader {
            trees,
            at: 0,
            errors,
            lets,
        }
    }

    /// Reads all of `trees`, the inside of a group, by `read`.
    pub(super) fn within<T>(
        &mut self,
        trees: &[TokenTree],
        read: impl FnOnce(&mut Reader<'_>) -> Read<T>,
    ) -> Read<T> {
        let mut reader = Reader::new(trees, self.errors, self.lets);
        let value = read(&mut reader)?;
        reader.end()?;
        Ok(value)
    }

    pub(super) fn report(&mut self, span: Span, message: Message) {
        self.errors.report(span, message);
    }

    pub(super) fn peek(&self) -> Option<&'a TokenTree> {
        self.trees.get(self.at)
    }

    pub(super) fn is_over(&self) -> bool {
        self.at >= self.trees.len()
    }

    /// The word that comes next.
    pub(super) fn word(&self) -> Option<&'a Ident> {
        match self.peek() {
            Some(TokenTree::Ident(word)) => Some(word),
            _ => None,
        }
    }

    /// The group with this delimiter that comes next.
    pub(super) fn group(&self, delimiter: Delimiter) -> Option<&'a Group> {
        match self.peek() {
            Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
            _ => None,
        }
    }

    /// Goes on behind a group with this delimiter; anything else is an error, which calls it `what`.
    pub(super) fn want_group(&mut self, delimiter: Delimiter, what: &str) -> Read<&'a Group> {
        let group = self.group(delimiter).ok_or_else(|| self.expected(what))?;
        self.skip(1);
        Ok(group)
    }

    /// The operator that comes next, as long as it can be; empty if there is none.
    pub(super) fn operator(&self) -> String {
        let mut glued = String::new();
        for tree in self.trees[self.at.min(self.trees.len())..].iter().take(3) {
            let TokenTree::Punct(punct) = tree else { break };
            glued.push(punct.as_char());
            if punct.spacing() == proc_macro2::Spacing::Alone {
                break;
            }
        }
        let known = OPERATORS.iter().find(|known| glued.starts_with(**known));
        let length = known.map_or(1, |known| known.len());
        glued.truncate(length);
        glued
    }

    /// Whether this operator comes next.
    pub(super) fn sees(&self, operator: &str) -> bool {
        self.operator() == operator
    }

    /// Goes on by `count` tokens, and says where they are.
    pub(super) fn skip(&mut self, count: usize) -> Span {
        let start = self.at;
        self.at = (start + count).min(self.trees.len());
        self.since(start)
    }

    /// Goes on until something comes next that ends it.
    pub(super) fn skip_until(&mut self, ends: &dyn Fn(&Self) -> bool) {
        while !self.is_over() && !ends(self) {
            self.skip(1);
        }
    }

    /// Goes on if this operator or word comes next.
    pub(super) fn take(&mut self, what: &str) -> Option<Span> {
        let word = self.word().is_some_and(|word| word == what);
        match word || self.operator() == what {
            true => Some(self.skip(if word { 1 } else { what.len() })),
            false => None,
        }
    }

    /// Goes on behind this operator or word; anything else is an error.
    pub(super) fn want(&mut self, what: &str) -> Read<Span> {
        let missing = self.expected(&format!("`{what}`"));
        self.take(what).ok_or(missing)
    }

    /// The place of the tokens from number `start` to here.
    pub(super) fn since(&self, start: usize) -> Span {
        match (self.trees.get(start), self.trees.get(self.at.max(1) - 1)) {
            (Some(first), Some(last)) => joined(first.span(), last.span()),
            _ => Span::call_site(),
        }
    }

    /// That something else comes next than should.
    pub(super) fn expected(&self, what: &str) -> Broken {
        let message = match self.peek() {
            None if !what.starts_with('`') => format!("unexpected end of input, expected {what}"),
            _ => format!("expected {what}"),
        };
        self.broken(messages::syntax(&message))
    }

    /// That what comes next cannot stand there.
    pub(super) fn broken(&self, message: Message) -> Broken {
        let span = self.peek().map(first_span);
        Broken { span, message }
    }

    pub(super) fn end(&self) -> Read<()> {
        match self.is_over() {
            true => Ok(()),
            false => Err(self.expected("`,`")),
        }
    }

    /// Goes on behind the `>` that closes the `<` which comes next.
    pub(super) fn angles(&mut self) -> Read<()> {
        let mut depth = 0;
        let mut arrow = false;
        while let Some(tree) = self.peek() {
            self.at += 1;
            let TokenTree::Punct(punct) = tree else {
                continue;
            };
            match punct.as_char() {
                '<' => depth += 1,
                '>' if !arrow => depth -= 1,
                _ => {}
            }
            arrow = punct.as_char() == '-';
            if depth == 0 {
                return Ok(());
            }
        }
        Err(self.expected("`,`"))
    }
}

/// The parts of `trees` between commas that stand outside of groups and of `<..>`.
pub(crate) fn list(trees: &[TokenTree]) -> Vec<&[TokenTree]> {
    let (mut parts, mut start, mut depth, mut arrow) = (Vec::new(), 0, 0_usize, false);
    for (at, tree) in trees.iter().enumerate() {
        let c = match tree {
            TokenTree::Punct(punct) => punct.as_char(),
            _ => ' ',
        };
        match c {
            '<' => depth += 1,
            '>' if !arrow => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&trees[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        arrow = c == '-';
    }
    if start < trees.len() {
        parts.push(&trees[start..]);
    }
    parts
}
