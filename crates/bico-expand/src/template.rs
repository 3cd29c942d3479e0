//! Code with holes.
//!
//! The macros are those of the crate `quote`, as far as this crate needs them: `#name` is a variable, `#(..),*` what
//! lists fill in turn, with any separator or none. `quote` makes a call of every token, and rustc machine code of each in
//! every user's build; here a template is a string that the compiler of the moment reads.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Code, with names that are known where the macro is called.
macro_rules! quote {
    ($($token:tt)*) => {
        $crate::template::quote_spanned!(::proc_macro2::Span::call_site() => $($token)*)
    };
}

/// The same with names that are known where the span says; what fills a hole keeps its own.
macro_rules! quote_spanned {
    ($span:expr => $($token:tt)*) => {{
        #[allow(unused_mut)]
        let mut holes = $crate::template::Holes::default();
        $crate::template::holes!(holes $($token)*);
        $crate::template::filled(stringify!($($token)*), $span, holes)
    }};
}

/// Collects what stands behind each `#`, in order: looks at every pair of neighbours, and into groups.
macro_rules! holes {
    ($holes:ident $($token:tt)*) => {
        $crate::template::holes!(@pairs $holes (_ $($token)*) ($($token)* _))
    };
    (@pairs $holes:ident ($($before:tt)*) ($($token:tt)*)) => {
        $($crate::template::holes!(@pair $holes $before $token);)*
    };
    (@pair $holes:ident # $name:ident) => {
        $holes.push(&$name)
    };
    (@pair $holes:ident $before:tt ($($token:tt)*)) => {
        $crate::template::holes!($holes $($token)*)
    };
    (@pair $holes:ident $before:tt [$($token:tt)*]) => {
        $crate::template::holes!($holes $($token)*)
    };
    (@pair $holes:ident $before:tt {$($token:tt)*}) => {
        $crate::template::holes!($holes $($token)*)
    };
    (@pair $holes:ident $before:tt $token:tt) => {};
}

pub(crate) use {holes, quote, quote_spanned};

/// What fills the holes of a template, in their order.
#[derive(Default)]
pub(crate) struct Holes(Vec<Filling>);

impl Holes {
    pub(crate) fn push(&mut self, hole: &dyn Fill) {
        self.0.push(hole.fill());
    }
}

/// What a hole is filled with.
pub(crate) enum Filling {
    One(TokenStream),
    /// In a repetition, one each round.
    Each(Vec<TokenStream>),
}

/// What can fill a hole.
pub(crate) trait Fill {
    fn tokens(&self) -> TokenStream;

    fn fill(&self) -> Filling {
        Filling::One(self.tokens())
    }
}

/// The template with its holes filled; its own tokens get the span.
pub(crate) fn filled(template: &str, span: Span, Holes(holes): Holes) -> TokenStream {
    let template = template.parse();
    let template = template.unwrap_or_else(|_| unreachable!("rustc has read these tokens"));
    let mut filled = TokenStream::new();
    let (round, next) = (0, 0);
    let mut filler = Filler {
        span,
        holes,
        round,
        next,
    };
    filler.walk(template, &mut filled);
    filled
}

struct Filler {
    span: Span,
    holes: Vec<Filling>,
    /// Of the repetition.
    round: usize,
    /// The next hole.
    next: usize,
}

impl Filler {
    fn walk(&mut self, template: TokenStream, filled: &mut TokenStream) {
        let mut rest = template.into_iter().peekable();
        while let Some(token) = rest.next() {
            if !is_punct(&token, '#') {
                // It forms no operator with what fills the hole behind it, nor with a lifetime.
                let ends = |next| is_punct(next, '#') || is_punct(next, '\'');
                let token = match rest.peek().is_some_and(ends) {
                    true => alone(token),
                    false => token,
                };
                self.own(token, filled);
                continue;
            }
            match rest.next() {
                Some(TokenTree::Ident(_)) => {
                    filled.extend(Some(match &self.holes[self.next] {
                        Filling::One(tokens) => tokens.clone(),
                        Filling::Each(list) => list[self.round].clone(),
                    }));
                    self.next += 1;
                }
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                    let mut separator = Vec::new();
                    for token in rest.by_ref() {
                        match is_punct(&token, '*') {
                            true => break,
                            false => separator.push(token),
                        }
                    }
                    if let Some(last) = separator.pop() {
                        separator.push(alone(last));
                    }
                    self.repeat(&group.stream(), &separator, filled);
                }
                // The `#` of an attribute.
                other => {
                    self.own(token, filled);
                    if let Some(other) = other {
                        self.own(other, filled);
                    }
                }
            }
        }
    }

    /// A token of the template.
    fn own(&mut self, mut token: TokenTree, filled: &mut TokenStream) {
        if let TokenTree::Group(group) = &token {
            let mut inside = TokenStream::new();
            self.walk(group.stream(), &mut inside);
            token = TokenTree::Group(Group::new(group.delimiter(), inside));
        }
        token.set_span(self.span);
        filled.extend(Some(token));
    }

    /// As often as the shortest list in it has something.
    fn repeat(
        &mut self,
        template: &TokenStream,
        separator: &[TokenTree],
        filled: &mut TokenStream,
    ) {
        let start = self.next;
        let end = start + holes_of(template.clone());
        let mut rounds = usize::MAX;
        for hole in &self.holes[start..end] {
            if let Filling::Each(list) = hole {
                rounds = rounds.min(list.len());
            }
        }
        assert!(
            rounds < usize::MAX,
            "a repetition without a list: {template}"
        );
        for round in 0..rounds {
            if round > 0 {
                for token in separator {
                    self.own(token.clone(), filled);
                }
            }
            (self.round, self.next) = (round, start);
            self.walk(template.clone(), filled);
        }
        self.next = end;
    }
}

