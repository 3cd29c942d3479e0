//! Buffers that bico owns: kernels' `scratch(..)`.
//!
//! Each thread keeps its buffers and grows them, so that a call allocates only when it needs more
//! than any call before. Their contents are whatever the last kernel left, but for those that are
//! `zeroed`: they are zeros when they are made, every kernel leaves them so, and each belongs to one
//! tunable, for another one's mistake must not become its own.

use crate::{Error, Tunable};
use core::cell::Cell;

/// A tunable, as the owner of zeroed buffers. Keys are unique in a crate only.
#[derive(Clone, Copy)]
pub struct Owner {
    pub(crate) key: &'static str,
    /// The address of its `static`.
    pub(crate) address: usize,
}

impl Tunable {
    /// As the owner of scratch buffers.
    #[doc(hidden)]
    #[inline]
    pub fn owner(&'static self) -> Owner {
        Owner {
            key: self.data.key,
            address: std::ptr::from_ref(self).addr(),
        }
    }
}

impl Owner {
    /// There is none for so many bytes; `None`: the number itself overflows.
    #[cold]
    pub(crate) fn no_memory(&self, bytes: Option<usize>) -> Error {
        let tunable = self.key;
        Error::Scratch { tunable, bytes }
    }
}

/// One buffer of a call.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// Elements.
    pub len: i64,
    /// Bytes of one.
    pub element: usize,
    /// All zeros, and never another tunable's.
    pub zeroed: bool,
}

impl Wanted {
    /// Bytes of all elements.
    #[inline]
    pub(crate) fn bytes(&self, owner: Owner) -> Result<usize, Error> {
        let len = usize::try_from(self.len).ok();
        let bytes = len.and_then(|len| len.checked_mul(self.element));
        bytes.ok_or_else(|| owner.no_memory(None))
    }
}

/// The unit of allocation: what makes buffers 64-byte aligned.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

/// The buffers of a thread, or of a thread's stream on a GPU.
pub(crate) struct Buffers<B> {
    /// One per position in a tunable's list of scratch buffers, for all tunables.
    shared: Vec<B>,
    /// Zeroed ones, with the address of their tunable and the position in its list.
    zeroed: Vec<(usize, usize, B)>,
}

impl<B: Default> Buffers<B> {
    pub(crate) const NEW: Buffers<B> = Buffers {
        shared: Vec::new(),
        zeroed: Vec::new(),
    };

    /// The buffer at a position in a tunable's list.
    #[inline]
    pub(crate) fn of(&mut self, owner: Owner, at: usize, zeroed: bool) -> &mut B {
        if !zeroed {
            if self.shared.len() <= at {
                self.shared.resize_with(at + 1, B::default);
            }
            return &mut self.shared[at];
        }
        let mut known = self.zeroed.iter();
        let place = known.position(|(whose, place, _)| *whose == owner.address && *place == at);
        let place = place.unwrap_or_else(|| {
            self.zeroed.push((owner.address, at, B::default()));
            self.zeroed.len() - 1
        });
        &mut self.zeroed[place].2
    }

    /// All of them.
    #[cfg(feature = "cuda")]
    pub(crate) fn all(&self) -> impl Iterator<Item = &B> {
        let zeroed = self.zeroed.iter().map(|(.., buffer)| buffer);
        self.shared.iter().chain(zeroed)
    }

    #[cfg(feature = "cuda")]
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut B> {
        let zeroed = self.zeroed.iter_mut().map(|(.., buffer)| buffer);
        self.shared.iter_mut().chain(zeroed)
    }
}

thread_local! {
    /// In a box, so that taking it and putting it back moves a pointer.
    static POOL: Cell<Option<Box<Buffers<Vec<Line>>>>> = const { Cell::new(None) };
}

