//! Kernels as they are out there, unedited.

mod args;
mod macros;
