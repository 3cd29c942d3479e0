//! The compiler, and the tools beside it, as the `cc` crate finds them.

use super::cache::Temporary;
use super::error::CompileError;
use super::hash::{Hash, Hasher};
use super::{Options, Unit, process};
use bico_syntax::Language;
use std::path::Path;
use std::process::Command;

/// A compiler, ready to be called.
pub(super) struct Compiler {
    tool: cc::Tool,
    /// What follows cc's own flags and precedes the author's.
    defaults: Vec<&'static str>,
    /// The first line of `--version`.
    pub(super) version: String,
    /// Which compiler it is, and its flags.
    pub(super) id: Hash,
}

/// One of two words: for C, or for C++.
pub(crate) fn spelled(language: Language, c: &'static str, cpp: &'static str) -> &'static str {
    match language {
        Language::Cpp => cpp,
        _ => c,
    }
}

/// Whether a text may stand in C where a name is expected.
pub(crate) fn is_identifier(name: &str) -> bool {
    let is_letter = |byte: u8| byte == b'_' || byte.is_ascii_alphabetic();
    let mut bytes = name.bytes();
    bytes.next().is_some_and(is_letter) && bytes.all(|b| is_letter(b) || b.is_ascii_digit())
}

impl Compiler {
    /// Finds the compiler of a language. Starts processes.
    pub(super) fn find(language: Language, options: &Options) -> Result<Compiler, CompileError> {
        let name = spelled(language, "C", "C++");
        let variable = spelled(language, "CC", "CXX");
        let mut build = build(options);
        let tool = build.cpp(language == Language::Cpp).try_get_compiler();
        let tool = tool.map_err(|error| format!("no compiler for {name} was found: {error}"))?;
        if tool.is_like_msvc() {
            return Err(CompileError::new(format!(
                "`{}` is not supported: kernels need gcc or clang (set {variable})",
                tool.path().display(),
            )));
        }
        let mut command = Command::new(tool.path());
        command.arg("--version");
        let version = process::first_line(command).map_err(|error| {
            format!("no compiler for {name}: {error}; install gcc or clang, or set {variable}")
        })?;
        let defaults = defaults(language, &tool);
        let mut hasher = Hasher::new();
        hasher
            .field(tool.path().as_os_str().as_encoded_bytes())
            .field(&version)
            .fields(tool.args().iter().map(|arg| arg.as_encoded_bytes()))
            .fields(defaults.iter());
        Ok(Compiler {
            id: hasher.finish(),
            tool,
            defaults,
            version,
        })
    }

    /// The call that compiles a unit and lists what it read.
    pub(super) fn compile(&self, unit: &Unit, source: &Path, to: &Temporary) -> Command {
        let mut command = self.call(unit);
        // Other objects are linked against by name, which link-time optimisation would undo.
        command.args(["-fno-lto", "-MMD", "-MF"]).arg(&to.list);
        command.arg("-o").arg(&to.object).arg("-c").arg(source);
        command
    }

    /// The call that only preprocesses a unit.
    #[cfg(feature = "tune")]
    pub(super) fn preprocess(&self, unit: &Unit, to: &Path) -> Command {
        let mut command = self.call(unit);
        command.args(["-E", "-P", "-o"]).arg(to).arg(&unit.source);
        command
    }

    /// The compiler and cc's own flags. cc repeats the whole environment, and where that names `PATH`, the standard library copies
    /// this process to start another one (`fork` in place of `posix_spawn`): only what differs is said.
    fn command(&self) -> Command {
        let made = self.tool.to_command();
        let mut command = Command::new(made.get_program());
        command.args(made.get_args());
        for (name, value) in made.get_envs() {
            match value {
                Some(value) if !crate::env::has(name, value) => {
                    command.env(name, value);
                }
                None => {
                    command.env_remove(name);
                }
                Some(_) => {}
            }
        }
        command
    }

    fn call(&self, unit: &Unit) -> Command {
        let mut command = self.command();
        command.args(&self.defaults).args(&unit.flags);
        command.args(unit.macros());
        command.args(["-x", spelled(unit.language, "c", "c++")]);
        command
    }

