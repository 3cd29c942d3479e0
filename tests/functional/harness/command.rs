//! The command `cargo bico`, in a package.

use super::call::Call;
use super::package::Package;
use std::process::Command;

impl Package {
    /// A call of the command.
    pub(crate) fn command(&self, args: &[&str]) -> Call {
        let mut command = Command::new(env!("CARGO_BIN_EXE_command"));
        command.arg("bico").args(args);
        self.started(command)
    }

    /// The same on a terminal: what it says is what that shows. When it shows `interrupt`, unless that is empty, somebody
    /// presses Ctrl-C.
    pub(crate) fn command_seen(&self, args: &[&str], interrupt: &str) -> Call {
        let mut command = Command::new("python3");
        command.args(["-c", include_str!("terminal.py"), interrupt]);
        command.arg(env!("CARGO_BIN_EXE_command"));
        command.arg("bico").args(args);
        self.started(command).env("TERM", "xterm-256color")
    }

    /// A program that starts the command.
    pub(crate) fn started(&self, mut command: Command) -> Call {
        command.current_dir(self.root());
        self.call(command)
            .env("BICO_CACHE", self.folder().join("cache"))
            .env("BICO_TEST_LOADED", self.folder().join("loaded"))
            .env("CARGO_TARGET_DIR", self.target())
    }
}
