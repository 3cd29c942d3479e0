//! A file's items, and what each of them needs of the others: by names alone, so rather too much than too little.

use super::cfg::Meta;
use super::items::{is_punct, item_end, read_attributes};
use bico_core::{Lists, Set};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use std::ops::Range;

/// An item of a file.
pub(super) struct Part {
    /// `fn`, `use`, `impl`.
    pub keyword: String,
    /// What others call it; `None` of a `use` and an `impl`.
    pub name: Option<String>,
    /// The words before its braces.
    pub header: Set<String>,
    /// Its bytes in the file, with its attributes.
    pub place: Range<usize>,
    /// What of it is bico's.
    pub holes: Vec<Range<usize>>,
    pub attributes: Vec<Group>,
    pub is_tunable: bool,
    trees: Vec<TokenTree>,
}

/// The items of a file.
pub(super) fn parts(tokens: TokenStream) -> Vec<Part> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect_vec();
    let mut parts = Vec::new();
    let mut at = 0;
    while at < trees.len() {
        // `#![..]` is of the whole file.
        while is_punct(trees.get(at), '#') && is_punct(trees.get(at + 1), '!') {
            at += 3;
        }
        let start = at;
        if start >= trees.len() {
            break;
        }
        let attributes = read_attributes(&trees, &mut at);
        let attributes: Vec<Group> = attributes.into_iter().cloned().collect_vec();
        let end = item_end(&trees, at).max(start + 1);
        parts.extend(part(
            &trees[start..end],
            &trees[at.min(end)..end],
            attributes,
        ));
        at = end;
    }
    parts
}

fn part(whole: &[TokenTree], item: &[TokenTree], attributes: Vec<Group>) -> Option<Part> {
    const KEYWORDS: [&str; 13] = [
        "fn",
        "const",
        "static",
        "struct",
        "enum",
        "union",
        "trait",
        "type",
        "mod",
        "use",
        "impl",
        "macro_rules",
        "extern",
    ];
    let word = |tree: &TokenTree| match tree {
        TokenTree::Ident(word) => word.to_string(),
        _ => String::new(),
    };
    let words: Vec<String> = item.iter().take(8).map(word).collect_vec();
    let mut at = words.iter().position(|word| KEYWORDS.contains(&&**word))?;
    if let Some(function) = words.iter().position(|word| word == "fn") {
        at = function;
    }
    let keyword = words[at].clone();
    let named = item[at + 1..].iter().find_map(|tree| match tree {
        TokenTree::Ident(name) if name != "mut" => Some(name.to_string()),
        _ => None,
    });
    let header = item.iter().take_while(
        |tree| !matches!(tree, TokenTree::Group(of) if of.delimiter() == Delimiter::Brace),
    );
    let header = header.map(word).collect();
    let range = |tree: &TokenTree| tree.span().byte_range();
    let mut holes = Vec::new();
    let is_tunable = attributes.iter().any(marks);
    // `#` and the brackets behind it.
    for pair in whole.windows(2) {
        if let [hash, TokenTree::Group(group)] = pair
            && is_punct(Some(hash), '#')
            && marks(group)
        {
            holes.push(range(hash).start..range(&pair[1]).end);
        }
    }
    if let Some(TokenTree::Group(arguments)) = item[at..]
        .iter()
        .find(|tree| is_parentheses(tree))
        .filter(|_| is_tunable)
    {
        let trees: Vec<TokenTree> = arguments.stream().into_iter().collect_vec();
        for pair in trees.windows(2) {
            if let [hash, TokenTree::Group(group)] = pair
                && is_punct(Some(hash), '#')
                && is_of_argument(group)
            {
                holes.push(range(hash).start..range(&pair[1]).end);
            }
        }
    }
    add_scopes(item, &mut holes);
    Some(Part {
        name: named.filter(|_| keyword != "use" && keyword != "impl"),
        keyword,
        header,
        place: range(whole.first()?).start..range(whole.last()?).end,
        holes,
        attributes,
        is_tunable,
        trees: item.to_vec(),
    })
}

/// Where things are visible that have no module above them any more: the parentheses of `pub(super)` and `pub(in ..)`.
fn add_scopes(trees: &[TokenTree], holes: &mut Vec<Range<usize>>) {
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else {
            continue;
        };
        let inner: Vec<TokenTree> = group.stream().into_iter().collect_vec();
        let is = |tree: Option<&TokenTree>, name| matches!(tree, Some(TokenTree::Ident(word)) if word == name);
        let is_above = is(inner.first(), "in") || inner.len() == 1 && is(inner.first(), "super");
        if is_above && at > 0 && is(trees.get(at - 1), "pub") {
            holes.push(group.span().byte_range());
        } else {
            add_scopes(&inner, holes);
        }
    }
}

fn is_parentheses(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis)
}

fn marks(group: &Group) -> bool {
    let meta = Meta::read(group.stream());
    meta.is_some_and(|meta| meta.path.last().is_some_and(|last| last == "tunable"))
}

/// `#[len(..)]` and the like.
fn is_of_argument(group: &Group) -> bool {
    let meta = Meta::read(group.stream());
    let own = ["len", "init", "align", "value"];
    meta.is_some_and(|meta| meta.path.last().is_some_and(|last| own.contains(&&**last)))
}

impl Part {
    /// All words of it.
    pub(super) fn words(&self) -> Set<String> {
        let mut words = Set::default();
        add_words(&self.trees, &mut words);
        words
    }