fn holes_of(template: TokenStream) -> usize {
    let (mut holes, mut behind) = (0, false);
    for token in template {
        match &token {
            TokenTree::Ident(_) => holes += usize::from(behind),
            TokenTree::Group(group) => holes += holes_of(group.stream()),
            _ => {}
        }
        behind = is_punct(&token, '#');
    }
    holes
}

/// The end of an operator.
fn alone(token: TokenTree) -> TokenTree {
    match token {
        TokenTree::Punct(punct) => Punct::new(punct.as_char(), Spacing::Alone).into(),
        other => other,
    }
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

impl Fill for TokenStream {
    fn tokens(&self) -> TokenStream {
        self.clone()
    }
}

impl<T: Fill + ?Sized> Fill for &T {
    fn tokens(&self) -> TokenStream {
        (**self).tokens()
    }

    fn fill(&self) -> Filling {
        (**self).fill()
    }
}

/// Without a value, nothing.
impl<T: Fill> Fill for Option<T> {
    fn tokens(&self) -> TokenStream {
        self.as_ref().map(T::tokens).unwrap_or_default()
    }
}

impl<T: Fill> Fill for [T] {
    fn tokens(&self) -> TokenStream {
        let mut all = TokenStream::new();
        for one in self {
            all.extend(Some(one.tokens()));
        }
        all
    }

    fn fill(&self) -> Filling {
        let mut list = Vec::with_capacity(self.len());
        for one in self {
            list.push(one.tokens());
        }
        Filling::Each(list)
    }
}

impl<T: Fill> Fill for Vec<T> {
    fn tokens(&self) -> TokenStream {
        self.as_slice().tokens()
    }

    fn fill(&self) -> Filling {
        self.as_slice().fill()
    }
}

macro_rules! one_token {
    ($($kind:ty: |$value:ident| $token:expr;)+) => {$(
        impl Fill for $kind {
            fn tokens(&self) -> TokenStream {
                let $value = self;
                TokenTree::from($token).into()
            }
        }
    )+};
}

one_token! {
    Ident: |name| name.clone();
    Literal: |literal| literal.clone();
    str: |text| Literal::string(text);
    String: |text| Literal::string(text);
    bool: |value| Ident::new(if *value { "true" } else { "false" }, Span::call_site());
    usize: |number| Literal::usize_suffixed(*number);
    u32: |number| Literal::u32_suffixed(*number);
    i64: |number| Literal::i64_suffixed(*number);
    f64: |number| Literal::f64_suffixed(*number);
}

#[cfg(test)]
mod tests {
    use proc_macro2::{Ident, Span, TokenStream};

    #[test]
    fn holes_are_filled_as_by_quote() {
        let name = Ident::new("name", Span::call_site());
        let (some, none) = (Some("text"), None::<TokenStream>);
        let (list, empty) = (vec![1u32, 2, 3], Vec::<TokenStream>::new());
        let others = ["a", "b", "c", "d"];
        let others = &others[..];
        macro_rules! same {
            ($($token:tt)*) => {
                let ours = super::quote!($($token)*).to_string();
                assert_eq!(ours, quote::quote!($($token)*).to_string());
            };
        }
        same!();
        same!(#[a(#name = "x")] pub fn #name<'a>(x: &'a mut u8) -> Vec<Vec<u8>> { x >>= 1; -#some });
        same!(#some #none #name! [#(#list),*] {#(#empty),*} (#(#list: #name;)*));
        same!(#(|#list, #others| { [#name(#others)] })||*);
        same!(#(#[link(name = #others)] extern "C" {})* a * b);
        same!(#(#others: [#list; 2],)* #name);
    }

    #[test]
    #[should_panic(expected = "a repetition without a list: # name")]
    fn repetitions_need_a_list() {
        let name = "text";
        let _ = super::quote!(#(#name),*);
    }
}
