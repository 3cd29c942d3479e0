//! The types of arguments, by their looks: how a path was imported does not matter.

use super::reader::{inside, is_punct, last_span, list};
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
    /// `[T; 4]`
    Array {
        /// `T`
        element: Box<RustType>,
        /// How many there are, where that is a plain number.
        len: Option<usize>,
    },
    /// `std::sync::Arc<T>`
    Path {
        /// Its last segment: `Arc`.
        name: String,
        /// All of it without arguments: `std::sync::Arc`.
        path: String,
        /// Whether it is a type, and nothing stands in angle brackets.
        plain: bool,
        /// The first type there.
        inner: Option<Box<RustType>>,
        /// Where it stands.
        place: Extent,
    },
    /// `()`
    Unit,
    /// Anything else.
    Other(Extent),
}

/// From the first token of something to the last one.
pub(crate) fn extent(trees: &[TokenTree]) -> Extent {
    let first = trees.first().map_or_else(Span::call_site, TokenTree::span);
    Extent::new(first, trees.last().map_or(first, last_span))
}

impl RustType {
    /// What these tokens are.
    pub fn read(trees: &[TokenTree]) -> RustType {
        let place = extent(trees);
        match trees {
            [TokenTree::Group(group)] => {
                let inside = inside(group);
                let ends = |tree: &TokenTree| is_punct(tree, ',') || is_punct(tree, ';');
                let one = !inside.iter().any(ends);
                match group.delimiter() {
                    Delimiter::Parenthesis if inside.is_empty() => RustType::Unit,
                    Delimiter::Parenthesis | Delimiter::None if one => RustType::read(&inside),
                    Delimiter::Bracket if one => RustType::Slice {
                        element: Box::new(RustType::read(&inside)),
                        tokens: group.stream(),
                    },
                    Delimiter::Bracket => match inside.as_slice() {
                        [element @ .., semicolon, len] if is_punct(semicolon, ';') => {
                            RustType::Array {
                                element: Box::new(RustType::read(element)),
                                len: len.to_string().parse().ok(),
                            }
                        }
                        _ => RustType::Other(place),
                    },
                    _ => RustType::Other(place),
                }
            }
            [and, rest @ ..] if is_punct(and, '&') => {
                let rest = match rest {
                    [tick, TokenTree::Ident(_), rest @ ..] if is_punct(tick, '\'') => rest,
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

/// A path, or the trait of an `impl Trait`.
fn path(trees: &[TokenTree], place: Extent) -> Option<RustType> {
    let (is_type, trees) = match trees {
        [TokenTree::Ident(word), of @ ..] if word == "impl" => (false, of),
        trees => (true, trees),
    };
    let open = trees.iter().position(|tree| is_punct(tree, '<'));
    let (segments, arguments) = trees.split_at(open.unwrap_or(trees.len()));
    let segments = match segments {
        // `Arc::<T>`
        [rest @ .., a, b] if is_punct(a, ':') && is_punct(b, ':') => rest,
        segments => segments,
    };
    let Some(TokenTree::Ident(last)) = segments.last() else {
        return None;
    };
    let strange = |tree: &TokenTree| match tree {
        TokenTree::Ident(word) => ["impl", "dyn", "fn"].iter().any(|own| word == own),
        tree => !is_punct(tree, ':'),
    };
    if segments.iter().any(strange) {
        return None;
    }
    let inner = match arguments {
        [] => None,
        [_, arguments @ .., close] if is_punct(close, '>') => {
            let mut types = list(arguments).into_iter();
            let lifetime =
                |part: &[TokenTree]| part.first().is_some_and(|tree| is_punct(tree, '\''));
            types.find(|part| !lifetime(part))
        }
        _ => return None,
    };
    Some(RustType::Path {
        name: last.to_string(),
        path: segments.iter().map(ToString::to_string).collect(),
        plain: arguments.is_empty() && is_type,
        inner: inner.map(|part| Box::new(RustType::read(part))),
        place,
    })
}
