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

/// Both ways of types that are one value.
macro_rules! values {
    ($($type:ty: |$value:ident| $written:expr, |$item:ident| $read:expr;)+) => {$(
        impl ToJson for $type {
            fn to_json(&self) -> Json {
                let $value = self;
                $written
            }
        }

        impl FromJson for $type {
            fn from_json($item: Item<'_>) -> Result<$type, Error> {
                $read
            }
        }
    )+};
}
// What is read as a whole number is at most the type's largest, so it fits.
values! {
    u16: |value| plain(value), |item| item.whole(u16::MAX.into()).map(|number| number as u16);
    u32: |value| plain(value), |item| item.whole(u32::MAX.into()).map(|number| number as u32);
    u64: |value| plain(value), |item| item.whole(u64::MAX);
    usize: |value| plain(value), |item| item.whole(usize::MAX as u64).map(|number| number as usize);
    i64: |value| plain(value), |item| item.integer();
    f64: |value| Json::number(*value), |item| item.number();
    bool: |value| plain(value), |item| item.boolean();
    (): |_value| Json::Null, |item| item.null();
    String: |value| Json::Text(value.clone()), |item| item.text().map(str::to_string);
    // A path that is no UTF-8 loses what is none: nothing is found there, and the message says where.
    PathBuf: |value| Json::Text(value.to_string_lossy().into()), |item| item.text().map(PathBuf::from);
}

fn plain(value: impl ToString) -> Json {
    Json::Plain(value.to_string())
}

impl ToJson for str {
    fn to_json(&self) -> Json {
        Json::Text(self.to_string())
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn to_json(&self) -> Json {
        (**self).to_json()
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Json {
        match self {
            Some(value) => value.to_json(),
            None => Json::Null,
        }
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(item: Item<'_>) -> Result<Option<T>, Error> {
        Ok(match item.is_null() {
            true => None,
            false => Some(T::from_json(item)?),
        })
    }
}

impl<T: ToJson> ToJson for Box<T> {
    fn to_json(&self) -> Json {
        (**self).to_json()
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(item: Item<'_>) -> Result<Box<T>, Error> {
        Ok(Box::new(T::from_json(item)?))
    }
}

impl<T: ToJson> ToJson for [T] {
    fn to_json(&self) -> Json {
        let mut list = Vec::with_capacity(self.len());
        for element in self {
            list.push(element.to_json());
        }
        Json::List(list)
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Json {
        self.as_slice().to_json()
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(item: Item<'_>) -> Result<Vec<T>, Error> {
        let mut list = Vec::new();
        for element in item.elements()? {
            list.push(T::from_json(element)?);
        }
        Ok(list)
    }
}

impl<T: ToJson, const N: usize> ToJson for [T; N] {
    fn to_json(&self) -> Json {
        self.as_slice().to_json()
    }
}

impl<T: FromJson, const N: usize> FromJson for [T; N] {
    fn from_json(item: Item<'_>) -> Result<[T; N], Error> {
        let elements: Vec<T> = item.read()?;
        elements.try_into().map_err(|elements: Vec<T>| {
            let (name, count) = (item.quoted(), elements.len());
            item.error(format!("{name} must hold {N} values, not {count}"))
        })
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
            Ok(value) => Json::List(vec!["ok".to_json(), value.to_json()]),
            Err(error) => Json::List(vec!["error".to_json(), error.to_json()]),
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
