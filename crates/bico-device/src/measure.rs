//! The one face of all kinds of device towards the measuring worker: load code, fill buffers, run,
//! time. How often to run and what the times mean is decided above.

use crate::conditions::Conditions;
use bico_core::device::{Dims, Facts, TensorKind};
use std::ops::{Deref, Range};
use std::path::Path;

pub use crate::looks::{Exactness, Format, Looks};

/// Loaded kernels of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub(crate) usize);

/// A buffer on the device, between two guard zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Buffer(pub(crate) usize);

/// One argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// The address of a buffer.
    Buffer(Buffer),
    /// What a buffer holds, by value.
    Value(Buffer),
    /// A number, in the first bytes as the machine stores it.
    Scalar([u8; 8]),
    /// A buffer as a tensor of a GPU, with the numbers of [`TensorKind::tensor`].
    Tensor(Buffer, TensorKind, Vec<i64>),
    /// No argument of the kernel: what this `__constant__` variable of a GPU's module holds.
    Constant(Buffer, String),
}

impl Argument {
    /// The buffer that it is, by its address or by what it holds.
    pub fn buffer(&self) -> Option<Buffer> {
        match self {
            Argument::Buffer(buffer) | Argument::Value(buffer) | Argument::Constant(buffer, _) => {
                Some(*buffer)
            }
            Argument::Scalar(_) | Argument::Tensor(..) => None,
        }
    }
}

/// What one pass of a call is given.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// Its arguments, in order.
    pub arguments: &'a [Argument],
    /// How it is launched, on a GPU.
    pub dims: Option<Dims>,
}

/// The time of one sample: one or several calls in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lap {
    /// Seconds by the clock on the wall (of the device, where it has its own).
    pub wall: f64,
    /// Seconds that the calling thread itself ran; `None` where that says nothing, as on a GPU or
    /// when the call waited for other threads.
    pub thread: Option<f64>,
    /// Another program had the processor meanwhile.
    pub disturbed: bool,
}

/// Where a buffer lies between its guard zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// With zones before and behind.
    Apart,
    /// Begins where a forbidden page ends.
    Start,
    /// Ends where a forbidden page begins, as far as its alignment allows.
    End,
}

/// Addresses whose touch ends the process, where the device can arrange that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The addresses.
    pub range: Range<usize>,
    /// What it means to touch them.
    pub means: Trespass,
}

/// What a kernel did that it must not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trespass {
    /// It read or wrote before a buffer.
    Before,
    /// It read or wrote behind a buffer.
    Behind,
    /// It wrote to a buffer that is only to be read.
    Inside,
}

/// Where a kernel wrote outside a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation {
    /// Bytes from the start of the buffer: negative before it, at least its length behind it.
    pub offset: i64,
}

/// What is in a buffer, aligned for every number.
#[derive(Debug)]
pub enum Contents<'a> {
    /// The buffer's own memory.
    Shared(&'a [u8]),
    /// A copy of the device's memory.
    Copied(Bytes),
}

impl Deref for Contents<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Contents::Shared(bytes) => bytes,
            Contents::Copied(bytes) => bytes.as_slice(),
        }
    }
}

/// A device that kernels are measured on. Errors are the user's: a kernel that cannot be loaded, or
/// memory that is not there.
pub trait Device {
    /// What it is.
    fn facts(&self) -> &Facts;

    /// Loads the compiled kernels at `path`, one for each pass of a call. On a CPU that is a shared object with one function
    /// for all of them, which takes an array of pointers to their arguments, one pass's behind the other's. `variables` of a
    /// GPU's module are what [`restore`](Device::restore) puts back.
    ///
    /// # Errors
    ///
    /// The loader refuses it.
    fn load(
        &mut self,
        path: &Path,
        entries: &[String],
        variables: &[String],
    ) -> Result<Code, String>;

    /// Lets a function of the host call a GPU's kernels: a shared object with this function. The last pass of a call is what it
    /// gets, the others are how it launches kernels.
    ///
    /// # Errors
    ///
    /// The loader refuses it, or there is no such function.
    fn drive(&mut self, _code: Code, _path: &Path, _entry: &str) -> Result<(), String> {
        Err("only the kernels of a GPU are driven".to_string())
    }

    /// Gives a kernel's variables what they held when it was loaded.
    ///
    /// # Errors
    ///
    /// The device does not answer.
    fn restore(&mut self, _code: Code) -> Result<(), String> {
        Ok(())
    }

    /// Forgets a loaded kernel.
    fn unload(&mut self, code: Code);

    /// A buffer of `bytes` bytes, with guard zones before and behind. Its address is a multiple of `alignment` bytes, a
    /// power of two up to 4096; as long as it lies [apart](Place::Apart), of 64 at least.
    ///
    /// # Errors
    ///
    /// There is not enough memory.
    fn allocate(&mut self, bytes: usize, alignment: usize) -> Result<Buffer, String>;

    /// Gives a buffer back.
    fn free(&mut self, buffer: Buffer);

    /// Copies `data` to the start of a buffer.
    ///
    /// # Errors
    ///
    /// The device does not answer.
    fn write(&mut self, buffer: Buffer, data: &[u8]) -> Result<(), String>;

    /// Fills a buffer with a pattern, again and again from its start.
    ///
    /// # Errors
    ///
    /// The device does not answer.
    fn fill(&mut self, buffer: Buffer, pattern: [u8; 8]) -> Result<(), String>;

