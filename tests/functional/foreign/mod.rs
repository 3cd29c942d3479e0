//! Kernels as they are out there, unedited.

mod sources;
