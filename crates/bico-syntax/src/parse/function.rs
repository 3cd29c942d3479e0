//! The function that the attribute stands on.

use super::reader::{Read, Reader, inside, is_punct, list};
use super::rust_type::{RustType, extent};
use crate::Lists;
use crate::errors::Errors;
use crate::messages;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// A function, cut into its parts.
#[derive(Debug, Clone)]
pub struct Function {
    /// What stands above it: docs, `cfg`, `allow`.
    pub attributes: Vec<Attribute>,
    /// `pub`, `pub(crate)`, or nothing.
    pub visibility: TokenStream,
    /// What stands before `fn`, such as `unsafe`.
    pub qualifiers: TokenStream,
    /// Its name.
    pub name: Ident,
    /// `<const TILE: usize>` of a Rust function, else nothing.
    pub generics: TokenStream,
    /// Its arguments.
    pub inputs: Vec<Input>,
    /// `-> T`, or nothing.
    pub output: TokenStream,
    /// The parentheses around the arguments.
    pub(crate) parentheses: Group,
    /// What no tunable may have.
    where_clause: Option<Span>,
    dots: Option<Span>,
    end: End,
}

impl Function {
    /// Its braces, where it has a body.
    pub fn body(&self) -> Option<&Group> {
        match &self.end {
            End::Body(body) => Some(body),
            End::Semicolon | End::Missing => None,
        }
    }

    /// Whether it is an `unsafe fn`.
    pub fn is_unsafe(&self) -> bool {
        self.qualifier("unsafe").is_some()
    }

    /// Where this word stands before `fn`.
    fn qualifier(&self, name: &str) -> Option<Span> {
        let mut words = self.qualifiers.clone().into_iter();
        let found = words.find(|tree| matches!(tree, TokenTree::Ident(word) if word == name));
        found.map(|word| word.span())
    }
}

/// One `#[..]`.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its first word: `cfg`.
    pub name: String,
    /// All of it, from `#` on.
    pub tokens: TokenStream,
    pub(crate) inside: Vec<TokenTree>,
}

/// One argument of a [`Function`].
#[derive(Debug, Clone)]
pub struct Input {
    /// What stands before it.
    pub attributes: Vec<Attribute>,
    /// What stands before its `:`; all of it where it is `self`.
    pub pattern: TokenStream,
    /// Its type; `None`: it is `self`.
    pub kind: Option<TokenStream>,
    /// Whether it is a `#[value]`.
    pub is_value: bool,
}

impl Input {
    /// Its name, where its pattern is one.
    pub fn name(&self) -> Option<Ident> {
        let mut trees: Vec<TokenTree> = self.pattern.clone().into_iter().collect_vec();
        trees.retain(
            |tree| !matches!(tree, TokenTree::Ident(word) if word == "mut" || word == "ref"),
        );
        match trees.as_slice() {
            [TokenTree::Ident(name)] if name != "_" => Some(name.clone()),
            _ => None,
        }
    }

    /// What its type is, by its looks.
    pub fn rust_type(&self) -> Option<RustType> {
        let trees: Vec<TokenTree> = self.kind.clone()?.into_iter().collect_vec();
        Some(RustType::read(&trees))
    }
}

/// What follows the signature.
#[derive(Debug, Clone)]
enum End {
    Semicolon,
    Body(Group),
    Missing,
}

fn function(reader: &mut Reader<'_>) -> Read<Function> {
    let attributes = attributes(reader)?;
    let start = reader.at;
    if reader.take("pub").is_some()
        && let Some(group) = reader.group(Delimiter::Parenthesis)
        && let Some(TokenTree::Ident(word)) = group.stream().into_iter().next()
        && ["crate", "self", "super", "in"].contains(&word.to_string().as_str())
    {
        reader.skip(1);
    }
    let visibility = from(reader, start);
    let start = reader.at;
    for qualifier in ["const", "async", "unsafe", "extern"] {
        if reader.take(qualifier).is_some()
            && qualifier == "extern"
            && matches!(reader.peek(), Some(TokenTree::Literal(_)))
        {
            reader.skip(1);
        }
    }
    let qualifiers = from(reader, start);
    if reader.take("fn").is_none() {
        return Err(reader.broken(messages::not_a_function()));
    }
    let Some(name) = reader.word().cloned() else {
        return Err(reader.expected("identifier"));
    };
    reader.skip(1);
    let start = reader.at;
    if reader.sees("<") {
        reader.angles()?;
    }
    let generics = from(reader, start);
    let parentheses = reader.want_group(Delimiter::Parenthesis, "parentheses")?;
    let mut dots = None;
    let trees = inside(parentheses);
    let mut inputs = Vec::new();
    for part in list(&trees) {
        let mut inner = Reader::new(part, reader.errors, reader.lets);
        match inner.take("...") {
            Some(span) => dots = Some(span),
            None => inputs.push(input(&mut inner)?),
        }
    }
    let start = reader.at;
    if reader.take("->").is_some() {
        if at_end(reader) {
            return Err(reader.expected("a type"));
        }
        reader.skip_until(&at_end);
    }
    let output = from(reader, start);
    let where_clause = reader.take("where");
    reader.skip_until(&at_end);
    let end = match reader.peek() {
        None => End::Missing,
        Some(TokenTree::Group(body)) => End::Body(body.clone()),
        Some(_) => End::Semicolon,
    };
    reader.skip(1);
    if !reader.is_over() {
        return Err(reader.expected("nothing after the function"));
    }
    Ok(Function {
        attributes,
        visibility,
        qualifiers,
        name,
        generics,
        inputs,
        output,
        parentheses: parentheses.clone(),
        where_clause,
        dots,
        end,
    })
}

