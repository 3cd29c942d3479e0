//! Buffers that bico owns: kernels' `scratch(..)`.
//!
//! Each thread keeps its buffers and grows them, so that a call allocates only when it needs more
//! than any call before. Their contents are whatever the last kernel left.

use crate::Error;
use core::cell::Cell;

/// The unit of allocation: what makes buffers 64-byte aligned.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

thread_local! {
    /// One buffer per position in a tunable's list of scratch buffers, shared by all tunables.
    static POOL: Cell<Vec<Vec<Line>>> = const { Cell::new(Vec::new()) };
}

/// Calls `run` with a buffer of at least each of the given `(elements, bytes of one)`, aligned to 64
/// bytes. They are valid until `run` returns.
///
/// # Errors
///
/// [`Error::Scratch`] where there is no memory.
pub fn with<const K: usize, R>(
    tunable: &'static str,
    sizes: [(i64, usize); K],
    run: impl FnOnce([*mut u8; K]) -> R,
) -> Result<R, Error> {
    // The pool is taken out while a kernel uses it: a call from within a call (a kernel that calls
    // back) finds an empty one and allocates. A thread that is ending has none.
    let mut buffers = POOL.try_with(Cell::take).unwrap_or_default();
    if buffers.len() < K {
        buffers.resize_with(K, Vec::new);
    }
    let mut pointers = [core::ptr::null_mut(); K];
    for ((buffer, pointer), (elements, element)) in buffers.iter_mut().zip(&mut pointers).zip(sizes)
    {
        let bytes = usize::try_from(elements)
            .ok()
            .and_then(|n| n.checked_mul(element));
        let bytes = bytes.ok_or(Error::Scratch {
            tunable,
            bytes: None,
        })?;
        let lines = bytes.div_ceil(size_of::<Line>());
        if buffer.len() < lines {
            // Nothing in it is wanted: free first, so that the two never exist side by side.
            *buffer = Vec::new();
            buffer
                .try_reserve_exact(lines)
                .map_err(|_| Error::Scratch {
                    tunable,
                    bytes: Some(bytes),
                })?;
            buffer.resize(lines, Line([0; 64]));
        }
        *pointer = buffer.as_mut_ptr().cast();
    }
    let result = run(pointers);
    // If this fails the thread is ending, and the buffers end with it.
    let _ = POOL.try_with(|pool| pool.set(buffers));
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_kept_and_apart() {
        let first = with("t", [(100, 4), (0, 8)], |p| p).unwrap();
        assert!(first.iter().all(|p| p.align_offset(64) == 0));
        let smaller = with("t", [(50, 4), (0, 8)], |p| p).unwrap();
        assert_eq!(first[0], smaller[0]);
        let here = first[0] as usize;
        let there = std::thread::spawn(move || with("t", [(100, 4)], |p| p[0] as usize == here));
        assert_eq!(there.join().unwrap(), Ok(false));
    }

    #[test]
    fn a_call_within_a_call_has_its_own() {
        let same = with("t", [(16, 4)], |outer| {
            with("t", [(16, 4)], |inner| outer[0] == inner[0]).unwrap()
        });
        assert_eq!(same, Ok(false));
    }

    #[test]
    fn too_much_is_an_error() {
        let bytes = |n| with("t", [(n, 8)], |_| ());
        assert_eq!(
            bytes(i64::MAX),
            Err(Error::Scratch {
                tunable: "t",
                bytes: None
            })
        );
        assert_eq!(
            bytes(-1),
            Err(Error::Scratch {
                tunable: "t",
                bytes: None
            })
        );
        assert!(matches!(
            bytes(i64::MAX / 16),
            Err(Error::Scratch { bytes: Some(_), .. })
        ));
    }
}
