//! Kernels as others write them.

mod macros;
