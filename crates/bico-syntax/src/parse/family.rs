//! `family(T in [f32 = "float", f16 = "__half"])`: one tunable per type. Tokens go in and come out, so that nothing behind it
//! knows of families.

use super::reader::is_punct;
use super::tokens::{Tokens, is_identifier, split};
use crate::Lists;
use crate::errors::Errors;
use crate::messages;
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// The attributes and functions that `#[bico::tunable(attribute)] item` stands for: itself, or those of its family. `{T}` in the
/// names of functions is the Rust type's name, `T` a parameter whose only value is what the kernel calls the type.
///
/// # Errors
///
/// The family cannot be read, or the function is not generic over it.
pub fn members(
    attribute: TokenStream,
    item: TokenStream,
) -> Result<Vec<(TokenStream, TokenStream)>, Errors> {
    let mut errors = Errors::default();
    // What is wrong with commas is told by who reads the options.
    let parts = split(attribute.clone(), &mut Errors::default());
    let mut families = parts.iter().filter_map(|part| called(part, "family"));
    let Some(family) = families.next() else {
        return Ok(vec![(attribute, item)]);
    };
    if let Some(second) = families.next() {
        errors.report(second.span(), messages::repeated_option("family"));
    }
    let types = types(family, &mut errors);
    let generic = types.as_ref().and_then(|(name, _)| {
        let generic = Generic::of(&item, name);
        if let Err(place) = generic {
            errors.report(place, messages::not_generic(&name.to_string()));
        }
        generic.ok()
    });
    let members = types.zip(generic).map(|((name, types), generic)| {
        let of = |member| {
            (
                options(&parts, &name, member),
                generic.of_member(&name, member),
            )
        };
        types.iter().map(of).collect_vec()
    });
    errors.into_result(members).map(Option::unwrap_or_default)
}

/// What stands in the parentheses of `name(..)`.
fn called<'a>(part: &'a Tokens, name: &str) -> Option<&'a Group> {
    match part.trees.as_slice() {
        [TokenTree::Ident(word), TokenTree::Group(group)] if word == name => Some(group),
        _ => None,
    }
}

/// A type of the family.
struct Member {
    /// As Rust writes it: `half::f16`.
    kind: Vec<TokenTree>,
    /// As the kernel writes it: `"__half"`.
    text: TokenTree,
}

impl Member {
    /// The last word of its name.
    fn rust(&self) -> String {
        self.kind
            .last()
            .map(ToString::to_string)
            .unwrap_or_default()
    }
}

/// The name that stands for the types, and they.
fn types(family: &Group, errors: &mut Errors) -> Option<(Ident, Vec<Member>)> {
    let trees: Vec<TokenTree> = family.stream().into_iter().collect_vec();
    let (name, list) = match trees.as_slice() {
        [
            TokenTree::Ident(name),
            TokenTree::Ident(word),
            TokenTree::Group(list),
        ] if word == "in"
            && list.delimiter() == Delimiter::Bracket
            && is_identifier(&name.to_string()) =>
        {
            (name, list)
        }
        _ => {
            errors.report(family.span(), messages::family());
            return None;
        }
    };
    let mut members: Vec<Member> = Vec::new();
    for part in split(list.stream(), errors) {
        let [kind @ .., equals, text @ TokenTree::Literal(_)] = part.trees.as_slice() else {
            errors.report(part.whole(), messages::family());
            return None;
        };
        let is_type = matches!(kind.last(), Some(TokenTree::Ident(_)));
        if !is_type || !is_punct(equals, '=') || super::string(&text.to_string()).is_none() {
            errors.report(part.whole(), messages::family());
            return None;
        }
        let (kind, text) = (kind.to_vec(), text.clone());
        let member = Member { kind, text };
        if members.iter().any(|known| known.rust() == member.rust()) {
            errors.report(part.span(), messages::repeated_type(&member.rust()));
        }
        members.push(member);
    }
    if members.is_empty() {
        errors.report(list.span(), messages::family());
        return None;
    }
    Some((name.clone(), members))
}

/// The options of one member.
fn options(parts: &[Tokens], name: &Ident, member: &Member) -> TokenStream {
    let mut own: Vec<TokenTree> = Vec::new();
    for part in parts.iter().filter(|part| called(part, "family").is_none()) {
        own.extend(member.option(part, name, true));
        own.push(comma());
    }
    // Variants may do without a space of all.
    let given = |name| parts.iter().any(|part| called(part, name).is_some());
    if given("variant") && !given("space") {
        let nothing = Group::new(Delimiter::Parenthesis, TokenStream::new());
        own.push(Ident::new("space", name.span()).into());
        own.push(member.widened(&nothing.into(), name));
    }
    TokenStream::from_iter(own)
}