    /// Whether one of these words may mean it.
    pub(super) fn is_used_by(&self, words: &Set<String>) -> bool {
        match (&self.name, self.keyword.as_str()) {
            (Some(name), _) => !self.is_tunable && !self.is_file() && words.contains(name),
            (None, "use") => {
                let mut own = Set::default();
                add_words(&self.trees, &mut own);
                // What a `*` brings, nobody knows.
                let all = holds_star(&self.trees) && self.is_of_std();
                all || own
                    .iter()
                    .any(|word| !is_root(word) && words.contains(word))
            }
            _ => false,
        }
    }

    /// Whether it is `mod name;`.
    pub(super) fn is_file(&self) -> bool {
        self.keyword == "mod" && !matches!(self.trees.last(), Some(TokenTree::Group(_)))
    }

    /// Whether a `use` is of the standard library.
    fn is_of_std(&self) -> bool {
        self.root().is_some_and(|root| is_root(&root.to_string()))
    }

    /// Whether it is a `use` of this crate.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.root().is_some_and(|root| root == name)
    }

    /// Whether it has a `*`.
    pub(super) fn brings_all(&self) -> bool {
        holds_star(&self.trees)
    }

    /// The first word of a `use`.
    fn root(&self) -> Option<&Ident> {
        self.trees.iter().find_map(|tree| match tree {
            TokenTree::Ident(word) if !["use", "pub"].iter().any(|of| word == of) => Some(word),
            _ => None,
        })
    }

    /// A word of it that begins a path and is `foreign`.
    pub(super) fn reaches_out(&self, foreign: &dyn Fn(&str) -> bool) -> Option<Ident> {
        let root = self
            .root()
            .filter(|root| self.keyword == "use" && foreign(&root.to_string()));
        root.cloned().or_else(|| leading(&self.trees, foreign))
    }
}

fn is_root(word: &str) -> bool {
    ["std", "core", "alloc"].contains(&word)
}

fn holds_star(trees: &[TokenTree]) -> bool {
    trees.iter().any(|tree| match tree {
        TokenTree::Group(group) => holds_star(&group.stream().into_iter().collect_vec()),
        tree => is_punct(Some(tree), '*'),
    })
}

fn add_words(trees: &[TokenTree], words: &mut Set<String>) {
    for tree in trees {
        match tree {
            TokenTree::Ident(word) => {
                words.insert(word.to_string());
            }
            TokenTree::Group(group) => {
                add_words(&group.stream().into_iter().collect_vec(), words);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The first such word that two colons follow and none precede.
fn leading(trees: &[TokenTree], foreign: &dyn Fn(&str) -> bool) -> Option<Ident> {
    trees.iter().enumerate().find_map(|(at, tree)| match tree {
        TokenTree::Ident(word) => {
            let leads = is_colons(trees, at + 1) && !(at >= 2 && is_colons(trees, at - 2));
            (leads && foreign(&word.to_string())).then(|| word.clone())
        }
        TokenTree::Group(group) => leading(&group.stream().into_iter().collect_vec(), foreign),
        TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}

fn is_colons(trees: &[TokenTree], at: usize) -> bool {
    is_punct(trees.get(at), ':') && is_punct(trees.get(at + 1), ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_what_uses_them() {
        let text = "//! Docs.\n#![allow(dead_code)]\nuse std::{fmt::Write as _, mem::take};\nuse std::arch::*;\nuse rayon::prelude::*;\n\
            #[tunable(a)]\n/// F.\npub(super) fn f<const A: usize>(#[len(n)] y: &mut [f32], /* n */ #[allow(unused)] n: u32) { take(&mut g::<A>()); }\n\
            const fn g<const A: usize>() -> u32 { deep::h() }\nmod deep;\nimpl Clone for S { }\nstruct S(pub(in a::b) u8);\n#![allow(unused)]\n";
        let parts = parts(text.parse().unwrap());
        let shown = |part: &Part| text[part.place.clone()].lines().next().unwrap().to_string();
        let names: Vec<(String, Option<&str>)> = parts
            .iter()
            .map(|part| (part.keyword.clone(), part.name.as_deref()))
            .collect();
        let of = |keyword: &str, name| (keyword.to_string(), name);
        assert_eq!(
            names,
            [
                of("use", None),
                of("use", None),
                of("use", None),
                of("fn", Some("f")),
                of("fn", Some("g")),
                of("mod", Some("deep")),
                of("impl", None),
                of("struct", Some("S")),
            ]
        );
        assert_eq!(shown(&parts[0]), "use std::{fmt::Write as _, mem::take};");
        let holes: Vec<&str> = parts[3]
            .holes
            .iter()
            .map(|hole| &text[hole.clone()])
            .collect();
        assert_eq!(holes, ["#[tunable(a)]", "#[len(n)]", "(super)"]);
        let words = parts[3].words();
        let used: Vec<usize> = (0..parts.len())
            .filter(|at| parts[*at].is_used_by(&words))
            .collect();
        assert_eq!(used, [0, 1, 4]);
        assert!(parts[5].is_file() && !parts[5].is_used_by(&parts[4].words()));
        let out = parts[4].reaches_out(&|name| name == "deep");
        assert_eq!(out.unwrap().to_string(), "deep");
        assert!(
            parts[3]
                .reaches_out(&|name| name == "g")
                .is_none_or(|word| word == "g")
        );
        assert_eq!(
            parts[2]
                .reaches_out(&|name| name == "rayon")
                .unwrap()
                .to_string(),
            "rayon"
        );
    }
}
