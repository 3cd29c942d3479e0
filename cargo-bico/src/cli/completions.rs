//! `cargo bico completions`.

use crate::Error;
use clap::CommandFactory;
use clap_complete::Shell;

/// Prints what makes a shell complete the command's arguments.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico completions bash >~/.local/share/bash-completion/completions/cargo-bico
  cargo bico completions zsh >~/.zfunc/_cargo-bico
  cargo bico completions fish >~/.config/fish/completions/cargo-bico.fish

They complete `cargo-bico tune ..`, which is the same as `cargo bico tune ..`.")]
pub(super) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let mut text = Vec::new();
    let mut command = super::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "cargo-bico", &mut text);
    crate::out::out(&text)
}
