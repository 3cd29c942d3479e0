//! The run-time compiler: CUDA C++ through the host's C++ compiler.

mod api;
mod compiler;
mod options;
mod program;
mod source;
mod table;

pub(crate) use compiler::{HEADER, Source, compile};
pub(crate) use options::Options;
