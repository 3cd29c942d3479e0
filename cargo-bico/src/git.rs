//! What git knows of the package.

use crate::Error;
use crate::names::plain;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

/// What git prints in a folder, or why it failed in its own words.
///
/// # Errors
///
/// There is no git.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Result<Result<String, String>, Error> {
    let mut git = Command::new("git");
    git.arg("-C")
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null());
    let output = git.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::from(
            "git, which knows the revisions, is not installed\n  = help: install it, or name an older file: `cargo bico diff OLD.lock`",
        ),
        _ => Error::Work(format!("git cannot be run: {error}")),
    })?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(match output.status.success() {
        true => Ok(said(&output.stdout)),
        false => Err(plain(
            said(&output.stderr).lines().next().unwrap_or_default(),
        )),
    })
}
