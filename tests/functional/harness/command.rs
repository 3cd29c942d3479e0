//! The command `cargo bico`, in a package.

use super::call::Call;
use super::package::Package;
use std::process::Command;

impl Package {
    /// A call of the command.
    pub(crate) fn command(&self, args: &[&str]) -> Call {
        let mut command = Command::new(env!("CARGO_BIN_EXE_command"));
        command.arg("bico").args(args).current_dir(self.root());
        self.call(command)
            .env("BICO_CACHE", self.folder().join("cache"))
            .env("BICO_TEST_LOADED", self.folder().join("loaded"))
    }
}
