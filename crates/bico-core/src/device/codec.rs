//! A device's facts as `device.FIELD`, and as JSON: the same in the lock, in what programs learned, and between
//! processes. All of it comes from the fields of the structs.

use super::{CpuFacts, CudaFacts, Facts};
use crate::json::{Error, Fields, FromJson, Item, Json, ToJson};
use crate::{Set, Value};

/// Declares the facts of a kind of device. Each field is one of the file; those that are an `i64`, and only
/// those, are numbers that an attribute may ask for, and at least 0.
macro_rules! facts {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* pub $field:ident: $type:ty,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)+
        }

        impl $name {
            /// The number of this name, as `device.NAME` in an attribute.
            pub(super) fn field(&self, name: &str) -> Option<$crate::Value> {
                match name {
                    $(stringify!($field) => $crate::device::codec::Fact::value(&self.$field),)+
                    _ => None,
                }
            }

            /// All fields.
            pub(super) fn fields(&self) -> Vec<(&'static str, $crate::json::Json)> {
                vec![$((stringify!($field), $crate::json::ToJson::to_json(&self.$field)),)+]
            }

            /// All fields from a file.
            pub(super) fn read(
                fields: &mut $crate::json::Fields<'_>,
            ) -> Result<$name, $crate::json::Error> {
                Ok($name { $($field: $crate::device::codec::read(fields, stringify!($field))?,)+ })
            }
        }
    };
}
pub(super) use facts;

pub(super) fn read<T: Fact>(fields: &mut Fields<'_>, name: &'static str) -> Result<T, Error> {
    T::read(fields.take(name)?)
}

/// One field.
pub(super) trait Fact: FromJson {
    /// The number that an attribute sees.
    fn value(&self) -> Option<Value> {
        None
    }

    /// Reads it.
    fn read(item: Item<'_>) -> Result<Self, Error> {
        item.read()
    }
}

impl Fact for i64 {
    fn value(&self) -> Option<Value> {
        Some(Value::Int(*self))
    }

    fn read(item: Item<'_>) -> Result<i64, Error> {
        // Counts fit.
        item.count().map(|count| count as i64)
    }
}

impl Fact for u32 {}

impl Fact for String {}

impl Fact for Vec<String> {
    /// [`Facts::has`] searches a sorted list, and a merge may have left another one.
    fn read(item: Item<'_>) -> Result<Vec<String>, Error> {
        let list: Vec<String> = item.read()?;
        Ok(Vec::from_iter(Set::from_iter(list)))
    }
}

impl ToJson for Facts {
    fn to_json(&self) -> Json {
        let (kind, mut fields) = match self {
            Facts::Cpu(cpu) => ("cpu", cpu.fields()),
            Facts::Cuda(gpu) => ("cuda", gpu.fields()),
        };
        fields.push(("kind", kind.to_json()));
        Json::object(fields).with_sorted_keys()
    }
}

impl FromJson for Facts {
    fn from_json(item: Item<'_>) -> Result<Facts, Error> {
        let mut fields = item.fields("a device")?;
        let kind = fields.take("kind")?;
        let facts = match kind.text()? {
            "cpu" => Facts::Cpu(CpuFacts::read(&mut fields)?),
            "cuda" => Facts::Cuda(CudaFacts::read(&mut fields)?),
            other => {
                let message = format!("`kind` is \"cpu\" or \"cuda\", not \"{other}\"");
                let help = "update bico-build if a newer one wrote this file";
                return Err(kind.error(message).help(help));
            }
        };
        fields.end()?;
        Ok(facts)
    }
}

impl ToJson for CudaFacts {
    fn to_json(&self) -> Json {
        Json::object(self.fields())
    }
}

impl FromJson for CudaFacts {
    fn from_json(item: Item<'_>) -> Result<CudaFacts, Error> {
        let mut fields = item.fields("a GPU")?;
        let facts = CudaFacts::read(&mut fields)?;
        fields.end()?;
        Ok(facts)
    }
}
