//! Structs and enums as JSON, by the names of their fields and variants. Both ways are `#[inline]`: compiled where one is
//! gone, and not wherever the type is.

/// Declares structs that go both ways, [`ToJson`](crate::json::ToJson) and [`FromJson`](crate::json::FromJson): as
/// objects with the fields of the struct, no more and no less, in their order.
///
/// ```
/// bico_core::json_struct! {
///     #[derive(Debug, PartialEq)]
///     struct Times {
///         seconds: f64,
///         runs: u32,
///     }
/// }
/// ```
#[macro_export]
macro_rules! json_struct {
    ($(
        $(#[$about:meta])*
        $seen:vis struct $name:ident {
            $($(#[$doc:meta])* $visible:vis $field:ident: $type:ty),+ $(,)?
        }
    )+) => {$(
        $(#[$about])*
        $seen struct $name {
            $($(#[$doc])* $visible $field: $type),+
        }

        impl $crate::json::ToJson for $name {
            #[inline]
            fn to_json(&self) -> $crate::json::Json {
                $crate::json::Json::object(vec![
                    $((stringify!($field), $crate::json::ToJson::to_json(&self.$field)),)+
                ])
            }
        }

        impl $crate::json::FromJson for $name {
            #[inline]
            fn from_json(item: $crate::json::Item<'_>) -> Result<$name, $crate::json::Error> {
                let mut fields = item.fields(item.name())?;
                let value = $name { $($field: fields.read(stringify!($field))?),+ };
                fields.end()?;
                Ok(value)
            }
        }
    )+};
}

/// Declares enums that go both ways, as [`json_struct!`](crate::json_struct) declares structs: the name of a variant, or a
/// list of it and its parts. All parts are named here, for whoever reads.
///
/// ```
/// bico_core::json_enum! {
///     enum Fill {
///         Zeros,
///         Uniform(low: f64, high: f64),
///         Steps { first: f64, step: f64 },
///     }
/// }
///
/// use bico_core::json::ToJson;
/// assert_eq!(Fill::Zeros.to_json().compact(), "\"Zeros\"");
/// assert_eq!(Fill::Uniform(-1.0, 1.0).to_json().compact(), "[\"Uniform\",-1.0,1.0]");
/// ```
#[macro_export]
macro_rules! json_enum {
    ($(
        $(#[$about:meta])*
        $seen:vis enum $name:ident {
            $(
                $(#[$doc:meta])*
                $variant:ident $(($($part:ident: $type:ty),+))? $({ $($field:ident: $of:ty),+ $(,)? })?
            ),+ $(,)?
        }
    )+) => {$(
        $(#[$about])*
        $seen enum $name {
            $($(#[$doc])* $variant $(($($type),+))? $({ $($field: $of),+ })?),+
        }

        impl $crate::json::ToJson for $name {
            #[inline]
            fn to_json(&self) -> $crate::json::Json {
                use $crate::json::Json;
                match self {$(
                    $name::$variant $(($($part),+))? $({ $($field),+ })? => {
                        let parts: Vec<Json> = vec![
                            $($($crate::json::ToJson::to_json($part),)+)?
                            $($($crate::json::ToJson::to_json($field),)+)?
                        ];
                        Json::variant(stringify!($variant), parts)
                    }
                )+}
            }
        }

        impl $crate::json::FromJson for $name {
            #[inline]
            fn from_json(item: $crate::json::Item<'_>) -> Result<$name, $crate::json::Error> {
                let mut parts = item.parts()?;
                let name = parts.take()?;
                let value = match name.text()? {
                    $(stringify!($variant) => {
                        $($(let $part = parts.read()?;)+)?
                        $($(let $field = parts.read()?;)+)?
                        $name::$variant $(($($part),+))? $({ $($field),+ })?
                    })+
                    other => {
                        let known = [$(stringify!($variant)),+];
                        return Err(name.is_none_of(other, &known));
                    }
                };
                parts.end()?;
                Ok(value)
            }
        }
    )+};
}
