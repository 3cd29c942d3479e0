//! The types of arguments, by their looks: how a path was imported does not matter.

use super::reader::{last_span, list};
use crate::errors::Extent;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// What a type in the signature is.
#[derive(Debug, Clone)]
pub enum RustType {
    /// `&T`, `&mut T`
    Reference {
        /// Whether it is `&mut`.
        mutable: bool,
        /// `T`
        target: Box<RustType>,
    },
    /// `[T]`
    Slice {
        /// `T`
        element: Box<RustType>,
        /// Its tokens.
        tokens: TokenStream,
    },
    /// `std::sync::Arc<T>`
    Path {
        /// Its last segment: `Arc`.
        name: String,
        /// Whether anything stands in angle brackets.
        plain: bool,
        /// The first type there.
        inner: Option<Box<RustType>>,
        /// Where it stands.
        place: Place,
    },
    /// `()`
    Unit,
    /// Anything else.
    Other(Place),
}

/// The first and the last token of something.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    first: Span,
    last: Span,
}

impl From<Place> for Extent {
    fn from(place: Place) -> Extent {
        Extent::new(place.first, place.last)
    }
}

impl Place {
    pub(crate) fn of(trees: &[TokenTree]) -> Place {
        let first = trees.first().map_or_else(Span::call_site, TokenTree::span);
        Place {
            first,
            last: trees.last().map_or(first, last_span),
        }
    }
}

impl RustType {
    /// What these tokens are.
    pub(crate) fn read(trees: &[TokenTree]) -> RustType {
        let place = Place::of(trees);
        match trees {
            [TokenTree::Group(group)] => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if ",;".contains(p.as_char()));
                match group.delimiter() {
                    Delimiter::Parenthesis if inside.is_empty() => RustType::Unit,
                    Delimiter::Parenthesis | Delimiter::None if !inside.iter().any(comma) => {
                        RustType::read(&inside)
                    }
                    Delimiter::Bracket if !inside.iter().any(comma) => RustType::Slice {
                        element: Box::new(RustType::read(&inside)),
                        tokens: group.stream(),
                    },
                    _ => RustType::Other(place),
                }
            }
            [TokenTree::Punct(and), rest @ ..] if and.as_char() == '&' => {
                let rest = match rest {
                    [TokenTree::Punct(tick), TokenTree::Ident(_), rest @ ..]
                        if tick.as_char() == '\'' =>
                    {
                        rest
                    }
                    rest => rest,
                };
                let (mutable, rest) = match rest {
                    [TokenTree::Ident(word), rest @ ..] if word == "mut" => (true, rest),
                    rest => (false, rest),
                };
                RustType::Reference {
                    mutable,
                    target: Box::new(RustType::read(rest)),
                }
            }
            _ => path(trees, place).unwrap_or(RustType::Other(place)),
        }
    }
}

fn path(trees: &[TokenTree], place: Place) -> Option<RustType> {
    let is = |tree: &TokenTree, c: char| matches!(tree, TokenTree::Punct(p) if p.as_char() == c);
    let open = trees.iter().position(|tree| is(tree, '<'));
    let (segments, arguments) = trees.split_at(open.unwrap_or(trees.len()));
    let segments = match segments {
        // `Arc::<T>`
        [rest @ .., a, b] if is(a, ':') && is(b, ':') => rest,
        segments => segments,
    };
    let Some(TokenTree::Ident(last)) = segments.last() else {
        return None;
    };
    let words = ["impl", "dyn", "fn"];
    let strange = |tree: &TokenTree| match tree {
        TokenTree::Ident(word) => words.iter().any(|own| word == own),
        tree => !is(tree, ':'),
    };
    if segments.iter().any(strange) {
        return None;
    }
    let mut inner = None;
    if let [_, arguments @ .., close] = arguments {
        if !is(close, '>') {
            return None;
        }
        let mut types = list(arguments).into_iter();
        let first = types.find(|part| !part.first().is_some_and(|tree| is(tree, '\'')));
        inner = first.map(|part| Box::new(RustType::read(part)));
    } else if !arguments.is_empty() {
        return None;
    }
    Some(RustType::Path {
        name: last.to_string(),
        plain: arguments.is_empty(),
        inner,
        place,
    })
}
