//! Programs of the bundle as child processes: whatever happens to one costs its own step.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How all children are started.
#[derive(Debug, Clone)]
pub(crate) struct Children {
    /// The bundle.
    pub(crate) folder: PathBuf,
    /// The logs of the steps.
    pub(crate) logs: PathBuf,
    /// Variables for all of them.
    pub(crate) environment: Vec<(String, String)>,
}

/// What a child left.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) stdout: String,
    /// Its last line on stderr or stdout: the reason, if it failed.
    pub(crate) last: String,
    /// Why it did not end well.
    pub(crate) failed: Option<String>,
}

impl Children {
    /// A program of the bundle.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }

    /// Runs a program for at most `seconds`, in `folder`. Both outputs go to `<log>.out` and `<log>.err`.
    ///
    /// # Errors
    ///
    /// It cannot be started, or its log cannot be written.
    pub(crate) fn run(
        &self,
        log: &str,
        seconds: f64,
        program: &Path,
        arguments: &[&str],
        folder: &Path,
    ) -> Result<Ended, String> {
        let files = ["out", "err"].map(|end| self.logs.join(format!("{log}.{end}")));
        let create = |path: &PathBuf| {
            File::create(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        // It ends the child's own children, too.
        let status = Command::new("timeout")
            .args(["--kill-after=5", &format!("{:.0}", seconds.max(1.0))])
            .arg(program)
            .args(arguments)
            .current_dir(folder)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(create(&files[0])?)
            .stderr(create(&files[1])?)
            .status()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let read = |path: &PathBuf| {
            let bytes = std::fs::read(path).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let [stdout, stderr] = [read(&files[0]), read(&files[1])];
        let last = last_line(&stderr)
            .or(last_line(&stdout))
            .unwrap_or("it said nothing");
        let last = last.to_string();
        let failed = match status.code() {
            Some(0) => None,
            Some(124 | 137) => Some(format!("ended after {seconds:.0} s: {last}")),
            Some(code) => Some(format!("exit status {code}: {last}")),
            None => Some(format!("{status}: {last}")),
        };
        Ok(Ended {
            last,
            failed,
            stdout,
        })
    }
}

impl Ended {
    /// Where a program's JSON stands.
    pub(crate) fn last_of_stdout(&self) -> &str {
        self.stdout.lines().next_back().unwrap_or("")
    }
}

/// The line that says what is wrong: an error's own, else the last one.
fn last_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.starts_with("error"));
    error.or_else(|| lines.next_back())
}
