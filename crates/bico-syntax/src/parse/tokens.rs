//! Token streams, cut at commas before `syn` sees them, so that one broken option hides no other.

use crate::errors::{Errors, Extent};
use crate::messages;
use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};

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

    /// The tokens as one `T`, all of them.
    pub(crate) fn parse<T: Parse>(&self, errors: &mut Errors) -> Option<T> {
        let mut over = false;
        let parser = |input: ParseStream| {
            let value = input.parse::<T>().inspect_err(|error| {
                over = input.is_empty() && error.to_string().starts_with("expected `");
            })?;
            if input.is_empty() {
                Ok(value)
            } else {
                Err(input.error("expected `,`"))
            }
        };
        match parser.parse2(self.trees.iter().cloned().collect()) {
            Ok(value) => Some(value),
            Err(error) => {
                match cast_then_less(&self.trees) {
                    Some((span, target)) => errors.report(span, messages::cast_then_less(&target)),
                    // For punctuation that is missing at the end, `syn` names the whole attribute.
                    None if over => errors.report(self.last, messages::syntax(&error.to_string())),
                    None => report_syntax(&error, self.last, errors),
                }
                None
            }
        }
    }
}

/// The `<` in `A as f64 < B`, which Rust reads as the start of type arguments, and the type before it.
fn cast_then_less(trees: &[TokenTree]) -> Option<(Span, String)> {
    let here = trees.windows(3).find_map(|three| match three {
        [
            TokenTree::Ident(word),
            TokenTree::Ident(target),
            TokenTree::Punct(less),
        ] if word == "as" && less.as_char() == '<' => Some((less.span(), target.to_string())),
        _ => None,
    });
    here.or_else(|| {
        trees.iter().find_map(|tree| match tree {
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                cast_then_less(&inner)
            }
            _ => None,
        })
    })
}

/// Whether `syn` met the end, for which it has no place.
pub(crate) fn input_is_over(error: &syn::Error) -> bool {
    error.to_string().starts_with("unexpected end of input")
}

/// Passes on what `syn` says. It knows no place for the end of the input: that is `end`.
pub(crate) fn report_syntax(error: &syn::Error, end: Span, errors: &mut Errors) {
    for part in error.clone() {
        let span = if input_is_over(&part) {
            end
        } else {
            part.span()
        };
        errors.report(span, messages::syntax(&part.to_string()));
    }
}

fn first_span(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) if group.delimiter() != Delimiter::None => group.span_open(),
        _ => tree.span(),
    }
}

fn last_span(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) if group.delimiter() != Delimiter::None => group.span_close(),
        _ => tree.span(),
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
    syn::parse_str::<Ident>(text).is_ok() && !text.starts_with("r#")
}
