//! `cargo bico tune`: what a build does under `BICO=tune`, without a build. It needs no Rust toolchain:
//! the command is one file that can be copied to the machine with the device.

use super::fail::Fail;
use crate::env::{Env, Mode};
use crate::tuner;
use clap::Args;
use std::path::PathBuf;

/// Measures a package's kernels on this machine's devices and writes bico.lock.
#[derive(Args)]
pub(super) struct Arguments {
    /// The package's Cargo.toml
    #[arg(long, value_name = "PATH", default_value = "Cargo.toml")]
    manifest_path: PathBuf,
    /// Features to turn on, separated by commas or blanks
    #[arg(long, short = 'F', value_name = "FEATURES", value_delimiter = ',')]
    features: Vec<String>,
    /// Turns all features on
    #[arg(long)]
    all_features: bool,
    /// Leaves the default features off
    #[arg(long)]
    no_default_features: bool,
    /// Only these tunables, by their keys
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    only: Vec<String>,
    /// Only what the lock lacks or holds stale results of, as `cargo build` does
    #[arg(long)]
    missing: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Fail> {
    let Arguments {
        features,
        all_features,
        no_default_features,
        ..
    } = arguments;
    let features = match all_features {
        true => crate::scan::Features::All,
        false => crate::scan::Features::Some {
            names: features
                .iter()
                .flat_map(|names| names.split_whitespace().map(str::to_string))
                .collect(),
            default: !no_default_features,
        },
    };
    let mode = match arguments.missing {
        true => Mode::Auto,
        false => Mode::Tune,
    };
    let env = Env::of_command(&arguments.manifest_path, &features, mode).map_err(Fail::work)?;
    let told = tuner::command(env, &arguments.only);
    told.map_err(|error| Fail::shown(error.to_string()))
}
