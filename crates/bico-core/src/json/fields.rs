//! Objects and lists whose parts are known.

use super::value::{Property, Value};
use super::{Error, FromJson, Item};

/// The fields of an object that is not data; each is taken once.
#[derive(Debug)]
pub struct Fields<'a> {
    pub(super) item: Item<'a>,
    pub(super) properties: &'a [Property<'a>],
    pub(super) taken: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// A field that must be there.
    ///
    /// # Errors
    ///
    /// It is missing.
    pub fn take(&mut self, name: &'static str) -> Result<Item<'a>, Error> {
        self.take_if_there(name).ok_or_else(|| {
            let message = format!("the field `{name}` of {} is missing", self.item.quoted());
            self.item.source.damaged(self.item.place(), message)
        })
    }

    /// A field that may be there.
    pub fn take_if_there(&mut self, name: &'static str) -> Option<Item<'a>> {
        self.taken.push(name);
        let mut properties = self.properties.iter();
        let property = properties.find(|property| property.name == name)?;
        Some(Item {
            source: self.item.source,
            value: &property.value,
            name,
            key: property.start,
        })
    }

    /// The value of a field that must be there.
    ///
    /// # Errors
    ///
    /// It is missing, or something else.
    pub fn read<T: FromJson>(&mut self, name: &'static str) -> Result<T, Error> {
        self.take(name)?.read()
    }

    /// The value of a field that may be there.
    ///
    /// # Errors
    ///
    /// It is something else.
    pub fn read_if_there<T: FromJson>(&mut self, name: &'static str) -> Result<Option<T>, Error> {
        self.take_if_there(name).map(Item::read).transpose()
    }

    /// Nothing else may be there.
    ///
    /// # Errors
    ///
    /// Something else is.
    pub fn end(self) -> Result<(), Error> {
        let mut properties = self.properties.iter();
        let foreign = properties.find(|property| !self.taken.contains(&&*property.name));
        let Some(property) = foreign else {
            return Ok(());
        };
        let name = property.name.escape_debug();
        let message = format!("unknown field `{name}` of {}", self.item.quoted());
        let error = self.item.source.error(property.start, message);
        Err(error.help(format!("known are {}", self.taken.join(", "))))
    }
}

/// The parts of a list that stands for something, in a fixed order.
#[derive(Debug)]
pub struct Parts<'a> {
    pub(super) item: Item<'a>,
    pub(super) rest: std::slice::Iter<'a, Value<'a>>,
}

impl<'a> Parts<'a> {
    /// The next part.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn take(&mut self) -> Result<Item<'a>, Error> {
        let value = self.rest.next();
        let value = value.ok_or_else(|| {
            let message = format!("{} has too few parts", self.item.quoted());
            self.item.error(message)
        })?;
        Ok(Item { value, ..self.item })
    }

    /// The value of the next part.
    ///
    /// # Errors
    ///
    /// There is none, or it is something else.
    pub fn read<T: FromJson>(&mut self) -> Result<T, Error> {
        self.take()?.read()
    }

    /// No other part may be there.
    ///
    /// # Errors
    ///
    /// One is.
    pub fn end(self) -> Result<(), Error> {
        match self.rest.as_slice() {
            [] => Ok(()),
            _ => {
                let message = format!("{} has too many parts", self.item.quoted());
                Err(self.item.error(message))
            }
        }
    }
}
