//! What a buffer must be: `#[len(..)]`, `#[align(..)]`.

use crate::__private::{EvalError, ops};
use crate::{Error, Result, Value};

/// Whether a buffer has the elements of its `#[len(..)]`; [`check`] says what is wrong otherwise.
#[inline(always)]
pub fn long_enough(have: usize, need: Result<Value, EvalError>) -> bool {
    // No slice has `i64::MAX` elements or more, so a negative length is refused like one too long.
    matches!(need, Ok(Value::Int(need)) if need as u64 <= have as u64)
}

/// Tests one `#[len(..)]`.
#[inline(always)]
pub fn check(
    tunable: &'static str,
    argument: &'static str,
    have: usize,
    expression: &'static str,
    need: Result<Value, EvalError>,
) -> Result<()> {
    match need.and_then(ops::length) {
        Ok(need) if need as u64 <= have as u64 => Ok(()),
        Ok(need) => Err(too_short(tunable, argument, need, have)),
        Err(error) => Err(crate::error::eval(tunable, expression, error)),
    }
}

/// Whether a buffer of `len` elements begins at a multiple of so many bytes (a power of two), or holds nothing;
/// [`aligned`] says what is wrong otherwise.
#[inline(always)]
pub fn is_aligned(address: usize, len: usize, bytes: usize) -> bool {
    len == 0 || address & (bytes - 1) == 0
}

/// Of a structure: plain data, into which a kernel may write any numbers.
pub const fn plain<T: Copy + 'static>() {}

/// Tests one `#[align(..)]`.
#[inline(always)]
pub fn aligned(
    function: &'static str,
    argument: &'static str,
    address: usize,
    len: usize,
    bytes: usize,
) -> Result<()> {
    match is_aligned(address, len, bytes) {
        true => Ok(()),
        false => Err(Error::Misaligned {
            function,
            argument,
            need: bytes,
            address,
        }),
    }
}

#[cold]
#[inline(never)]
fn too_short(function: &'static str, argument: &'static str, need: i64, have: usize) -> Error {
    Error::BufferTooShort {
        function,
        argument,
        need,
        have,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignments() {
        for (address, len, bytes) in [(0, 1, 64), (128, 1, 64), (4, 0, 64), (12, 1, 4), (3, 9, 1)] {
            assert_eq!(aligned("f", "x", address, len, bytes), Ok(()));
        }
        let error = aligned("f", "x", 4100, 1, 64).unwrap_err();
        assert_eq!(
            error.to_string(),
            "f: `x` begins at address 0x1004, 4 bytes behind a multiple of 64: the kernel needs an aligned buffer \
             (`#[align(64)]`)"
        );
    }

    #[test]
    fn lengths() {
        let check = |have, need| check("gemm", "c", have, "m * n", need);
        for (have, need) in [
            (6, 6),
            (6, 7),
            (0, 0),
            (0, 1),
            (isize::MAX as usize, -1),
            (6, i64::MIN),
        ] {
            let need = Ok(Value::Int(need));
            assert_eq!(
                long_enough(have, need),
                check(have, need).is_ok(),
                "{have} {need:?}"
            );
        }
        assert!(matches!(
            check(6, Ok(Value::Int(7))),
            Err(Error::BufferTooShort {
                need: 7,
                have: 6,
                ..
            })
        ));
        let error = check(6, Ok(Value::Float(6.0))).unwrap_err().to_string();
        assert!(
            error.contains("`m * n` has no value") && error.contains("not an integer"),
            "{error}"
        );
        assert!(!long_enough(6, Ok(Value::Float(6.0))));
    }
}
