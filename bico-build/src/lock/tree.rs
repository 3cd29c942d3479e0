//! The JSON of a lock with its places: what is there, of the right kind, and each key once.

use super::{Error, Place, text};
use jsonc_parser::ast::{self, Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, ParseStringErrorKind};
use std::collections::HashMap;
use std::path::Path;

/// The way out of a file that was damaged.
pub(super) const RESTORE: &str =
    "restore the file from version control, or delete it to tune again";

/// The text of a lock, and how to speak of it.
pub(super) struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    /// Where each line begins.
    lines: Vec<usize>,
}

/// The fields of an object that is not data; each is taken once.
pub(super) struct Fields<'r, 'v> {
    reader: &'r Reader<'r>,
    object: &'v Object<'v>,
    what: &'static str,
    taken: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(path: &'a Path, text: &'a str) -> Reader<'a> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Reader {
            path,
            text,
            lines: std::iter::once(0)
                .chain(breaks.map(|(index, _)| index + 1))
                .collect(),
        }
    }

    fn place_at(&self, byte: usize) -> Place {
        let line = self.lines.partition_point(|start| *start <= byte);
        let start = self.lines[line.saturating_sub(1)];
        let column = self
            .text
            .get(start..byte)
            .map_or(0, |before| before.chars().count());
        Place {
            line,
            column: column + 1,
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

    /// The text as JSON: nothing that JSON does not know, and no key twice.
    pub(super) fn json(&self) -> Result<Value<'a>, Error> {
        self.no_merge_markers()?;
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
        let value = parsed
            .value
            .ok_or_else(|| Error::of_file(self.path, "the lock is empty").help(RESTORE))?;
        self.no_duplicates(&value)?;
        Ok(value)
    }

    fn no_merge_markers(&self) -> Result<(), Error> {
        for (index, line) in self.text.lines().enumerate() {
            let marker = ["<<<<<<<", "|||||||", ">>>>>>>"]
                .iter()
                .any(|marker| line.starts_with(marker));
            if marker || line.trim_end() == "=======" {
                let place = Place {
                    line: index + 1,
                    column: 1,
                };
                return Err(
                    Error::at(self.path, place, "the lock holds a merge conflict")
                        .help("keep all entries of both sides, or take one side (`git checkout --ours bico.lock`), then run `BICO=tune cargo build`"),
                );
            }
        }
        Ok(())
    }

    fn not_json(&self, error: &ParseError) -> Error {
        use ParseErrorKind::*;
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
            return Error::at(self.path, self.place_at(end), "the lock ends in the middle")
                .help(RESTORE);
        }
        let start = self.text.get(error.range().start..).unwrap_or_default();
        let word = start.strip_prefix('-').unwrap_or(start);
        let not_finite = word.starts_with("NaN") || word.starts_with("Infinity");
        let message = match error.kind() {
            CommentsNotAllowed => {
                "comments do not belong into a lock: they would be lost".to_string()
            }
            TrailingCommasNotAllowed => "a comma before the end of a list".to_string(),
            _ if not_finite => "numbers must be finite".to_string(),
            kind => {
                let text = kind.to_string();
                let mut chars = text.chars();
                let first = chars.next().map(|c| c.to_ascii_lowercase());
                format!(
                    "this is not JSON: {}{}",
                    first.unwrap_or(' '),
                    chars.as_str()
                )
            }
        };
        Error::at(self.path, self.place_at(error.range().start), message).help(RESTORE)
    }

    fn no_duplicates(&self, value: &Value<'_>) -> Result<(), Error> {
        match value {
            Value::Object(object) => {
                let names = |index: usize| {
                    object
                        .properties
                        .get(index)
                        .map(|property| property.name.as_str())
                };
                // Sorted, as they are written, none stands there twice; that costs nearly nothing.
                if !(1..object.properties.len()).all(|index| names(index - 1) < names(index)) {
                    self.each_key_once(object)?;
                }
                object
                    .properties
                    .iter()
                    .try_for_each(|property| self.no_duplicates(&property.value))
            }
            Value::Array(array) => array
                .elements
                .iter()
                .try_for_each(|element| self.no_duplicates(element)),
            _ => Ok(()),
        }
    }

    fn each_key_once(&self, object: &Object<'_>) -> Result<(), Error> {
        let mut seen: HashMap<&str, Place> = HashMap::new();
        for property in &object.properties {
            let name = property.name.as_str();
            let place = self.place(&property.name);
            if let Some(first) = seen.insert(name, place) {
                let message = format!("`{}` stands here twice", name.escape_debug());
                return Err(Error::at(self.path, place, message).help(format!(
                    "the first stands in line {}; delete one of the two",
                    first.line
                )));
            }
        }
        Ok(())
    }

    pub(super) fn object<'v>(
        &self,
        value: &'v Value<'v>,
        what: &str,
    ) -> Result<&'v Object<'v>, Error> {
        value
            .as_object()
            .ok_or_else(|| self.wrong_kind(value, what, "an object"))
    }

    pub(super) fn array<'v>(
        &self,
        value: &'v Value<'v>,
        what: &str,
    ) -> Result<&'v Vec<Value<'v>>, Error> {
        let array: Option<&Array<'_>> = value.as_array();
        array
            .map(|array| &array.elements)
            .ok_or_else(|| self.wrong_kind(value, what, "a list"))
    }

    pub(super) fn fields<'v>(
        &'v self,
        value: &'v Value<'v>,
        what: &'static str,
    ) -> Result<Fields<'v, 'v>, Error> {
        Ok(Fields {
            reader: self,
            object: self.object(value, what)?,
            what,
            taken: Vec::new(),
        })
    }

    /// A string of plain text.
    pub(super) fn text(&self, value: &Value<'_>, what: &str) -> Result<String, Error> {
        let literal = value
            .as_string_lit()
            .ok_or_else(|| self.wrong_kind(value, what, "a string"))?;
        match text::fault(&literal.value) {
            Some(fault) => Err(self.error(value, format!("`{what}` holds {fault}"))),
            None => Ok(literal.value.to_string()),
        }
    }

    /// A finite number.
    pub(super) fn number(&self, value: &Value<'_>, what: &str) -> Result<f64, Error> {
        let literal = value
            .as_number_lit()
            .ok_or_else(|| self.wrong_kind(value, what, "a number"))?;
        match literal.value.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.error(
                value,
                format!("`{what}` is {}, which is too large", literal.value),
            )),
        }
    }

    /// A time.
    pub(super) fn seconds(&self, value: &Value<'_>, what: &str) -> Result<f64, Error> {
        let number = self.number(value, what)?;
        if number < 0.0 {
            Err(self.error(value, format!("`{what}` must not be negative")))
        } else {
            Ok(number)
        }
    }

    /// A whole number from 0 to the largest `i64`.
    pub(super) fn count(&self, value: &Value<'_>, what: &str) -> Result<u64, Error> {
        let literal = value
            .as_number_lit()
            .ok_or_else(|| self.wrong_kind(value, what, "a whole number"))?;
        match literal.value.parse::<i64>().map(u64::try_from) {
            Ok(Ok(count)) => Ok(count),
            _ => Err(self.error(
                value,
                format!("`{what}` must be a whole number from 0 to {}", i64::MAX),
            )),
        }
    }

    fn wrong_kind(&self, value: &Value<'_>, what: &str, wanted: &str) -> Error {
        self.error(
            value,
            format!("{} must be {wanted}, not {}", quoted(what), kind(value)),
        )
    }
}

