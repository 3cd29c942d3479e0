//! From Rust's values to [`Value`]s.
//!
//! Expressions compute in `i64`. A `u64` or `usize` beyond it is an error, never another number.

use crate::ops::{self, fail};
use crate::{EvalError, Fault, Operation, Value};

/// A type whose values an expression can use.
#[diagnostic::on_unimplemented(
    message = "bico's expressions cannot use a value of the type `{Self}`",
    label = "neither a number nor `bool` nor `&'static str`",
    note = "write a `const` of such a type beside it, and name that one"
)]
pub trait Lift {
    /// The value; an error where an integer lies outside `i64`.
    fn lift(self) -> Result<Value, EvalError>;
}

/// An integer type, for arguments that are problem sizes.
pub trait Size: Copy {
    /// The value; an error where it lies outside `i64`.
    fn size(self) -> Result<i64, EvalError>;
}

/// A type that a kernel takes, for what `args` computes.
pub trait Given: Sized {
    /// The value in this type; an error where it has no place there.
    fn given(value: Value) -> Result<Self, EvalError>;
}

/// A value as the kernel takes it.
#[inline(always)]
pub fn given<T: Given>(value: Result<Value, EvalError>) -> Result<T, EvalError> {
    T::given(value?)
}

/// The value of a constant or an argument.
#[inline(always)]
pub fn lift<T: Lift>(x: T) -> Result<Value, EvalError> {
    x.lift()
}

/// The value of an argument that is a problem size.
#[inline(always)]
pub fn size<T: Size>(x: T) -> Result<i64, EvalError> {
    x.size()
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Size for $t {
            #[inline(always)]
            fn size(self) -> Result<i64, EvalError> {
                match i64::try_from(self) {
                    Ok(v) => Ok(v),
                    Err(_) => fail(Operation::Lift, Value::Int(i64::MAX), None, Fault::Overflow),
                }
            }
        }

        impl Lift for $t {
            #[inline(always)]
            fn lift(self) -> Result<Value, EvalError> {
                self.size().map(Value::Int)
            }
        }

        impl Given for $t {
            #[inline(always)]
            fn given(value: Value) -> Result<$t, EvalError> {
                match value {
                    Value::Int(whole) => match <$t>::try_from(whole) {
                        Ok(whole) => Ok(whole),
                        Err(_) => fail(Operation::Cast(stringify!($t)), value, None, Fault::Misfit),
                    },
                    _ => fail(Operation::Cast(stringify!($t)), value, None, Fault::NotAnInteger),
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! others {
    ($($t:ty, $x:ident => $value:expr;)*) => {$(
        impl Lift for $t {
            #[inline(always)]
            fn lift(self) -> Result<Value, EvalError> {
                let $x = self;
                Ok($value)
            }
        }
    )*};
}

others! {
    bool, x => Value::Bool(x);
    f32, x => Value::Float(f64::from(x));
    f64, x => Value::Float(x);
    &'static str, x => Value::Str(x);
}

impl Given for bool {
    #[inline(always)]
    fn given(value: Value) -> Result<bool, EvalError> {
        ops::truth(value)
    }
}

impl Given for f32 {
    #[inline(always)]
    fn given(value: Value) -> Result<f32, EvalError> {
        ops::number(value).map(|number| number as f32)
    }
}

impl Given for f64 {
    #[inline(always)]
    fn given(value: Value) -> Result<f64, EvalError> {
        ops::number(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_beyond_i64_are_errors() {
        assert_eq!(lift(7u8), Ok(Value::Int(7)));
        assert_eq!(lift(i64::MIN), Ok(Value::Int(i64::MIN)));
        assert_eq!(lift(i64::MAX as u64), Ok(Value::Int(i64::MAX)));
        let error = lift(u64::MAX).unwrap_err();
        assert_eq!(
            error.to_string(),
            "attempt to use an integer beyond 9223372036854775807: overflows i64"
        );
        assert!(size(usize::MAX).is_err());
    }

    #[test]
    fn others_keep_their_kind() {
        assert_eq!(lift(true), Ok(Value::Bool(true)));
        assert_eq!(lift(0.5f32), Ok(Value::Float(0.5)));
        assert_eq!(lift("avx2"), Ok(Value::Str("avx2")));
    }
}
