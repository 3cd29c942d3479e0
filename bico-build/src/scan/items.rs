//! Reads one file's items from its tokens: tunables, `const`s and modules.

use super::cfg::{self, Meta, Value};
use super::structure::Structure;
use crate::env::Env;
use bico_core::{Lists, Map};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::path::{Path, PathBuf};

/// A file and where its child modules live.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SourceFile {
    /// Relative to the package.
    pub file: PathBuf,
    /// The folder of `mod child;`.
    children: PathBuf,
}

impl SourceFile {
    /// A crate root, `mod.rs`, or a file named by `#[path]`: children lie beside it.
    pub(super) fn root(file: PathBuf) -> SourceFile {
        let children = file.parent().map(Path::to_path_buf).unwrap_or_default();
        SourceFile { file, children }
    }

    fn module(file: PathBuf) -> SourceFile {
        let children = file.with_extension("");
        SourceFile { file, children }
    }
}

/// A wrapper with its attribute, as tokens.
pub(super) struct Item {
    /// What stands in the parentheses of `#[bico::tunable(..)]`.
    pub attribute: TokenStream,
    /// The other attributes and the signature.
    pub rest: TokenStream,
}

/// What one file holds.
#[derive(Default)]
pub(super) struct Items {
    pub tunables: Vec<Item>,
    /// The files that may hold each `mod name;`; the first that is there does.
    pub modules: Vec<Vec<SourceFile>>,
    /// The value of each `const`, as tokens.
    pub consts: Map<String, TokenStream>,
    /// Each `struct`.
    pub structs: Map<String, Structure>,
}

/// Reads a file; `None` where it cannot be tokenised (rustc will say why) or cannot matter.
pub(super) fn read(text: &str, source: &SourceFile, env: &Env) -> Option<Items> {
    // Errs on the side of yes.
    let declares_module = |line: &str| line.trim_end().ends_with(';') && line.contains("mod ");
    if !text.contains("tunable") && !text.lines().any(declares_module) {
        return Some(Items::default());
    }
    let tokens: TokenStream = text.parse().ok()?;
    let mut items = Items::default();
    let folder = source.file.parent().unwrap_or(Path::new(""));
    read_items(tokens, &source.children, folder, env, &mut items);
    Some(items)
}

/// Reads what stands in a file or in `mod name { .. }`: `children` is the folder of its child modules, `paths` what
/// `#[path]` is relative to.
fn read_items(tokens: TokenStream, children: &Path, paths: &Path, env: &Env, items: &mut Items) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect_vec();
    let mut i = 0;
    while i < tokens.len() {
        let start = i;
        let attributes = read_attributes(&tokens, &mut i);
        let end = item_end(&tokens, i);
        let item = &tokens[i..end];
        if let Some(attributes) = Attributes::read(attributes, env) {
            read_item(item, attributes, (children, paths), env, items);
        }
        i = end.max(start + 1);
    }
}

/// Takes `#[..]` groups (and skips inner `#![..]`).
pub(super) fn read_attributes<'a>(tokens: &'a [TokenTree], i: &mut usize) -> Vec<&'a Group> {
    let mut groups = Vec::new();
    while is_punct(tokens.get(*i), '#') {
        let inner = is_punct(tokens.get(*i + 1), '!');
        let at = *i + 1 + usize::from(inner);
        let Some(TokenTree::Group(group)) = tokens.get(at) else {
            break;
        };
        if !inner {
            groups.push(group);
        }
        *i = at + 1;
    }
    groups
}

