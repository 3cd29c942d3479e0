//! Where buffers begin.

use crate::layout::Layout;

/// At which addresses a buffer may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Wherever an element may: `&x[1..]` is a legal argument.
    Element,
    /// A `CudaSlice` is a whole allocation.
    Allocation,
    /// `#[align(64)]`, in bytes, a power of two: the wrapper refuses other addresses.
    Declared(usize),
}

impl Align {
    /// What the attribute says, in bytes.
    pub fn declared(self) -> Option<usize> {
        match self {
            Align::Declared(bytes) => Some(bytes),
            Align::Element | Align::Allocation => None,
        }
    }

    /// What every address is a multiple of, in bytes.
    pub fn bytes(self, layout: &Layout) -> usize {
        match self {
            Align::Element => layout.align,
            // What `cudaMalloc` promises, by the CUDA C++ Programming Guide, 5.3.2, "Device Memory Accesses".
            Align::Allocation => 256,
            Align::Declared(bytes) => bytes,
        }
    }
}
