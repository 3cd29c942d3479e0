//! What is started as a worker.

use crate::measure::protocol::{ARGUMENT, Processor};
use crate::{env, os};
use bico_core::Lists;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// How workers are started.
#[derive(Clone)]
pub struct Program {
    /// The program that is its own worker: it calls [`run_if_worker`](crate::measure::run_if_worker) first.
    pub executable: PathBuf,
    /// A command that is put before it, word by word.
    pub runner: Vec<String>,
    /// Seconds until its first answer: a runner may queue it.
    pub patience: f64,
    /// What it measures on.
    pub processor: Processor,
    /// Threads that kernels run on, where their author says.
    pub threads: Option<u64>,
}

impl Program {
    /// This very program, behind a runner, if any.
    ///
    /// # Errors
    ///
    /// The program does not know where it is.
    pub fn this(runner: Vec<String>) -> Result<Program, String> {
        let executable = std::env::current_exe()
            .map_err(|error| format!("could not find this program: {error}"))?;
        let patience = if runner.is_empty() { 30.0 } else { 600.0 };
        Ok(Program {
            executable,
            runner,
            patience,
            processor: Processor::Cpu,
            threads: None,
        })
    }

    /// The command that starts it for a conversation with this mark.
    pub(super) fn command(&self, mark: &str) -> Command {
        let mut words: Vec<&OsStr> = self.runner.iter().map(OsStr::new).collect_vec();
        words.push(self.executable.as_os_str());
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .arg(format!("{ARGUMENT}{mark}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // A kernel has no business with the build's job tokens, and must not see that it runs in a build.
        for name in env::of_the_build() {
            command.env_remove(name);
        }
        if let Some(threads) = self.threads {
            command.env("OMP_NUM_THREADS", threads.to_string());
        }
        os::own_group(&mut command);
        command
    }
}
