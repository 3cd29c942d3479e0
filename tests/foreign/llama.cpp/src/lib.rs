//! A kernel of llama.cpp, tuned as it is.

pub mod rms_norm;
