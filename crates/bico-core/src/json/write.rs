//! JSON -> text: the same content gives the same bytes.

use crate::Lists;
use crate::sorted::sort_by;
use std::borrow::Cow;
use std::fmt::Write;

/// The name of a field: mostly one that stands in the program.
type Name = Cow<'static, str>;

/// JSON that is to be written.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// A number, `true` or `false`, as it is written.
    Plain(String),
    /// A string.
    Text(String),
    /// An object, in the order of its fields; in [`Json::to_text`] a field per line.
    Object(Vec<(Name, Json)>),
    /// A list; in [`Json::to_text`] an element per line.
    List(Vec<Json>),
    /// What stands in one line of [`Json::to_text`].
    Line(Box<Json>),
}

/// How far the parts of something stand from each other.
#[derive(Clone, Copy)]
enum Layout {
    Compact,
    Line,
    /// A line for each, so deep inside.
    Lines(usize),
}

impl Json {
    /// An object, in the given order.
    pub fn object(fields: Vec<(&'static str, Json)>) -> Json {
        let mut named = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            named.push((Name::Borrowed(name), value));
        }
        Json::Object(named)
    }

    /// An object with its keys sorted; those of what it holds stay as they are.
    pub fn with_sorted_keys(mut self) -> Json {
        if let Json::Object(fields) = &mut self {
            sort_by(fields, &|a, b| a.0.cmp(&b.0));
        }
        self
    }

    /// A variant of an enum: its name, or a list of it and its parts.
    pub fn variant(name: &str, parts: Vec<Json>) -> Json {
        let name = Json::Text(name.to_string());
        match parts.is_empty() {
            true => name,
            false => Json::List(std::iter::once(name).chain(parts).collect_vec()),
        }
    }

    /// A number with all its digits, written as serde_json does, which wrote it before: `0.00001`, `1e-6`, `1e+16`.
    /// `null` where it is not finite, which JSON does not know.
    pub fn number(number: f64) -> Json {
        let size = number.abs();
        if !size.is_finite() {
            return Json::Null;
        }
        // `Debug` has an exponent from 1e-4 downwards.
        let shortest = match (1e-5..1e-4).contains(&size) {
            true => number.to_string(),
            false => format!("{number:?}"),
        };
        let fraction = shortest.split_once('.').map_or("", |(_, digits)| digits);
        let digits = fraction.find('e').unwrap_or(fraction.len());
        // Where two shortest forms are equally near, the even one is taken.
        Json::Plain(match () {
            () if size >= 1e16 => shortest.replace('e', "e+"),
            () if shortest.contains('e') => format!("{number:.digits$e}"),
            () => format!("{number:.digits$}"),
        })
    }

    /// In one line of [`Json::to_text`], with all that it holds.
    pub fn in_one_line(self) -> Json {
        Json::Line(Box::new(self))
    }

    /// Without a blank or a line break.
    pub fn compact(&self) -> String {
        let mut out = String::new();
        self.append_to(&mut out);
        out
    }

    /// The same, behind what is there.
    pub fn append_to(&self, out: &mut String) {
        self.write(out, Layout::Compact);
    }

    /// For people, over several lines; without a line break at the end.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, Layout::Lines(0));
        out
    }

    fn write(&self, out: &mut String, layout: Layout) {
        match (self, layout) {
            (Json::Null, _) => out.push_str("null"),
            (Json::Plain(text), _) => out.push_str(text),
            (Json::Text(text), _) => quote(out, text),
            (Json::Object(fields), _) => {
                let mut parts = fields.iter().map(|(name, value)| (Some(name), value));
                layout.each(out, ['{', '}'], &mut parts);
            }
            (Json::List(elements), _) => {
                let mut parts = elements.iter().map(|element| (None, element));
                layout.each(out, ['[', ']'], &mut parts);
            }
            (Json::Line(json), Layout::Compact) => json.write(out, layout),
            (Json::Line(json), _) => json.write(out, Layout::Line),
        }
    }
}

impl Layout {
    fn each(
        self,
        out: &mut String,
        [open, close]: [char; 2],
        parts: &mut dyn Iterator<Item = (Option<&Name>, &Json)>,
    ) {
        let (inner, between, colon) = match self {
            Layout::Compact => (self, ",", ":"),
            Layout::Line => (self, ", ", ": "),
            Layout::Lines(depth) => (Layout::Lines(depth + 1), ",", ": "),
        };
        out.push(open);
        let mut empty = true;
        for (name, value) in parts {
            out.push_str(if empty { "" } else { between });
            empty = false;
            inner.new_line(out);
            if let Some(name) = name {
                quote(out, name);
                out.push_str(colon);
            }
            value.write(out, inner);
        }
        if !empty {
            self.new_line(out);
        }
        out.push(close);
    }

    fn new_line(self, out: &mut String) {
        if let Layout::Lines(depth) = self {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        }
    }
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