    /// The call that links something.
    pub(super) fn link(&self, options: &[&str], out: &Path) -> Command {
        let mut command = self.command();
        command.args(options).arg("-o").arg(out);
        command
    }

    /// The objcopy of this compiler's family.
    pub(super) fn objcopy(&self, options: &Options) -> Result<Command, CompileError> {
        let names = spellings("OBJCOPY", &options.target, &options.host);
        if let Some(path) = names.iter().find_map(|name| crate::env::get(name)) {
            return Ok(Command::new(path));
        }
        let mut command = self.command();
        command.arg("-print-prog-name=objcopy");
        let path = process::first_line(command)?;
        Ok(Command::new(match path.as_str() {
            "" => "objcopy",
            path => path,
        }))
    }
}

/// The `ar` that goes with the compiler of C.
pub(crate) fn archiver(options: &Options) -> Result<Command, CompileError> {
    let archiver = build(options).try_get_archiver();
    Ok(archiver.map_err(|error| format!("no archiver was found: {error}"))?)
}

/// Flags that cc does not set. Later flags win, so the author's may undo each.
fn defaults(language: Language, tool: &cc::Tool) -> Vec<&'static str> {
    let mut flags = Vec::new();
    let mut arguments = tool.args().iter();
    if !arguments.any(|argument| argument.as_encoded_bytes().starts_with(b"-std=")) {
        // The GNU dialects: the ISO ones forbid fused multiply-add across statements.
        flags.push(spelled(language, "-std=gnu11", "-std=gnu++17"));
    }
    if language == Language::C {
        // Tentative definitions of two candidates would be merged into one.
        flags.push("-fno-common");
    } else if tool.is_like_gnu() {
        // Unique symbols stay global whatever is done to the object.
        flags.push("-fno-gnu-unique");
    }
    flags
}

fn build(options: &Options) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .target(&options.target)
        .host(&options.host)
        .out_dir(&options.cache)
        .opt_level(3)
        .debug(false)
        .pic(true)
        // What a kernel is compiled for is a parameter of its own, and in the lock.
        .inherit_rustflags(false)
        .cargo_metadata(false)
        .cargo_warnings(false);
    build
}

/// Every environment variable that decides which compiler is called and how.
pub fn variables(target: &str, host: &str) -> Vec<String> {
    const TOOLS: &str = "CC CFLAGS CXX CXXFLAGS AR ARFLAGS OBJCOPY";
    let mut names = Vec::new();
    for tool in TOOLS.split(' ') {
        names.extend(spellings(tool, target, host));
    }
    for name in "CROSS_COMPILE CRATE_CC_NO_DEFAULTS CC_SHELL_ESCAPED_FLAGS".split(' ') {
        names.push(name.to_string());
    }
    names
}

/// The flags of a variable, in the order in which cc gives them.
pub(super) fn environment_flags(name: &str, target: &str, host: &str) -> Vec<String> {
    let mut flags = Vec::new();
    for name in spellings(name, target, host).iter().rev() {
        let value = crate::env::get(name).unwrap_or_default();
        flags.extend(value.split_ascii_whitespace().map(String::from));
    }
    flags
}

/// The spellings of a variable that the `cc` crate reads, most particular first.
fn spellings(name: &str, target: &str, host: &str) -> Vec<String> {
    let kind = if target == host { "HOST" } else { "TARGET" };
    let underlined = target.replace(['-', '.'], "_");
    vec![
        format!("{name}_{target}"),
        format!("{name}_{underlined}"),
        format!("{kind}_{name}"),
        name.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::tests::options;
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn a_call_does_not_repeat_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let compiler = Compiler::find(Language::C, &options(folder.path())).unwrap();
        let link = compiler.link(&["-shared"], Path::new("out.so"));
        assert!(link.get_envs().all(|(name, _)| name != "PATH"));
        // What cc adds is there.
        let made = compiler.tool.to_command();
        assert_eq!(link.get_program(), made.get_program());
        let own: Vec<&OsStr> = made.get_args().collect();
        let all: Vec<&OsStr> = link.get_args().collect();
        assert!(!own.is_empty() && all.starts_with(&own), "{all:?}");
    }
}
