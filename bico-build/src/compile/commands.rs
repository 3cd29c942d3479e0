//! The commands that a service runs: compilers, linkers, and tools of their family.

use super::CompileError;
use super::cache;
use super::process::{self, Background, Terms};
use super::shared::{IS_BACKGROUND, IS_PACED, Shared};
use crate::files::could_not;
use bico_syntax::Language;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

impl Shared {
    /// Runs a compiler, or a tool of its family, under the service's time limit; gives what it said.
    pub(super) fn run(&self, command: Command) -> Result<String, CompileError> {
        self.run_for(command, self.options.timeout)
    }

    /// The same for what may take longer, or less long.
    pub(super) fn run_for(
        &self,
        command: Command,
        timeout: Duration,
    ) -> Result<String, CompileError> {
        let background = IS_BACKGROUND.get().then_some(&self.background);
        self.run_to_its_end(command, timeout, background)
    }

    /// The same for what disturbs nothing that is measured: it never pauses.
    #[cfg(feature = "cuda")]
    pub(super) fn run_undisturbed(
        &self,
        command: Command,
        timeout: Duration,
    ) -> Result<String, CompileError> {
        self.run_to_its_end(command, timeout, None)
    }

    fn run_to_its_end(
        &self,
        command: Command,
        timeout: Duration,
        background: Option<&Background>,
    ) -> Result<String, CompileError> {
        let is_paced = IS_PACED.get();
        let pace = || {
            let state = is_paced.then(|| self.state());
            let limit = state.and_then(|state| Some(state.pace.as_ref()?.limit()));
            limit.unwrap_or(Duration::MAX)
        };
        let terms = Terms {
            timeout,
            pace: &pace,
            stop: &self.stop,
            background,
        };
        process::run(command, &terms)
    }

    /// Links objects to what the options say; gives what the linker said.
    pub(super) fn link(
        &self,
        options: &[&str],
        objects: &[PathBuf],
        libraries: &[String],
        out: &Path,
    ) -> Result<String, CompileError> {
        // C++ objects need the C++ library, which its compiler knows.
        let language = match objects.iter().any(|object| cache::is_of_cpp(object)) {
            true => Language::Cpp,
            false => Language::C,
        };
        let compiler = self.compiler(language)?;
        let temporary = cache::Temporary::new(out.parent().unwrap_or(Path::new("")))?;
        let mut command = compiler.link(options, &temporary.object);
        command.args(objects).args(libraries);
        let others = self.before_others();
        let said = self.run(command)?;
        drop(others);
        std::fs::rename(&temporary.object, out).map_err(could_not("write", out))?;
        Ok(said)
    }
}
