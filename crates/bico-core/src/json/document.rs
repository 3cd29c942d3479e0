//! A text as strict JSON, with the places of what stands in it.

use super::{Error, Item, Place};
use crate::Lists;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, ParseStringErrorKind};
use std::path::Path;

/// A kind of text: how messages speak of it, and what its strings may hold.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Its name: `lock`.
    pub name: &'static str,
    /// What to do with a damaged one; may be empty.
    pub mend: &'static str,
    /// What is wrong with a string, if anything is.
    pub fault: fn(&str) -> Option<String>,
}

impl Kind {
    /// What one process says to another: any string may stand in it.
    pub const MESSAGE: Kind = Kind {
        name: "message",
        mend: "",
        fault: |_| None,
    };
}

/// A text that is JSON.
#[derive(Debug)]
pub struct Document<'a> {
    source: Source<'a>,
    value: Value<'a>,
}

/// The text, and how to speak of it.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) kind: &'a Kind,
    path: &'a Path,
    text: &'a str,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl<'a> Document<'a> {
    /// Reads a text; `path` is for messages.
    ///
    /// # Errors
    ///
    /// It is not JSON, or has a key twice.
    pub fn parse(kind: &'a Kind, path: &'a Path, text: &'a str) -> Result<Document<'a>, Error> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let after = breaks.map(|(index, _)| index + 1);
        let source = Source {
            kind,
            path,
            text,
            lines: std::iter::once(0).chain(after).collect_vec(),
        };
        let value = source.json()?;
        source.no_duplicates(&value)?;
        Ok(Document { source, value })
    }

    /// All that it says.
    pub fn root(&self) -> Item<'_> {
        Item {
            source: &self.source,
            value: &self.value,
            name: "",
            key: self.value.range(),
        }
    }
}

impl<'a> Source<'a> {
    fn place_at(&self, byte: usize) -> Place {
        let line = self.lines.partition_point(|start| *start <= byte);
        let start = self.lines[line.saturating_sub(1)];
        let before = self.text.get(start..byte);
        Place {
            line,
            column: before.map_or(0, |before| before.chars().count()) + 1,
        }
    }

    /// Where something begins.
    pub(super) fn place(&self, of: &impl Ranged) -> Place {
        self.place_at(of.range().start)
    }

    /// A fault of something.
    pub(super) fn error(&self, of: &impl Ranged, message: impl Into<String>) -> Error {
        Error::at(self.path, self.place(of), message)
    }

    /// A fault of a damaged text.
    pub(super) fn damaged(&self, place: Place, message: impl Into<String>) -> Error {
        let error = Error::at(self.path, place, message);
        match self.kind.mend {
            "" => error,
            mend => error.help(mend),
        }
    }

    /// The text as JSON: nothing that JSON does not know.
    fn json(&self) -> Result<Value<'a>, Error> {
        let options = ParseOptions {
            allow_comments: false,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = jsonc_parser::parse_to_ast(self.text, &CollectOptions::default(), &options)
            .map_err(|error| self.not_json(&error))?;
        parsed.value.ok_or_else(|| {
            self.damaged(Place::default(), format!("the {} is empty", self.kind.name))
        })
    }

    fn not_json(&self, error: &ParseError) -> Error {
        use ParseErrorKind::*;
        let name = self.kind.name;
        let end = self.text.trim_end().len();
        let ends_early = matches!(
            error.kind(),
            UnterminatedArray
                | UnterminatedObject
                | String(ParseStringErrorKind::UnterminatedStringLiteral)
                | ExpectedObjectValue
                | ExpectedColonAfterObjectKey
                | ExpectedDigit
                | BareDecimalPointNumbersNotAllowed
                | ExpectedDigitFollowingNegativeSign
                | ExpectedPlusMinusOrDigitInNumberLiteral
                | UnexpectedWord
        );
        if ends_early
            && (matches!(error.kind(), UnterminatedArray | UnterminatedObject)
                || error.range().end >= end)
        {
            return self.damaged(self.place_at(end), format!("the {name} ends in the middle"));
        }
        let start = self.text.get(error.range().start..).unwrap_or_default();
        let word = start.strip_prefix('-').unwrap_or(start);
        let not_finite = word.starts_with("NaN") || word.starts_with("Infinity");
        let message = match error.kind() {
            CommentsNotAllowed => {
                format!("comments do not belong into a {name}: they would be lost")
            }
            TrailingCommasNotAllowed => "a comma before the end of a list".to_string(),
            _ if not_finite => "numbers must be finite".to_string(),
            kind => {
                let mut text = kind.to_string();
                if let Some(first) = text.get_mut(..1) {
                    first.make_ascii_lowercase();
                }
                format!("this is not JSON: {text}")
            }
        };
        self.damaged(self.place_at(error.range().start), message)
    }

    fn no_duplicates(&self, value: &Value<'_>) -> Result<(), Error> {
        match value {
            Value::Object(object) => {
                let properties = &object.properties;
                // Sorted, as they are written, none stands there twice; that costs nearly nothing.
                let sorted = properties.is_sorted_by(|a, b| a.name.as_str() < b.name.as_str());
                for (index, property) in properties.iter().enumerate().filter(|_| !sorted) {
                    let name = property.name.as_str();
                    let mut earlier = properties[..index].iter();
                    if let Some(first) = earlier.find(|first| first.name.as_str() == name) {
                        let message = format!("`{}` stands here twice", name.escape_debug());
                        let line = self.place(&first.name).line;
                        return Err(self.error(&property.name, message).help(format!(
                            "the first stands in line {line}; delete one of the two"
                        )));
                    }
                }
                let mut values = properties.iter().map(|property| &property.value);
                values.try_for_each(|value| self.no_duplicates(value))
            }
            Value::Array(array) => {
                let mut elements = array.elements.iter();
                elements.try_for_each(|element| self.no_duplicates(element))
            }
            _ => Ok(()),
        }
    }
}