    /// What is in a buffer.
    ///
    /// # Errors
    ///
    /// The device does not answer.
    fn contents(&self, buffer: Buffer) -> Result<Contents<'_>, String>;

    /// Who looks into buffers where they lie; `None` where they lie on the host, or nobody does.
    fn looks(&self) -> Option<&dyn Looks> {
        None
    }

    /// Puts a buffer to another place, and forbids writing to it or allows it. What is in it is lost. A device that has but
    /// one place for it does nothing.
    ///
    /// # Errors
    ///
    /// The system refuses.
    fn place(&mut self, _buffer: Buffer, _place: Place, _read_only: bool) -> Result<(), String> {
        Ok(())
    }

    /// What lies around a buffer, or is the buffer, and must not be touched.
    fn fences(&self, _buffer: Buffer) -> Vec<Fence> {
        Vec::new()
    }

    /// The first byte outside a buffer that changed, if any; the guard zones are whole again afterwards.
    ///
    /// # Errors
    ///
    /// The device does not answer.
    fn violation(&mut self, buffer: Buffer) -> Result<Option<Violation>, String>;

    /// Makes a call `calls` times in a row, all its passes each time, and takes the time of all together.
    ///
    /// # Errors
    ///
    /// The device refuses the call, or it failed on it.
    fn time(&mut self, code: Code, passes: &[Invocation<'_>], calls: u32) -> Result<Lap, String>;

    /// Makes the next call find its data in no cache that a single kernel could keep warm.
    fn flush(&mut self);

    /// What the device is doing at this moment, as far as it tells.
    fn conditions(&mut self) -> Conditions {
        Conditions::of_the_cpu()
    }
}

mod sealed {
    /// # Safety
    ///
    /// Every pattern of bits is a value.
    pub unsafe trait Plain: Copy {}
}

macro_rules! plain {
    ($($number:ty)*) => {
        $(
            // SAFETY: numbers have neither padding nor forbidden patterns.
            unsafe impl sealed::Plain for $number {}
        )*
    };
}

plain!(f32 f64 i8 i16 i32 i64 u8 u16 u32 u64);

/// Memory as numbers of one type. Bytes at the end that make no whole number are left out; memory
/// that is not aligned for the type gives nothing.
pub fn numbers<T: sealed::Plain>(bytes: &[u8]) -> &[T] {
    let aligned = bytes.as_ptr().cast::<T>().is_aligned();
    let len = if aligned {
        bytes.len() / size_of::<T>()
    } else {
        0
    };
    // SAFETY: aligned (or empty), inside `bytes`, and every pattern of bits is a `T`.
    unsafe {
        std::slice::from_raw_parts(
            if aligned {
                bytes.as_ptr().cast()
            } else {
                std::ptr::dangling()
            },
            len,
        )
    }
}

/// As [`numbers`], to write to.
pub fn numbers_mut<T: sealed::Plain>(bytes: &mut [u8]) -> &mut [T] {
    let aligned = bytes.as_ptr().cast::<T>().is_aligned();
    let len = if aligned {
        bytes.len() / size_of::<T>()
    } else {
        0
    };
    let start = if aligned {
        bytes.as_mut_ptr().cast()
    } else {
        std::ptr::dangling_mut()
    };
    // SAFETY: as in `numbers`, and the borrow is unique.
    unsafe { std::slice::from_raw_parts_mut(start, len) }
}

/// Bytes on the host that are aligned for every number.
#[derive(Debug, Clone, Default)]
pub struct Bytes {
    words: Vec<u64>,
    len: usize,
}

impl Bytes {
    /// `len` bytes, all zero.
    pub fn zeroed(len: usize) -> Bytes {
        Bytes {
            words: vec![0; len.div_ceil(8)],
            len,
        }
    }

    /// To read.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `len` is at most what `words` holds, and bytes need no alignment.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.len) }
    }

    /// To write.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.len) }
    }
}

/// Copies the first bytes over the rest, again and again, which is quick in unoptimised builds, too.
pub fn repeat(to: &mut [u8], first: usize) {
    let mut done = first;
    while done < to.len() {
        let step = (to.len() - done).min(done);
        to.copy_within(..step, done);
        done += step;
    }
}

/// Writes a pattern all over some memory, from its start.
pub fn fill(to: &mut [u8], pattern: [u8; 8]) {
    let first = to.len().min(pattern.len());
    to[..first].copy_from_slice(&pattern[..first]);
    repeat(to, first);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_repeat_from_the_start() {
        let pattern = *b"abcdefgh";
        for len in [0, 3, 8, 13, 100_000] {
            let mut bytes = vec![0; len];
            fill(&mut bytes, pattern);
            let right = |(at, byte): (usize, &u8)| *byte == pattern[at % 8];
            assert!(bytes.iter().enumerate().all(right), "{len}");
        }
    }

    #[test]
    fn bytes_are_numbers() {
        let mut bytes = Bytes::zeroed(12);
        numbers_mut::<f32>(bytes.as_mut_slice()).copy_from_slice(&[1.0, -2.0, 3.5]);
        assert_eq!(numbers::<f32>(bytes.as_slice()), [1.0, -2.0, 3.5]);
        assert_eq!(numbers::<u64>(bytes.as_slice()).len(), 1);
        assert!(numbers::<u32>(&bytes.as_slice()[1..]).is_empty());
    }
}
