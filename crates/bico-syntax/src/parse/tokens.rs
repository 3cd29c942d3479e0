//! Token streams, cut at commas before anything in them is read, so that one broken option hides no other.

use super::reader::{first_span, is_keyword, last_span};
use crate::errors::{Errors, Extent};
use crate::messages;
use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};

/// What stands between two commas. Never empty.
#[derive(Debug, Clone)]
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
        Self::new(stream.into_iter().collect())
    }

    /// The first token.
    pub(crate) fn span(&self) -> Span {
        self.trees.first().map_or(self.last, first_span)
    }

    /// From the first token to the last one.
    pub(crate) fn whole(&self) -> Extent {
        Extent::new(self.span(), self.last)
    }

    fn after(&self, count: usize) -> Option<Self> {
        Self::new(self.trees.get(count..)?.to_vec())
    }

    /// The only token, if it is a word.
    pub(crate) fn word(&self) -> Option<String> {
        match self.trees.as_slice() {
            [TokenTree::Ident(word)] => Some(word.to_string()),
            _ => None,
        }
    }
}

/// The parts between the top-level commas of `stream`. A trailing comma is fine, a doubled one is not.
pub(crate) fn split(stream: TokenStream, errors: &mut Errors) -> Vec<Tokens> {
    let mut parts = Vec::new();
    let mut current = Vec::new();
    for tree in stream {
        match &tree {
            TokenTree::Punct(punct) if punct.as_char() == ',' => {
                match Tokens::new(std::mem::take(&mut current)) {
                    Some(part) => parts.push(part),
                    None => errors.report(punct.span(), messages::stray_comma()),
                }
            }
            _ => current.push(tree),
        }
    }
    parts.extend(Tokens::new(current));
    parts
}

/// One entry of an option list: `name = ..`, `name(..)`, `NAME in ..`, `const NAME = ..`, `NAME: ..`.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The name's place.
    pub(crate) span: Span,
    /// Whether `const` stands before the name.
    pub(crate) constant: bool,
    pub(crate) value: Value,
}

/// What follows the name of an [`Entry`].
#[derive(Debug, Clone)]
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
    let mut constant = false;
    let mut used = 1;
    // Attributes have been reported: what they stand on is read as if they were not there.
    while let Some(TokenTree::Punct(punct)) = tokens.trees.get(used - 1)
        && punct.as_char() == '#'
    {
        used += 2;
    }
    let mut trees = tokens.trees.iter().skip(used - 1);
    let mut name = trees.next();
    if let Some(TokenTree::Ident(ident)) = name
        && ident == "const"
    {
        constant = true;
        used += 1;
        name = trees.next();
    }
    let Some(TokenTree::Ident(ident)) = name else {
        errors.report(
            name.map_or(tokens.last, first_span),
            messages::expected_entry(example),
        );
        return None;
    };
    let value = match trees.next() {
        None => {
            errors.report(
                ident.span(),
                messages::expected_value(&ident.to_string(), example),
            );
            Value::Broken
        }
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
            if let Some(extra) = trees.next() {
                errors.report(first_span(extra), messages::expected_comma());
            }
            Value::Called(group.clone())
        }
        Some(tree) => match separator(tree, trees.clone().next()) {
            Some(kind) => match tokens.after(used + 1) {
                Some(rest) => kind(rest),
                None => {
                    errors.report(
                        last_span(tree),
                        messages::expected_value(&ident.to_string(), example),
                    );
                    Value::Broken
                }
            },
            None => {
                errors.report(first_span(tree), messages::expected_entry(example));
                Value::Broken
            }
        },
    };
    Some(Entry {
        name: ident.to_string(),
        span: ident.span(),
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
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                let last = trees.peek().map_or(punct.span(), last_span);
                let place = Extent::new(punct.span(), last);
                errors.report(place, messages::attribute_inside());
            }
            TokenTree::Group(group) => forbid_attributes(group.stream(), errors),
            _ => {}
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
