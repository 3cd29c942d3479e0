//! The command `cargo bico`: what is done with a package's tunables outside of a build.
//!
//! As a library it gives programs of this repository the parts of the command: [`adopt`] makes entries of
//! `bico.lock` from what programs learned, [`analyse`] says what parameters do, [`opened`] hands out configs as code and arguments,
//! and [`replay`] runs searches on recorded spaces.
#![forbid(unsafe_code)]

pub mod adopt;
pub mod analyse;
mod analysis;
mod capture;
mod check;
mod cli;

mod config;
mod diff;
mod error;
mod exchange;
mod git;
mod gpus;
mod join;
mod live;
mod merge;
mod names;
mod new;
pub mod opened;
mod out;
mod package;
pub mod replay;
mod report;
mod show;
mod space;
mod spread;
mod status;
mod style;
mod trail;

pub use cli::main;
pub use error::Error;
pub use package::Features;
