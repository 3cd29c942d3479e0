//! The structures that buffers hold, or that are passed by value: what the `struct` of the same file says of them.

use super::cfg::{Meta, Value};
use super::items::is_punct;
use bico_core::{Lists, Map};
use bico_syntax::{ArgumentKind, Error, Field, Layout, Name, RustType, TunableSpec};
use proc_macro2::{Group, Span, TokenTree};

/// Structures in structures at most: what contains itself is rustc's to report.
const DEEPEST: usize = 8;

/// A `struct` as tokens.
pub(super) struct Structure {
    pub attributes: Vec<TokenTree>,
    /// Where its name stands.
    pub place: Span,
    /// What follows the name.
    pub body: Vec<TokenTree>,
}

/// Completes the layouts of a tunable's buffers; gives what is wrong with their structures.
pub(super) fn resolve(spec: &mut TunableSpec, structs: &Map<String, Structure>) -> Vec<Error> {
    let mut errors: Vec<Error> = Vec::new();
    for argument in &mut spec.arguments {
        let (ArgumentKind::Buffer { layout, .. } | ArgumentKind::Structure(layout)) =
            &mut argument.kind
        else {
            continue;
        };
        let Some(path) = layout.structure.clone() else {
            continue;
        };
        match read(&path, structs, DEEPEST) {
            Ok(found) => **layout = found,
            Err(error) if errors.iter().any(|known| known.message == error.message) => {}
            Err(error) => errors.push(error),
        }
    }
    errors
}

/// The layout of a structure.
fn read(path: &Name, structs: &Map<String, Structure>, depth: usize) -> Result<Layout, Error> {
    let mut layout = Layout::structure(path.clone());
    let name = layout.name().to_string();
    let Some(of) = structs.get(&name).filter(|_| depth > 0) else {
        let message = format!("`{name}` is neither a number nor a `struct` of this file");
        let known: Vec<&str> = structs.keys().map(String::as_str).collect_vec();
        let near = bico_syntax::nearest(&name, &known);
        let near = near.map(|near| format!("did you mean `{near}`?"));
        let note =
            || "bico reads its definition, which must stand in the file of the function".into();
        return Err(Error::new(path.span, message).note(near.unwrap_or_else(note)));
    };
    let fault = |message: String, note: String| Err(Error::new(of.place, message).note(note));
    let Some(align) = repr(&of.attributes) else {
        let note = format!("a kernel sees fields as they are written: `#[repr(C)] struct {name}`");
        return fault(format!("`{name}` is not `#[repr(C)]`"), note);
    };
    layout.align = align;
    let Some(fields) = fields(&of.body) else {
        let note = "a field is a name and a type, `mass: f32`; without generics and `#[cfg]`";
        return fault(
            format!("`{name}` is no structure of named fields"),
            note.into(),
        );
    };
    for (field, kind) in fields {
        let own = match Layout::read(&kind) {
            Some(Layout {
                structure: Some(path),
                ..
            }) => read(&path, structs, depth - 1)?,
            Some(own) => own,
            None => {
                let field = Error::new(
                    field.span,
                    format!(
                        "`{}` of `{name}` is neither a number, an array of numbers nor a structure",
                        field.text
                    ),
                );
                return Err(field.note("the length of an array is written out: `[f32; 3]`"));
            }
        };
        if let Some((message, note)) = gap(&layout, own.align) {
            return fault(
                format!("`{name}` has {message} before `{}`", field.text),
                note,
            );
        }
        layout.align = layout.align.max(own.align);
        let own = own.fields.into_iter().map(|inner| Field {
            name: match inner.name.as_str() {
                "" => field.text.clone(),
                inner => format!("{}.{inner}", field.text),
            },
            ..inner
        });
        layout.fields.extend(own);
    }
    match gap(&layout, layout.align) {
        Some((message, note)) => fault(format!("`{name}` has {message} at its end"), note),
        None => Ok(layout),
    }
}

/// What lies between what there is and something of this alignment, and what to do about it.
fn gap(layout: &Layout, align: usize) -> Option<(String, String)> {
    let bytes = layout.size().next_multiple_of(align) - layout.size();
    let plural = if bytes == 1 { "" } else { "s" };
    let note = format!(
        "order the fields by their size, or say what lies there: `_gap: [u8; {bytes}]` is filled and not compared"
    );
    (bytes > 0).then(|| (format!("a gap of {bytes} byte{plural}"), note))
}

/// The fields in a structure's braces; `None` where bico cannot read them.
fn fields(body: &[TokenTree]) -> Option<Vec<(Name, RustType)>> {
    let [TokenTree::Group(braces)] = body else {
        return None;
    };
    let trees: Vec<TokenTree> = braces.stream().into_iter().collect_vec();
    let mut fields = Vec::new();
    for part in trees.split(|tree| is_punct(Some(tree), ',')) {
        if !part.is_empty() {
            fields.push(field(part)?);
        }
    }
    (!fields.is_empty()).then_some(fields)
}

/// The least alignment that `#[repr(C)]` or `#[repr(C, align(16))]` gives; `None` of any other.
fn repr(attributes: &[TokenTree]) -> Option<usize> {
    let metas = attributes.iter().filter_map(|tree| match tree {
        TokenTree::Group(group) => Meta::read(group.stream()),
        _ => None,
    });
    let (mut in_order, mut align) = (false, 1_usize);
    for meta in metas.filter(|meta| meta.path == ["repr"]) {
        let Value::List(words) = meta.value else {
            return None;
        };
        for word in Meta::list(words)? {
            match (word.path.first()?.as_str(), word.value) {
                ("C", Value::Nothing) => in_order = true,
                ("align", Value::List(bytes)) => align = bytes.to_string().parse().ok()?,
                _ => return None,
            }
        }
    }
    (in_order && align.is_power_of_two()).then_some(align)
}

/// The name and the type of a field.
fn field(part: &[TokenTree]) -> Option<(Name, RustType)> {
    match part {
        [hash, TokenTree::Group(attribute), rest @ ..] if is_punct(Some(hash), '#') => {
            (!is_cfg(attribute)).then(|| field(rest))?
        }
        [TokenTree::Ident(word), TokenTree::Group(_), rest @ ..] if word == "pub" => field(rest),
        [TokenTree::Ident(word), rest @ ..] if word == "pub" => field(rest),
        [TokenTree::Ident(name), colon, kind @ ..] if is_punct(Some(colon), ':') => {
            Some((Name::new(name, name.span()), RustType::read(kind)))
        }
        _ => None,
    }
}

fn is_cfg(attribute: &Group) -> bool {
    let meta = Meta::read(attribute.stream());
    meta.is_some_and(|meta| meta.path == ["cfg"])
}
