//! The part of a CUDA contraction's score that counts what comes from device memory.
