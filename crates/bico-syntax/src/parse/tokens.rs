//! Token streams, cut at commas before anything in them is read, so that one broken option hides no other.

use super::reader::{first_span, is_keyword, is_punct, last_span};
use crate::Lists;
use crate::errors::{Errors, Extent};
use crate::messages;
use crate::spec::Name;
use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};
use std::ops::Range;

/// What stands between two commas. Never empty.
#[derive(Clone)]
pub(crate) struct Tokens {
    pub(crate) trees: Vec<TokenTree>,
    /// The place of an error at the end.
    pub(crate) last: Span,
}

impl Tokens {
    fn new(trees: Vec<TokenTree>) -> Option<Self> {
        let last = last_span(trees.last()?);
        Some(Tokens { trees, last })
    }

    /// All of `stream`; `None` if it is empty.
    pub(crate) fn from_stream(stream: TokenStream) -> Option<Self> {
        Self::new(stream.into_iter().collect_vec())
    }

    /// The first token.
    pub(crate) fn span(&self) -> Span {
        self.trees.first().map_or(self.last, first_span)
    }

    /// From the first token to the last one.
    pub(crate) fn whole(&self) -> Extent {
        Extent::new(self.span(), self.last)
    }

    /// The only token, if it is a word.
    pub(crate) fn word(&self) -> Option<String> {
        match self.trees.as_slice() {
            [TokenTree::Ident(word)] => Some(word.to_string()),
            _ => None,
        }
    }

    /// Where these bytes of `text`, the only string, are in the source: known of a string without escapes, to a build script
    /// and to compilers that tell macros.
    pub(crate) fn letters(&self, text: &str, range: &Range<usize>) -> Option<Span> {
        let [TokenTree::Literal(literal)] = self.trees.as_slice() else {
            return None;
        };
        let written = literal.to_string();
        let start = written.find('"')? + 1;
        if !written[start..].starts_with(text) {
            return None;
        }
        let (from, to) = (start + range.start, start + range.end.max(range.start + 1));
        // A compiler counts bytes, its stand-in letters.
        let count = |end: usize| match cfg!(feature = "span-locations") {
            true => written.get(..end).map(|before| before.chars().count()),
            false => Some(end),
        };
        literal.subspan(count(from)?..count(to)?)
    }
}

/// The parts between the top-level commas of `stream`. A trailing comma is fine, a doubled one is not.
pub(crate) fn split(stream: TokenStream, errors: &mut Errors) -> Vec<Tokens> {
    let mut parts = Vec::new();
    let mut current = Vec::new();
    for tree in stream {
        if !is_punct(&tree, ',') {
            current.push(tree);
            continue;
        }
        match Tokens::new(std::mem::take(&mut current)) {
            Some(part) => parts.push(part),
            None => errors.report(tree.span(), messages::stray_comma()),
        }
    }
    parts.extend(Tokens::new(current));
    parts
}

/// One entry of an option list: `name = ..`, `name(..)`, `NAME in ..`, `const NAME = ..`, `NAME: ..`.
pub(crate) struct Entry {
    pub(crate) name: Name,
    /// Whether `const` stands before the name.
    pub(crate) constant: bool,
    pub(crate) value: Value,
}

/// What follows the name of an [`Entry`].
#[derive(Clone)]
pub(crate) enum Value {
    /// `= tokens`
    Assigned(Tokens),
    /// `in tokens`
    In(Tokens),
    /// `: tokens`
    Typed(Tokens),
    /// `( .. )`
    Called(Group),
    /// It could not be read, which has been reported.
    Broken,
}

/// Reads `tokens` as an entry; `example` is what a well-formed one looks like there.
pub(crate) fn entry(tokens: &Tokens, example: &str, errors: &mut Errors) -> Option<Entry> {
    let mut trees = tokens.trees.as_slice();
    // Attributes have been reported: what they stand on is read as if they were not there.
    while let [mark, rest @ ..] = trees
        && is_punct(mark, '#')
    {
        trees = rest.get(1..).unwrap_or_default();
    }
    let constant = matches!(trees, [TokenTree::Ident(word), ..] if word == "const");
    let trees = &trees[usize::from(constant)..];
    let [TokenTree::Ident(name), rest @ ..] = trees else {
        let place = trees.first().map_or(tokens.last, first_span);
        errors.report(place, messages::expected_entry(example));
        return None;
    };
    let name = Name::new(name, name.span());
    let (fault, value) = match rest {
        [] => {
            let message = messages::expected_value(&name.text, example);
            (Some((name.span, message)), Value::Broken)
        }
        [TokenTree::Group(group), more @ ..] if group.delimiter() == Delimiter::Parenthesis => {
            let extra = more.first();
            let fault = extra.map(|extra| (first_span(extra), messages::expected_comma()));
            (fault, Value::Called(group.clone()))
        }
        [tree, value @ ..] => match (separator(tree, value.first()), Tokens::new(value.to_vec())) {
            (Some(kind), Some(value)) => (None, kind(value)),
            (Some(_), None) => {
                let message = messages::expected_value(&name.text, example);
                (Some((last_span(tree), message)), Value::Broken)
            }
            (None, _) => {
                let message = messages::expected_entry(example);
                (Some((first_span(tree), message)), Value::Broken)
            }
        },
    };
    if let Some((place, message)) = fault {
        errors.report(place, message);
    }
    Some(Entry {
        name,
        constant,
        value,
    })
}

/// The kind of value that begins with this token.
fn separator(tree: &TokenTree, next: Option<&TokenTree>) -> Option<fn(Tokens) -> Value> {
    match tree {
        TokenTree::Ident(ident) if ident == "in" => Some(Value::In),
        TokenTree::Punct(punct) => {
            // `==`, `=>` and `::` are no separators.
            let compound = punct.spacing() == Spacing::Joint
                && matches!(next, Some(TokenTree::Punct(next)) if "=>:".contains(next.as_char()));
            match punct.as_char() {
                '=' if !compound => Some(Value::Assigned),
                ':' if !compound => Some(Value::Typed),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Reports every `#[..]` within `stream`: the attribute's language has none.
pub(crate) fn forbid_attributes(stream: TokenStream, errors: &mut Errors) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        if is_punct(&tree, '#') {
            let last = trees.peek().map_or(tree.span(), last_span);
            let place = Extent::new(tree.span(), last);
            errors.report(place, messages::attribute_inside());
        } else if let TokenTree::Group(group) = tree {
            forbid_attributes(group.stream(), errors);
        }
    }
}

/// Whether `text` can be the name of something: an identifier that is no keyword.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut trees = text.parse::<TokenStream>().unwrap_or_default().into_iter();
    let word = matches!(
        (trees.next(), trees.next()),
        (Some(TokenTree::Ident(_)), None)
    );
    word && !text.starts_with("r#") && !is_keyword(text)
}