impl Member {
    /// One option, of the tunable or of a variant, which has no space of its own to be widened.
    fn option(&self, part: &Tokens, name: &Ident, outer: bool) -> Vec<TokenTree> {
        let trees = part.trees.iter();
        match part.trees[0].to_string().as_str() {
            "entry" | "verify" | "scratch" | "args" | "pass" | "inputs" | "drive" => {
                self.filled(&part.trees, name)
            }
            "name" => trees.map(|tree| self.suffixed(tree)).collect_vec(),
            "space" if outer => trees.map(|tree| self.widened(tree, name)).collect_vec(),
            "variant" => trees.map(|tree| self.of_variant(tree, name)).collect_vec(),
            _ => part.trees.clone(),
        }
    }

    /// What stands in a variant's parentheses.
    fn of_variant(&self, tree: &TokenTree, name: &Ident) -> TokenTree {
        let TokenTree::Group(group) = tree else {
            return tree.clone();
        };
        let mut trees = Vec::new();
        for part in split(group.stream(), &mut Errors::default()) {
            trees.extend(self.option(&part, name, false));
            trees.push(comma());
        }
        regrouped(group, trees)
    }

    /// With the type in the place of its name, and its name in that of `{T}` in strings.
    fn filled(&self, trees: &[TokenTree], name: &Ident) -> Vec<TokenTree> {
        let placeholder = format!("{{{name}}}");
        let mut filled = Vec::new();
        for tree in trees {
            match tree {
                TokenTree::Ident(word) if word == name => {
                    for mut own in self.kind.clone() {
                        own.set_span(word.span());
                        filled.push(own);
                    }
                }
                TokenTree::Literal(_) => filled.push(match super::string(&tree.to_string()) {
                    Some(text) if text.contains(&placeholder) => {
                        literal(&text.replace(&placeholder, &self.rust()), tree.span())
                    }
                    _ => tree.clone(),
                }),
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect_vec();
                    filled.push(regrouped(group, self.filled(&inner, name)));
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => filled.push(tree.clone()),
            }
        }
        filled
    }

    /// `"softmax"` as `"softmax.f32"`.
    fn suffixed(&self, tree: &TokenTree) -> TokenTree {
        match (tree, super::string(&tree.to_string())) {
            (TokenTree::Literal(_), Some(text)) => {
                literal(&format!("{text}.{}", self.rust()), tree.span())
            }
            _ => tree.clone(),
        }
    }

    /// A space with one parameter more, whose only value is what the kernel calls the type.
    fn widened(&self, tree: &TokenTree, name: &Ident) -> TokenTree {
        let TokenTree::Group(group) = tree else {
            return tree.clone();
        };
        let list = Group::new(Delimiter::Bracket, self.text.clone().into());
        let mut trees = Vec::new();
        for part in split(group.stream(), &mut Errors::default()) {
            trees.extend(part.trees);
            trees.push(comma());
        }
        trees.extend([
            name.clone().into(),
            Ident::new("in", name.span()).into(),
            list.into(),
            comma(),
        ]);
        regrouped(group, trees)
    }
}

fn comma() -> TokenTree {
    Punct::new(',', Spacing::Alone).into()
}

fn literal(text: &str, span: Span) -> TokenTree {
    let mut literal = Literal::string(text);
    literal.set_span(span);
    literal.into()
}

fn regrouped(group: &Group, trees: Vec<TokenTree>) -> TokenTree {
    let mut new = Group::new(group.delimiter(), TokenStream::from_iter(trees));
    new.set_span(group.span());
    new.into()
}

/// `fn softmax<T>(..)`, taken apart.
struct Generic {
    before: Vec<TokenTree>,
    name: Ident,
    behind: Vec<TokenTree>,
}

impl Generic {
    /// The function, or where it ought to be generic over the family alone.
    fn of(item: &TokenStream, over: &Ident) -> Result<Generic, Span> {
        let trees: Vec<TokenTree> = item.clone().into_iter().collect_vec();
        let is_fn = |tree: &TokenTree| matches!(tree, TokenTree::Ident(word) if word == "fn");
        let at = trees.iter().position(is_fn).ok_or(over.span())?;
        match &trees[at + 1..] {
            [
                TokenTree::Ident(name),
                open,
                TokenTree::Ident(word),
                close,
                behind @ ..,
            ] if is_punct(open, '<') && word == over && is_punct(close, '>') => Ok(Generic {
                before: trees[..=at].to_vec(),
                name: name.clone(),
                behind: behind.to_vec(),
            }),
            behind => Err(behind.first().map_or(over.span(), TokenTree::span)),
        }
    }

    /// The function of a member.
    fn of_member(&self, over: &Ident, member: &Member) -> TokenStream {
        let name = format!("{}_{}", self.name, member.rust());
        let name = TokenTree::from(Ident::new(&name, self.name.span()));
        let mut trees = self.before.clone();
        trees.push(name);
        trees.extend(member.filled(&self.behind, over));
        TokenStream::from_iter(trees)
    }
}
