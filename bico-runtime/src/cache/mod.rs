//! What was learned at run time, kept for the next process.
//!
//! ```text
//! $BICO_CACHE/learned/                         by default the user's cache folder, `bico` below it
//!     gemm-NVIDIA-H200-sm_90-<hash>.json       one file per subject: tunable, kernel, device and driver
//!     .gemm-NVIDIA-H200-sm_90-<hash>.json.lock held while that file is read, merged and written
//! ```
//!
//! The files are input from outside: what is faulty, foreign or too large is ignored, with one log
//! line. Nothing here fails, and nothing makes a call wait for long.

mod file;
mod json;
mod learned;
mod memory;
mod merge;
mod place;
mod record;

#[cfg(feature = "capture")]
pub(crate) use file::wait_for;
pub use file::{File, files};
pub use learned::{Learned, learned};
pub use memory::Memory;
pub use place::{LEARNED, folder as place};
pub(crate) use record::same;
pub use record::{ArmRecord, Name, Record};

#[cfg(test)]
mod tests;
