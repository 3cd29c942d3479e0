//! One value of a document, read as what it should be.

use super::document::Source;
use super::value::{Content, Property, Value};
use super::{Error, Fields, FromJson, Parts, Place};
use crate::StoredValue;

/// A value in a text, with its name and its place.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) value: &'a Value<'a>,
    /// Empty for all of a text.
    pub(super) name: &'a str,
    /// Where its name stands; itself, where none does.
    pub(super) key: usize,
}

impl<'a> Item<'a> {
    /// The item under another name, for messages: a field's name, or words like `a trial`.
    pub fn named(self, name: &'a str) -> Item<'a> {
        Item { name, ..self }
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Where it stands.
    pub fn place(&self) -> Place {
        self.source.place(self.value.start)
    }

    /// Says what is wrong with it.
    pub fn error(&self, message: impl Into<String>) -> Error {
        self.source.error(self.value.start, message)
    }

    /// Says what is wrong with its name.
    pub fn error_of_name(&self, message: impl Into<String>) -> Error {
        self.source.error(self.key, message)
    }

    /// The item as a type of one's own.
    ///
    /// # Errors
    ///
    /// It is something else.
    pub fn read<T: FromJson>(self) -> Result<T, Error> {
        T::from_json(self)
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.value.content, Content::Null)
    }

    /// An object whose keys are names of fields; `name` is how messages speak of it.
    ///
    /// # Errors
    ///
    /// It is no object.
    pub fn fields(self, name: &'a str) -> Result<Fields<'a>, Error> {
        let item = self.named(name);
        Ok(Fields {
            properties: item.properties()?,
            item,
            taken: Vec::new(),
        })
    }

    /// An object whose keys are data, in its order: each value has its key for a name.
    ///
    /// # Errors
    ///
    /// It is no object.
    pub fn entries(self) -> Result<Vec<Item<'a>>, Error> {
        let properties = self.properties()?;
        let mut entries = Vec::with_capacity(properties.len());
        for property in properties {
            entries.push(Item {
                source: self.source,
                value: &property.value,
                name: &property.name,
                key: property.start,
            });
        }
        Ok(entries)
    }

    fn properties(&self) -> Result<&'a [Property<'a>], Error> {
        match &self.value.content {
            Content::Object(properties) => Ok(properties),
            _ => Err(self.not("an object")),
        }
    }

