//! Questions about buffers that a device answers where they lie.

use crate::measure::Buffer;

/// A format of floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// IEEE 754's, of 16 bits.
    F16,
    /// The upper half of an `f32`.
    Bf16,
    /// IEEE 754's, of 32 bits.
    F32,
    /// IEEE 754's, of 64 bits.
    F64,
}

/// How exact results must be: no further than `atol + rtol * |r|` from what they must be, `r`. What is infinite or NaN must be so, too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exactness {
    /// What numbers they are.
    pub format: Format,
    /// As a part of what they must be.
    pub rtol: f64,
    /// In any case.
    pub atol: f64,
    /// Only where they must be finite.
    pub finite: bool,
}

/// What a device finds in buffers where they lie, which is sooner than a copy of them is on the host. It tells whether something is
/// there; what it is, whoever asks looks up.
pub trait Looks {
    /// Copies what is in a buffer to another one that is as long.
    ///
    /// # Errors
    ///
    /// The device does not answer, or they are not equally long.
    fn copy(&self, from: Buffer, to: Buffer) -> Result<(), String>;

    /// Whether two buffers that are equally long differ.
    ///
    /// # Errors
    ///
    /// The device does not answer, or they are not equally long.
    fn differ(&self, a: Buffer, b: Buffer) -> Result<bool, String>;

    /// Whether some element of a buffer is this one, of 2, 4 or 8 bytes.
    ///
    /// # Errors
    ///
    /// The device does not answer.
    fn holds(&self, buffer: Buffer, element: &[u8]) -> Result<bool, String>;

    /// Whether some number of a buffer is further from that of an equally long one than is allowed.
    ///
    /// # Errors
    ///
    /// The device does not answer, or they are not equally long.
    fn far(&self, got: Buffer, want: Buffer, exactness: &Exactness) -> Result<bool, String>;
}
