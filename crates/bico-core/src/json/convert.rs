//! Types to JSON and back.

use super::{Document, Error, Item, Json, Kind};
use crate::{StoredValue, Value};
use std::path::PathBuf;

/// What can be written as JSON.
pub trait ToJson {
    /// Itself as JSON.
    fn to_json(&self) -> Json;
}

/// What can be read from JSON.
pub trait FromJson: Sized {
    /// Reads itself.
    ///
    /// # Errors
    ///
    /// Something else stands there.
    fn from_json(item: Item<'_>) -> Result<Self, Error>;
}

/// Reads a message of another process, or a file that nobody else should write.
///
/// # Errors
///
/// What is wrong with it, in one line.
pub fn read<T: FromJson>(text: &str) -> Result<T, String> {
    let document = Document::parse(&Kind::MESSAGE, "".as_ref(), text);
    let value = document.and_then(|document| document.root().read());
    value.map_err(|error| error.in_one_line())
}

macro_rules! whole {
    ($($type:ty)+) => {$(
        impl ToJson for $type {
            fn to_json(&self) -> Json {
                Json::Plain(self.to_string())
            }
        }

        impl FromJson for $type {
            fn from_json(item: Item<'_>) -> Result<$type, Error> {
                // It fits: it is at most the type's largest.
                Ok(item.whole(<$type>::MAX as u64)? as $type)
            }
        }
    )+};
}
whole!(u16 u32 u64 usize);

impl ToJson for i64 {
    fn to_json(&self) -> Json {
        Json::Plain(self.to_string())
    }
}

impl FromJson for i64 {
    fn from_json(item: Item<'_>) -> Result<i64, Error> {
        item.integer()
    }
}

impl ToJson for () {
    fn to_json(&self) -> Json {
        Json::Null
    }
}

impl FromJson for () {
    fn from_json(item: Item<'_>) -> Result<(), Error> {
        match item.is_null() {
            true => Ok(()),
            false => Err(item.not("null")),
        }
    }
}

impl ToJson for f64 {
    fn to_json(&self) -> Json {
        Json::number(*self)
    }
}

impl FromJson for f64 {
    fn from_json(item: Item<'_>) -> Result<f64, Error> {
        item.number()
    }
}

impl ToJson for bool {
    fn to_json(&self) -> Json {
        Json::Plain(self.to_string())
    }
}

impl FromJson for bool {
    fn from_json(item: Item<'_>) -> Result<bool, Error> {
        item.boolean()
    }
}

impl ToJson for str {
    fn to_json(&self) -> Json {
        Json::Text(self.to_string())
    }
}

impl ToJson for String {
    fn to_json(&self) -> Json {
        self.as_str().to_json()
    }
}

impl FromJson for String {
    fn from_json(item: Item<'_>) -> Result<String, Error> {
        item.text().map(str::to_string)
    }
}

/// A path that is no UTF-8 loses what is none: nothing is found there, and the message says where.
impl ToJson for PathBuf {
    fn to_json(&self) -> Json {
        self.to_string_lossy().as_ref().to_json()
    }
}

impl FromJson for PathBuf {
    fn from_json(item: Item<'_>) -> Result<PathBuf, Error> {
        item.text().map(PathBuf::from)
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn to_json(&self) -> Json {
        (**self).to_json()
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Json {
        self.as_ref().map_or(Json::Null, T::to_json)
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(item: Item<'_>) -> Result<Option<T>, Error> {
        match item.is_null() {
            true => Ok(None),
            false => item.read().map(Some),
        }
    }
}

impl<T: ToJson> ToJson for [T] {
    fn to_json(&self) -> Json {
        Json::list(self)
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Json {
        Json::list(self)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(item: Item<'_>) -> Result<Vec<T>, Error> {
        item.elements()?.map(Item::read).collect()
    }
}

impl<T: ToJson, const N: usize> ToJson for [T; N] {
    fn to_json(&self) -> Json {
        Json::list(self)
    }
}

impl<T: FromJson, const N: usize> FromJson for [T; N] {
    fn from_json(item: Item<'_>) -> Result<[T; N], Error> {
        let elements: Vec<T> = item.read()?;
        let wrong = |elements: Vec<T>| {
            let message = format!(
                "{} must hold {N} values, not {}",
                item.quoted(),
                elements.len()
            );
            item.error(message)
        };
        elements.try_into().map_err(wrong)
    }
}

impl<A: ToJson, B: ToJson> ToJson for (A, B) {
    fn to_json(&self) -> Json {
        Json::List(vec![self.0.to_json(), self.1.to_json()])
    }
}

impl<A: FromJson, B: FromJson> FromJson for (A, B) {
    fn from_json(item: Item<'_>) -> Result<(A, B), Error> {
        let mut parts = item.parts()?;
        let pair = (parts.read()?, parts.read()?);
        parts.end()?;
        Ok(pair)
    }
}

impl<T: ToJson, E: ToJson> ToJson for Result<T, E> {
    fn to_json(&self) -> Json {
        match self {
            Ok(value) => ("ok", value).to_json(),
            Err(error) => ("error", error).to_json(),
        }
    }
}

impl<T: FromJson, E: FromJson> FromJson for Result<T, E> {
    fn from_json(item: Item<'_>) -> Result<Result<T, E>, Error> {
        let mut parts = item.parts()?;
        let name = parts.take()?;
        let result = match name.text()? {
            "ok" => Ok(parts.read()?),
            "error" => Err(parts.read()?),
            _ => return Err(name.error("a result is \"ok\" or \"error\"")),
        };
        parts.end()?;
        Ok(result)
    }
}

impl ToJson for StoredValue {
    fn to_json(&self) -> Json {
        match self {
            StoredValue::Int(value) => value.to_json(),
            StoredValue::Float(value) => value.to_json(),
            StoredValue::Bool(value) => value.to_json(),
            StoredValue::Str(value) => value.to_json(),
        }
    }
}

impl FromJson for StoredValue {
    fn from_json(item: Item<'_>) -> Result<StoredValue, Error> {
        item.scalar()
    }
}

impl ToJson for Value {
    fn to_json(&self) -> Json {
        StoredValue::from(*self).to_json()
    }
}