/// One past the item that starts at `i`: its `;`, or its braces. A `;` comes later in
/// `const X: T = { .. };`, so braces end only items that are no `const`, `static`, `use` or `let`.
pub(super) fn item_end(tokens: &[TokenTree], i: usize) -> usize {
    let word = |token: &TokenTree| match token {
        TokenTree::Ident(name) => name.to_string(),
        _ => String::new(),
    };
    let words: Vec<String> = tokens[i..].iter().take(8).map(word).collect_vec();
    let by_semicolon = words.iter().take(6).find_map(|word| match word.as_str() {
        "const" | "static" | "use" | "type" => Some(true),
        "fn" | "mod" | "struct" | "enum" | "impl" | "trait" | "union" | "macro_rules" => {
            Some(false)
        }
        _ => None,
    });
    let by_semicolon = by_semicolon == Some(true) && !words.iter().any(|word| word == "fn");
    let ends = |token: &TokenTree| match token {
        TokenTree::Punct(p) => p.as_char() == ';',
        TokenTree::Group(g) => g.delimiter() == Delimiter::Brace && !by_semicolon,
        _ => false,
    };
    let last = tokens[i..].iter().position(ends);
    last.map_or(tokens.len(), |last| i + last + 1)
}

#[derive(Default)]
pub(super) struct Attributes {
    tunable: Option<TokenStream>,
    path: Option<String>,
    others: Vec<TokenTree>,
}

impl Attributes {
    /// `None` where a `cfg` takes the item out.
    pub(super) fn read(groups: Vec<&Group>, env: &Env) -> Option<Attributes> {
        let mut attributes = Attributes::default();
        for group in groups {
            // A malformed attribute is rustc's to report.
            if let Some(meta) = Meta::read(group.stream()) {
                attributes.add(meta, group, env)?;
            }
        }
        Some(attributes)
    }

    fn add(&mut self, meta: Meta, group: &Group, env: &Env) -> Option<()> {
        let last = meta.path.last().map(String::as_str);
        match (last, meta.value) {
            (Some("cfg"), Value::List(tokens)) => {
                let condition = Meta::read(tokens)?;
                if cfg::holds(&condition, env) == Some(false) {
                    return None;
                }
            }
            (Some("cfg_attr"), Value::List(tokens)) => {
                let mut parts = Meta::list(tokens).unwrap_or_default().into_iter();
                let condition = parts.next();
                if condition.is_some_and(|own| cfg::holds(&own, env) != Some(false)) {
                    for part in parts {
                        self.add(part, group, env)?;
                    }
                }
            }
            (Some("tunable"), Value::List(tokens)) => self.tunable = Some(tokens),
            (Some("tunable"), Value::Nothing) => self.tunable = Some(TokenStream::new()),
            (Some("path"), Value::Text(Some(text))) => self.path = Some(text),
            // Docs are many and mean nothing here.
            (Some("doc"), _) => {}
            _ => {
                let hash = proc_macro2::Punct::new('#', proc_macro2::Spacing::Alone);
                self.others.push(TokenTree::Punct(hash));
                self.others.push(TokenTree::Group(group.clone()));
            }
        }
        Some(())
    }
}

fn read_item(
    item: &[TokenTree],
    attributes: Attributes,
    (children, paths): (&Path, &Path),
    env: &Env,
    items: &mut Items,
) {
    if let Some(attribute) = attributes.tunable {
        let tokens = attributes.others.into_iter();
        let rest = tokens.chain(item.iter().cloned()).collect();
        items.tunables.push(Item { attribute, rest });
        return;
    }
    // Visibility: `pub`, `pub(..)`.
    let rest = match item {
        [TokenTree::Ident(word), TokenTree::Group(g), rest @ ..]
            if word == "pub" && g.delimiter() == Delimiter::Parenthesis =>
        {
            rest
        }
        [TokenTree::Ident(word), rest @ ..] if word == "pub" => rest,
        all => all,
    };
    let [TokenTree::Ident(keyword), TokenTree::Ident(name), ..] = rest else {
        return;
    };
    let name = name.to_string();
    match (keyword.to_string().as_str(), item.last()) {
        ("mod", Some(TokenTree::Group(body))) => {
            let folder = match &attributes.path {
                Some(path) => paths.join(path),
                None => children.join(&name),
            };
            read_items(body.stream(), &folder, &folder, env, items);
        }
        ("mod", _) => items.modules.push(match attributes.path {
            Some(path) => vec![SourceFile::root(paths.join(path))],
            None => {
                let name = name.trim_start_matches("r#");
                let flat = children.join(format!("{name}.rs"));
                let nested = children.join(name).join("mod.rs");
                vec![SourceFile::module(flat), SourceFile::root(nested)]
            }
        }),
        ("const", _) => {
            let Some(equals) = item.iter().position(|token| is_punct(Some(token), '=')) else {
                return;
            };
            let end = item.len() - usize::from(is_punct(item.last(), ';'));
            if equals + 1 < end {
                let value = item[equals + 1..end].iter().cloned();
                items.consts.insert(name, value.collect());
            }
        }
        ("struct", _) => {
            let structure = Structure {
                attributes: attributes.others,
                place: rest[1].span(),
                body: rest[2..].to_vec(),
            };
            items.structs.insert(name, structure);
        }
        _ => {}
    }
}

