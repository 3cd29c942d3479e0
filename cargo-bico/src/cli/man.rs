//! `cargo bico man`.

use crate::Error;
use clap::CommandFactory;
use std::path::PathBuf;

/// Prints the manual page of the command, or writes those of all sub-commands to a folder.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico man | man -l -
  cargo bico man ~/.local/share/man/man1    then `cargo help bico`, `man cargo-bico-tune`")]
pub(super) struct Arguments {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    // `cargo help bico` looks for this name.
    let command = super::Arguments::command()
        .name("cargo-bico")
        .display_name("cargo-bico")
        .disable_help_subcommand(true);
    let Some(folder) = &arguments.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command)
            .render(&mut page)
            .map_err(Error::work)?;
        return crate::out::out(&page);
    };
    let write = || {
        std::fs::create_dir_all(folder)?;
        clap_mangen::generate_to(command, folder)
    };
    write().map_err(|error| {
        let folder = folder.display();
        Error::Work(format!(
            "cannot write to {folder}: {error}\n  = help: name a folder of your own: `cargo bico man man1`"
        ))
    })
}
