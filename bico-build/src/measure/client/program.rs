//! What is started as a worker.

use crate::compile::Hash;
use crate::measure::hello::{ARGUMENT, BUILD, Wanted};
use crate::measure::protocol::Processor;
use crate::{env, os};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// How workers are started.
#[derive(Clone, PartialEq)]
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
    /// What it is called where there are several.
    pub name: String,
    /// What it must have to be one of several.
    pub wanted: Option<Wanted>,
    /// It sees no file of this machine: all that it needs is sent to it, itself included.
    pub sends: bool,
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
            name: String::new(),
            wanted: None,
            sends: false,
        })
    }

    /// The command that starts it for a conversation with this mark.
    pub(super) fn command(&self, mark: &str, build: Option<Hash>) -> Command {
        let mut words = self.runner.iter();
        let mut command = match words.next() {
            None => Command::new(&self.executable),
            Some(first) => {
                let mut command = Command::new(first);
                command.args(words);
                match self.sends {
                    true => command.arg("sh"),
                    false => command.arg(&self.executable),
                };
                command
            }
        };
        if !self.sends {
            command.arg(format!("{ARGUMENT}{mark}"));
            command.args(build.map(|build| format!("{BUILD}{build}")));
        }
        command
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