pub(super) fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::env::Mode;

    pub(in crate::scan) fn env() -> Env {
        Env {
            macro_follows: true,
            manifest_dir: PathBuf::new(),
            out_dir: PathBuf::new(),
            package: "p".to_string(),
            version: "0.1.0".to_string(),
            target: "x86_64-unknown-linux-gnu".to_string(),
            host: "x86_64-unknown-linux-gnu".to_string(),
            mode: Mode::Auto,
            runner: Vec::new(),
            workers: Vec::new(),
            refused: None,
            #[cfg(feature = "tune")]
            shard: None,
            nvrtc: None,
            skip: None,
            features: std::iter::once("FAST_MATH".to_string()).collect(),
            cfg: vec![
                ("unix".to_string(), vec![String::new()]),
                ("target_arch".to_string(), vec!["x86_64".to_string()]),
            ],
            jobs: 1,
            cache_dir: None,
        }
    }

    fn read(text: &str) -> Items {
        super::read(text, &SourceFile::root("src/lib.rs".into()), &env()).unwrap()
    }

    #[test]
    fn finds_tunables_between_other_items() {
        let items = read(
            "#![allow(dead_code)]\nuse std::fmt;\nconst T: [i64; 2] = { [1, 2] };\npub const fn f() -> i64 { 3 }\n\
             struct S;\nimpl S { fn g(&self) {} }\n/// Docs.\n#[bico::tunable(a)]\n#[inline]\npub fn k(x: &[f32]) -> R;\n\
             mod inner { #[tunable(b)] pub(crate) fn l(); }\nmacro_rules! m { () => { #[tunable(c)] fn n(); } }\n\
             #[cfg(windows)] #[tunable(d)] fn o();\n#[cfg_attr(unix, bico::tunable(e))] fn p();",
        );
        let attributes: Vec<String> = items
            .tunables
            .iter()
            .map(|t| t.attribute.to_string())
            .collect();
        assert_eq!(attributes, ["a", "b", "e"]);
        assert_eq!(
            items.tunables[0].rest.to_string(),
            "# [inline] pub fn k (x : & [f32]) -> R ;"
        );
        assert_eq!(items.consts["T"].to_string(), "{ [1 , 2] }");
        assert_eq!(items.consts.len(), 1);
    }

    #[test]
    fn finds_modules() {
        let items = read(
            "mod a;\npub(crate) mod b { mod c; #[path = \"x.rs\"] mod d; }\n#[path = \"other/e.rs\"] mod e;\n#[cfg(windows)] mod f;",
        );
        let by_name = |path: &str| {
            let nested = SourceFile::root(format!("{path}/mod.rs").into());
            vec![SourceFile::module(format!("{path}.rs").into()), nested]
        };
        let by_path = |path: &str| vec![SourceFile::root(path.into())];
        assert_eq!(
            items.modules,
            [
                by_name("src/a"),
                by_name("src/b/c"),
                by_path("src/b/x.rs"),
                by_path("src/other/e.rs"),
            ]
        );
    }

    #[test]
    fn what_cannot_be_tokenised_is_left_to_rustc() {
        assert!(super::read("tunable (", &SourceFile::root("src/lib.rs".into()), &env()).is_none());
        // A syntax error beside a tunable does no harm.
        assert_eq!(
            read("fn } {").tunables.len() + read("fn = ; #[tunable(a)] fn k();").tunables.len(),
            1
        );
    }
}
