//! Compiled code as programs see it, a cubin or PTX, and what a driver makes of it.

mod cubin;
mod elf;
mod look;
mod module;
mod ptx;
mod variables;

pub(crate) use cubin::{Cubin, Kernel, Parameter};
pub(crate) use look::from_source;
pub(crate) use module::Module;
pub(crate) use ptx::{from_ptx, to_ptx};
