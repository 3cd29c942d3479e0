//! Learning through real wrappers of real kernels, in processes of their own.

mod capture;
mod events;
mod known;
mod memory;
mod modes;
mod unknown;
mod unverified;

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// What a scene printed.
struct Said(String);

/// One scene at a time: what is learned is how long calls take.
static STAGE: Mutex<()> = Mutex::new(());

/// Takes steps with a setting of `BICO_RUNTIME`.
fn scene_with(mode: Option<&str>, tunable: &str, steps: &[&str]) -> Said {
    scene_in("off".as_ref(), mode, tunable, steps)
}

/// The same with a cache.
fn scene_in(cache: &Path, mode: Option<&str>, tunable: &str, steps: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scene"));
    command.arg(tunable).args(steps).env("BICO_CACHE", cache);
    match mode {
        Some(mode) => command.env("BICO_RUNTIME", mode),
        None => command.env_remove("BICO_RUNTIME"),
    };
    let stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let output = command.output().expect("the scene starts");
    drop(stage);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    Said(text)
}

fn scene(tunable: &str, steps: &[&str]) -> Said {
    scene_with(None, tunable, steps)
}

impl Said {
    /// Lines that begin with a word, without it.
    fn lines(&self, word: &str) -> Vec<&str> {
        let lines = self.0.lines();
        lines
            .filter_map(|line| line.strip_prefix(word)?.strip_prefix(' '))
            .collect()
    }

    /// The one line that begins with a word.
    fn line(&self, word: &str) -> &str {
        match self.lines(word).as_slice() {
            [line] => line,
            lines => panic!("{} lines `{word}` in\n{}", lines.len(), self.0),
        }
    }

    /// Logged lines that hold a text.
    fn logged(&self, text: &str) -> usize {
        let lines = self.lines("log");
        lines.iter().filter(|line| line.contains(text)).count()
    }
}
