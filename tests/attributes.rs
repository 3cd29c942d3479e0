//! For build scripts of tests that play `bico_build::tune()`: the tunables of a file.

use bico_syntax::Wrapper;
use proc_macro2::{TokenStream, TokenTree};

/// Every readable `#[bico::tunable(..)] ..;` at the top of a file. What is wrong with the others is the
/// macro's to tell.
pub(crate) fn wrappers(file: TokenStream) -> Vec<Wrapper> {
    let tokens: Vec<TokenTree> = file.into_iter().collect();
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        let [TokenTree::Punct(hash), TokenTree::Group(group)] = pair else {
            continue;
        };
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        let Some(TokenTree::Group(options)) = inner.last() else {
            continue;
        };
        if hash.as_char() != '#' || !group.stream().to_string().starts_with("bico") {
            continue;
        }
        let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ';');
        let mut items = tokens[at + 2..].split_inclusive(is_end);
        let item = items.next().unwrap_or_default().iter().cloned().collect();
        found.extend(bico_syntax::parse(options.stream(), item));
    }
    found
}
