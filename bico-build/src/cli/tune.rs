//! `cargo bico tune`: what a build does under `BICO=tune`, without a build. It needs no Rust toolchain:
//! the command is one file that can be copied to the machine with the device.

use super::fail::Fail;
use super::package::Package;
use crate::env::Mode;
use crate::tuner;
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

pub(super) fn run(arguments: &Arguments) -> Result<(), Fail> {
    let mode = match arguments.missing {
        true => Mode::Auto,
        false => Mode::Tune,
    };
    let env = arguments.package.env(mode)?;
    let told = tuner::command(env, &arguments.package.only);
    told.map_err(|error| Fail::shown(error.to_string()))
}