/// Calls `run` with a buffer of at least each of the given sizes, aligned to 64 bytes. They are valid
/// until `run` returns.
///
/// # Errors
///
/// [`Error::Scratch`] where there is no memory.
pub fn with<const K: usize, R>(
    owner: Owner,
    wanted: [Wanted; K],
    run: impl FnOnce([*mut u8; K]) -> R,
) -> Result<R, Error> {
    // The pool is taken out while a kernel uses it: a call from within a call (a kernel that calls
    // back) finds an empty one and allocates. A thread that is ending has none.
    let pool = POOL.try_with(Cell::take).ok().flatten();
    let mut pool = pool.unwrap_or_else(|| Box::new(Buffers::NEW));
    let mut pointers = [core::ptr::null_mut(); K];
    for (at, (pointer, wanted)) in pointers.iter_mut().zip(wanted).enumerate() {
        let bytes = wanted.bytes(owner)?;
        let lines = bytes.div_ceil(size_of::<Line>());
        let buffer = pool.of(owner, at, wanted.zeroed);
        if buffer.len() < lines {
            // Nothing in it is wanted: free first, so that the two never exist side by side.
            *buffer = Vec::new();
            let reserved = buffer.try_reserve_exact(lines);
            reserved.map_err(|_| owner.no_memory(Some(bytes)))?;
            buffer.resize(lines, Line([0; 64]));
        }
        *pointer = buffer.as_mut_ptr().cast();
    }
    let result = run(pointers);
    // If this fails the thread is ending, and the buffers end with it.
    let _ = POOL.try_with(|place| place.set(Some(pool)));
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Owner = Owner {
        key: "t",
        address: 1,
    };

    fn wanted(len: i64, element: usize) -> Wanted {
        Wanted {
            len,
            element,
            zeroed: false,
        }
    }

    fn zeroed(len: i64) -> Wanted {
        Wanted {
            zeroed: true,
            ..wanted(len, 1)
        }
    }

    #[test]
    fn aligned_kept_and_apart() {
        let first = with(T, [wanted(100, 4), wanted(0, 8)], |p| p).unwrap();
        assert!(first.iter().all(|p| p.align_offset(64) == 0));
        let smaller = with(T, [wanted(50, 4), wanted(0, 8)], |p| p).unwrap();
        assert_eq!(first[0], smaller[0]);
        let here = first[0] as usize;
        let there =
            std::thread::spawn(move || with(T, [wanted(100, 4)], |p| p[0] as usize == here));
        assert_eq!(there.join().unwrap(), Ok(false));
    }

    /// Writes into a buffer, as a kernel does.
    #[allow(unsafe_code)]
    fn set(pointer: *mut u8, bytes: usize, value: u8) {
        // SAFETY: the callers ask for as many bytes.
        unsafe { pointer.write_bytes(value, bytes) };
    }

    #[allow(unsafe_code)]
    fn sum(pointer: *mut u8, bytes: usize) -> u64 {
        // SAFETY: as above, and buffers are initialised.
        let bytes = unsafe { std::slice::from_raw_parts(pointer, bytes) };
        bytes.iter().copied().map(u64::from).sum()
    }

    #[test]
    fn zeroed_ones_are_zero_and_shared_with_nobody() {
        let other = Owner { address: 2, ..T };
        // What lies in the shared buffer of the same position is never seen.
        with(T, [wanted(64, 1)], |[p]| set(p, 64, 7)).unwrap();
        let first = with(T, [zeroed(64)], |[p]| (p, sum(p, 64))).unwrap();
        assert_eq!(first.1, 0);
        // A kernel that breaks its promise spoils its own buffer only.
        with(T, [zeroed(64)], |[p]| set(p, 64, 1)).unwrap();
        assert_eq!(
            with(T, [zeroed(64)], |[p]| (p, sum(p, 64))),
            Ok((first.0, 64))
        );
        assert_eq!(with(other, [zeroed(64)], |[p]| sum(p, 64)), Ok(0));
        assert_eq!(with(T, [zeroed(0), zeroed(64)], |[_, p]| sum(p, 64)), Ok(0));
        // A larger one is new, and whole.
        assert_eq!(with(T, [zeroed(1000)], |[p]| sum(p, 1000)), Ok(0));
    }

    #[test]
    fn a_call_within_a_call_has_its_own() {
        for wanted in [wanted(16, 4), zeroed(64)] {
            let same = with(T, [wanted], |outer| {
                with(T, [wanted], |inner| outer[0] == inner[0]).unwrap()
            });
            assert_eq!(same, Ok(false));
        }
    }

    #[test]
    fn too_much_is_an_error() {
        let error = |bytes| {
            Err(Error::Scratch {
                tunable: "t",
                bytes,
            })
        };
        let bytes = |n| with(T, [wanted(n, 8)], |_| ());
        assert_eq!(bytes(i64::MAX), error(None));
        assert_eq!(bytes(-1), error(None));
        assert!(matches!(
            bytes(i64::MAX / 16),
            Err(Error::Scratch { bytes: Some(_), .. })
        ));
    }
}
