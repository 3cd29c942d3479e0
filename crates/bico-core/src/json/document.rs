//! A text as strict JSON, with the places of what stands in it.

use super::reader::Reader;
use super::value::{Content, Value};
use super::{Error, Item, Place};
use crate::Lists;
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
            key: self.value.start,
        }
    }
}

impl<'a> Source<'a> {
    /// Where a byte stands.
    pub(super) fn place(&self, byte: usize) -> Place {
        let line = self.lines.partition_point(|start| *start <= byte);
        let start = self.lines[line.saturating_sub(1)];
        let before = self.text.get(start..byte);
        Place {
            line,
            column: before.map_or(0, |before| before.chars().count()) + 1,
        }
    }

    /// A fault of what begins at a byte.
    pub(super) fn error(&self, start: usize, message: impl Into<String>) -> Error {
        Error::at(self.path, self.place(start), message)
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
        let name = self.kind.name;
        let end = self.text.trim_end().len();
        if end == 0 {
            return Err(self.damaged(Place::default(), format!("the {name} is empty")));
        }
        Reader::new(name, self.text).read().map_err(|fault| {
            if fault.at >= end {
                return self.damaged(self.place(end), format!("the {name} ends in the middle"));
            }
            self.damaged(self.place(fault.at), fault.message)
        })
    }

    fn no_duplicates(&self, value: &Value<'_>) -> Result<(), Error> {
        match &value.content {
            Content::Object(properties) => {
                // Sorted, as they are written, none stands there twice; that costs nearly nothing.
                let sorted = properties.is_sorted_by(|a, b| a.name < b.name);
                for (index, property) in properties.iter().enumerate().filter(|_| !sorted) {
                    let mut earlier = properties[..index].iter();
                    if let Some(first) = earlier.find(|first| first.name == property.name) {
                        let name = property.name.escape_debug();
                        let line = self.place(first.start).line;
                        let message = format!("`{name}` stands here twice");
                        return Err(self.error(property.start, message).help(format!(
                            "the first stands in line {line}; delete one of the two"
                        )));
                    }
                }
                for property in properties {
                    self.no_duplicates(&property.value)?;
                }
            }
            Content::List(values) => {
                for value in values {
                    self.no_duplicates(value)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}