    /// A list; each element has the name of the whole.
    ///
    /// # Errors
    ///
    /// It is no list.
    pub fn elements(self) -> Result<Vec<Item<'a>>, Error> {
        let Content::List(values) = &self.value.content else {
            return Err(self.not("a list"));
        };
        let mut elements = Vec::with_capacity(values.len());
        for value in values {
            elements.push(Item { value, ..self });
        }
        Ok(elements)
    }

    /// A list that stands for something with parts in a fixed order.
    ///
    /// # Errors
    ///
    /// It is no list.
    pub fn parts(self) -> Result<Parts<'a>, Error> {
        // A name alone stands for a list of just that.
        let values = match &self.value.content {
            Content::List(values) => values.as_slice(),
            Content::Text(_) => std::slice::from_ref(self.value),
            _ => return Err(self.not("a list")),
        };
        Ok(Parts {
            item: self,
            rest: values.iter(),
        })
    }

    /// A string, of what strings of this kind of text may hold.
    ///
    /// # Errors
    ///
    /// It is no string, or holds something else.
    pub fn text(&self) -> Result<&'a str, Error> {
        let Content::Text(text) = &self.value.content else {
            return Err(self.not("a string"));
        };
        match (self.source.kind.fault)(text) {
            Some(fault) => Err(self.error(format!("{} holds {fault}", self.quoted()))),
            None => Ok(text),
        }
    }

    /// `true` or `false`.
    ///
    /// # Errors
    ///
    /// It is neither.
    pub fn boolean(&self) -> Result<bool, Error> {
        match self.value.content {
            Content::Bool(value) => Ok(value),
            _ => Err(self.not("true or false")),
        }
    }

    /// `null`.
    ///
    /// # Errors
    ///
    /// It is something else.
    pub fn null(&self) -> Result<(), Error> {
        match self.value.content {
            Content::Null => Ok(()),
            _ => Err(self.not("null")),
        }
    }

    /// A finite number.
    ///
    /// # Errors
    ///
    /// It is no number, or too large for one.
    pub fn number(&self) -> Result<f64, Error> {
        let digits = self.digits("a number")?;
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.error(format!("{} is {digits}, which is too large", self.quoted()))),
        }
    }

    /// A whole number from 0 to the largest `i64`.
    ///
    /// # Errors
    ///
    /// It is something else.
    pub fn count(&self) -> Result<u64, Error> {
        self.whole(i64::MAX as u64)
    }

    /// A whole number from 0 to `most`.
    ///
    /// # Errors
    ///
    /// It is something else.
    pub fn whole(&self, most: u64) -> Result<u64, Error> {
        let wanted = match self.digits("a whole number")?.parse::<u64>() {
            Ok(number) if number <= most => return Ok(number),
            Ok(_) if most < i64::MAX as u64 => "at most",
            _ => "a whole number from 0 to",
        };
        Err(self.error(format!("{} must be {wanted} {most}", self.quoted())))
    }

    /// A whole number of either sign.
    ///
    /// # Errors
    ///
    /// It is something else, or does not fit 64 bits.
    pub fn integer(&self) -> Result<i64, Error> {
        let digits = self.digits("a whole number")?;
        if is_float(digits) {
            return Err(self.error(format!("{} must be a whole number", self.quoted())));
        }
        digits.parse().map_err(|_| {
            self.error(format!(
                "{} is {digits}, which does not fit 64 bits",
                self.quoted()
            ))
        })
    }

    /// A value of a parameter or of a constant: a number with a point or an exponent is a float.
    ///
    /// # Errors
    ///
    /// It is a list, an object or `null`, or does not fit 64 bits.
    pub fn scalar(&self) -> Result<StoredValue, Error> {
        match self.value.content {
            Content::Bool(value) => Ok(StoredValue::Bool(value)),
            Content::Text(_) => Ok(StoredValue::Str(self.text()?.to_string())),
            Content::Number(digits) if is_float(digits) => self.number().map(StoredValue::Float),
            Content::Number(_) => self.integer().map(StoredValue::Int),
            _ => Err(self.not("a number, a string, true or false")),
        }
    }

    /// A number as it is written.
    fn digits(&self, wanted: &str) -> Result<&'a str, Error> {
        match self.value.content {
            Content::Number(digits) => Ok(digits),
            _ => Err(self.not(wanted)),
        }
    }

    /// It is the name of nothing that is known.
    #[doc(hidden)] // for `json_enum!`
    pub fn is_none_of(&self, name: &str, known: &[&str]) -> Error {
        let (name, known) = (name.escape_debug(), known.join(", "));
        self.error(format!("`{name}` is none of {known}"))
    }

    /// It is of another kind than the wanted one.
    pub(super) fn not(&self, wanted: &str) -> Error {
        let found = match self.value.content {
            Content::Text(_) => "a string",
            Content::Number(_) => "a number",
            Content::Bool(_) => "true or false",
            Content::Object(_) => "an object",
            Content::List(_) => "a list",
            Content::Null => "null",
        };
        self.error(format!("{} must be {wanted}, not {found}", self.quoted()))
    }

    /// Names of fields in code quotes, descriptions as they are.
    pub(super) fn quoted(&self) -> String {
        if self.name.is_empty() {
            format!("the {}", self.source.kind.name)
        } else if self.name.contains(' ') {
            self.name.to_string()
        } else {
            format!("`{}`", self.name.escape_debug())
        }
    }
}

fn is_float(digits: &str) -> bool {
    digits.contains(['.', 'e', 'E'])
}
