//! The command `cargo bico`: what is done with a package's tunables outside of a build.
//!
//! As a library it gives programs of this repository the parts of the command: [`adopt`] makes entries of
//! `bico.lock` from what programs learned, [`opened`] hands out configs as code and arguments,
//! and [`replay`] runs searches on recorded spaces.
#![forbid(unsafe_code)]

pub mod adopt;
mod check;
mod cli;
mod columns;
mod error;
mod exchange;
mod new;
pub mod opened;
mod package;
pub mod replay;
mod spread;

pub use cli::main;
pub use error::Error;
pub use package::Features;