impl<'r, 'v> Fields<'r, 'v> {
    /// The value of a field that must be there.
    pub(super) fn take(&mut self, name: &'static str) -> Result<&'v Value<'v>, Error> {
        self.take_if_there(name).ok_or_else(|| {
            let message = format!("the field `{name}` of {} is missing", quoted(self.what));
            self.reader.error(self.object, message).help(RESTORE)
        })
    }

    /// The value of a field that may be there.
    pub(super) fn take_if_there(&mut self, name: &'static str) -> Option<&'v Value<'v>> {
        self.taken.push(name);
        self.object.get(name).map(|property| &property.value)
    }

    /// Nothing else may be there.
    pub(super) fn end(self) -> Result<(), Error> {
        let foreign = |property: &&ast::ObjectProp<'_>| {
            !self
                .taken
                .iter()
                .any(|name| *name == property.name.as_str())
        };
        let Some(property) = self.object.properties.iter().find(foreign) else {
            return Ok(());
        };
        let message = format!(
            "unknown field `{}` of {}",
            property.name.as_str().escape_debug(),
            quoted(self.what)
        );
        Err(self
            .reader
            .error(&property.name, message)
            .help(format!("known are {}", self.taken.join(", "))))
    }
}

/// Names of fields in code quotes, descriptions as they are.
fn quoted(what: &str) -> String {
    if what.contains(' ') {
        what.to_string()
    } else {
        format!("`{what}`")
    }
}

/// What a value is, for messages.
pub(super) fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "true or false",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    }
}
