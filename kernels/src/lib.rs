//! Kernels that bico tunes.
