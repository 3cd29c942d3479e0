//! The command `cargo bico`, in a package.

use super::call::Call;
use super::package::Package;
use std::process::Command;

impl Package {
    /// A call of the command.
    pub(crate) fn command(&self, args: &[&str]) -> Call {
        self.started(Command::new(env!("CARGO_BIN_EXE_command")), args)
    }

    /// The same on a terminal: what it says is what that shows. When it shows `interrupt`, unless that is empty, somebody
    /// presses Ctrl-C.
    pub(crate) fn command_seen(&self, args: &[&str], interrupt: &str) -> Call {
        let mut command = Command::new("python3");
        command.args(["-c", include_str!("terminal.py"), interrupt]);
        command.arg(env!("CARGO_BIN_EXE_command"));
        self.started(command, args).env("TERM", "xterm-256color")
    }

    fn started(&self, mut command: Command, args: &[&str]) -> Call {
        command.arg("bico").args(args).current_dir(self.root());
        self.call(command)
            .env("BICO_CACHE", self.folder().join("cache"))
            .env("BICO_TEST_LOADED", self.folder().join("loaded"))
            .env("CARGO_TARGET_DIR", self.target())
    }
}