/// Whether what follows ends a return type, or a `where`.
fn at_end(reader: &Reader<'_>) -> bool {
    reader.is_over()
        || reader.sees(";")
        || reader.group(Delimiter::Brace).is_some()
        || reader.word().is_some_and(|word| word == "where")
}

/// The tokens from number `start` to where `reader` is.
fn from(reader: &Reader<'_>, start: usize) -> TokenStream {
    TokenStream::from_iter(reader.trees[start..reader.at].to_vec())
}

fn attributes(reader: &mut Reader<'_>) -> Read<Vec<Attribute>> {
    let mut attributes = Vec::new();
    while reader.sees("#") {
        let start = reader.at;
        reader.skip(1);
        let inside = inside(reader.want_group(Delimiter::Bracket, "square brackets")?);
        attributes.push(Attribute {
            name: match inside.as_slice() {
                [TokenTree::Ident(_), colon, ..] if is_punct(colon, ':') => String::new(),
                [TokenTree::Ident(name), ..] => name.to_string(),
                _ => String::new(),
            },
            tokens: from(reader, start),
            inside,
        });
    }
    Ok(attributes)
}

fn input(reader: &mut Reader<'_>) -> Read<Input> {
    let attributes = attributes(reader)?;
    let start = reader.at;
    while !reader.is_over() && !reader.sees(":") {
        let step = reader.operator().len().max(1);
        reader.skip(step);
    }
    let pattern = from(reader, start);
    let is_self = |tree: &TokenTree| matches!(tree, TokenTree::Ident(word) if word == "self");
    let receiver = reader.trees[start..reader.at].iter().any(is_self);
    if !receiver {
        reader.want(":")?;
    }
    let start = reader.at;
    reader.at = reader.trees.len();
    if !receiver && start == reader.at {
        return Err(reader.expected("a type"));
    }
    let kind = (!receiver).then(|| from(reader, start));
    Ok(Input {
        is_value: attributes.iter().any(|own| own.name == "value"),
        attributes,
        pattern,
        kind,
    })
}

/// Reads attributes, visibility and signature, with or without a body, for a stub that keeps
/// editors working after a mistake. Our attributes on the arguments are removed.
///
/// # Errors
///
/// If the tokens are no function.
pub fn parse_item(tokens: TokenStream) -> Result<Function, Errors> {
    let mut errors = Errors::default();
    let Some(mut function) = read_tokens(tokens, &mut errors) else {
        return Err(errors);
    };
    strip(&mut function);
    Ok(function)
}

/// Removes `#[len]`, `#[init]` and the like, which rustc does not know.
pub(crate) fn strip(function: &mut Function) {
    const OWN: [&str; 5] = ["len", "init", "align", "constant", "value"];
    for input in &mut function.inputs {
        let attributes = &mut input.attributes;
        attributes.retain(|own| !OWN.contains(&own.name.as_str()));
    }
}

fn read_tokens(tokens: TokenStream, errors: &mut Errors) -> Option<Function> {
    let trees: Vec<TokenTree> = tokens.into_iter().collect_vec();
    let last = trees.last().map_or_else(Span::call_site, TokenTree::span);
    let mut found = Errors::default();
    let read = function(&mut Reader::new(&trees, &mut found, &mut Vec::new()));
    read.map_err(|broken| errors.report(broken.span.unwrap_or(last), broken.message))
        .ok()
}

/// Reads the item and checks everything about it but its arguments. Where it stands `alone`, without a source, it may have a
/// body.
pub(crate) fn read(tokens: TokenStream, alone: bool, errors: &mut Errors) -> Option<Function> {
    let end = tokens.clone().into_iter().last();
    let end = end.map_or_else(Span::call_site, |tree| tree.span());
    let function = read_tokens(tokens, errors)?;
    let tuned = alone && function.body().is_some();
    match &function.end {
        End::Body(_) if tuned => {}
        End::Body(body) => errors.report(body.span_open(), messages::body()),
        End::Missing => errors.report(end, messages::missing_semicolon()),
        End::Semicolon => {}
    }
    let generics = function.generics.clone().into_iter().next();
    let unsupported = [
        (function.qualifier("const"), "`const`"),
        (function.qualifier("async"), "`async`"),
        (function.qualifier("extern"), "`extern`"),
        (
            generics.filter(|_| !tuned).map(|tree| tree.span()),
            "generic parameters",
        ),
        (function.where_clause, "`where`"),
        (function.dots, "variadic arguments"),
    ];
    for (span, what) in unsupported {
        if let Some(span) = span {
            errors.report(
                span,
                match tuned {
                    true => messages::function_part(what),
                    false => messages::signature_part(what),
                },
            );
        }
    }
    // Behind `->`.
    let output: Vec<TokenTree> = function.output.clone().into_iter().skip(2).collect_vec();
    if tuned {
        if !output.is_empty() {
            errors.report(extent(&output), messages::function_value());
        }
        return Some(function);
    }
    if output.is_empty() {
        let end = function.parentheses.span_close();
        errors.report(end, messages::return_type());
        return Some(function);
    }
    match RustType::read(&output) {
        RustType::Path { name, inner, .. } if name == "Result" => {
            if !inner.is_some_and(|inner| matches!(*inner, RustType::Unit)) {
                errors.report(extent(&output), messages::return_value());
            }
        }
        _ => errors.report(extent(&output), messages::return_type()),
    }
    Some(function)
}
