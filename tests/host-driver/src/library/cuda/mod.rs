//! The driver's functions, as C calls them, by what they are about.

mod context;
mod device;
mod event;
mod function;
mod graph;
mod launch;
mod memory;
mod module;
mod stream;
mod tensor;
mod unsupported;
