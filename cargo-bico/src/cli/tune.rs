//! `cargo bico tune`: what a build does under `BICO=tune`, without a build. It needs no Rust toolchain:
//! the command is one file that can be copied to the machine with the device.

use super::package::Package;
use crate::Error;
use bico_build::env::Mode;
use bico_build::tuner;
use clap::Args;

/// Measures a package's kernels on this machine's devices and writes bico.lock.
#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    package: Package,
    /// Only what the lock lacks or holds stale results of, as `cargo build` does
    #[arg(long)]
    missing: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let mode = match arguments.missing {
        true => Mode::Auto,
        false => Mode::Tune,
    };
    let env = arguments.package.env(mode)?;
    Ok(tuner::command(env, &arguments.package.only)?)
}
