//! Which package a command is about.

use crate::{Error, Features, package};
use bico_build::env::{Env, Mode};
use std::ops::Deref;
use std::path::PathBuf;

/// What these options stand under in `--help`: a command's own come first.
const HEADING: &str = "Which package";

/// Which package, with which features.
#[derive(clap::Args)]
pub(super) struct Package {
    /// The package's Cargo.toml
    #[arg(long, value_name = "PATH", default_value = "Cargo.toml", help_heading = HEADING)]
    manifest_path: PathBuf,
    /// Features to turn on, separated by commas or blanks
    #[arg(long, short = 'F', value_name = "FEATURES", value_delimiter = ',', help_heading = HEADING)]
    features: Vec<String>,
    /// Turns all features on
    #[arg(long, help_heading = HEADING)]
    all_features: bool,
    /// Leaves the default features off
    #[arg(long, help_heading = HEADING)]
    no_default_features: bool,
    /// Only these kernels, by their keys
    #[arg(long, value_name = "KEY", value_delimiter = ',')]
    pub(super) only: Vec<String>,
}

/// A package, and kernels of it.
#[derive(clap::Args)]
pub(super) struct Kernels {
    /// Only these kernels, by their keys [default: all]
    #[arg(value_name = "KERNEL")]
    kernels: Vec<String>,
    #[command(flatten)]
    package: Package,
}

impl Kernels {
    /// Those that are named in either way; nothing stands for all.
    pub(super) fn only(&self) -> Vec<String> {
        [&self.kernels[..], &self.package.only].concat()
    }
}

impl Deref for Kernels {
    type Target = Package;

    fn deref(&self) -> &Package {
        &self.package
    }
}

impl Package {
    /// What a build of the package would know.
    pub(super) fn env(&self, mode: Mode) -> Result<Env, Error> {
        package::env(&self.manifest_path, &self.features(), mode)
    }

    /// The same of all packages of its workspace that tune.
    pub(super) fn envs(&self, mode: Mode) -> Result<Vec<Env>, Error> {
        package::envs(&self.manifest_path, &self.features(), mode)
    }

    fn features(&self) -> Features {
        let names = self.features.iter();
        match self.all_features {
            true => Features::All,
            false => Features::Some {
                names: names
                    .flat_map(|names| names.split_whitespace().map(str::to_string))
                    .collect(),
                default: !self.no_default_features,
            },
        }
    }

    /// The package's folder.
    pub(super) fn folder(&self) -> Result<PathBuf, Error> {
        let mut path = package::file(&self.manifest_path)?;
        path.pop();
        Ok(path)
    }
}
