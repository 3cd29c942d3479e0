//! The compiler, and the tools beside it, as the `cc` crate finds them.

use super::error::CompileError;
use super::hash::{Hash, Hasher};
use super::{Options, Unit, process};
use bico_syntax::Language;
use std::ffi::OsString;
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

/// A tool that comes with a compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binutil {
    /// Makes static libraries.
    Ar,
    /// Rewrites object files.
    Objcopy,
}

impl Compiler {
    /// Finds the compiler of a language. Starts processes.
    pub(super) fn find(language: Language, options: &Options) -> Result<Compiler, CompileError> {
        let tool = build(options)
            .cpp(language == Language::Cpp)
            .try_get_compiler()
            .map_err(|error| {
                CompileError::new(format!(
                    "no compiler for {} was found: {error}",
                    name(language)
                ))
            })?;
        if tool.is_like_msvc() {
            return Err(CompileError::new(format!(
                "`{}` is not supported: kernels need gcc or clang (set {})",
                tool.path().display(),
                if language == Language::Cpp {
                    "CXX"
                } else {
                    "CC"
                },
            )));
        }
        let mut command = Command::new(tool.path());
        command.arg("--version");
        let version = process::first_line(command).map_err(|error| {
            CompileError::new(format!(
                "no compiler for {}: {}; install gcc or clang, or set {}",
                name(language),
                error.summary,
                if language == Language::Cpp {
                    "CXX"
                } else {
                    "CC"
                },
            ))
        })?;
        let defaults = defaults(language, &tool);
        let mut hasher = Hasher::new();
        hasher
            .field(tool.path().as_os_str().as_encoded_bytes())
            .field(&version);
        hasher
            .fields(tool.args().iter().map(|arg| arg.as_encoded_bytes()))
            .fields(defaults.iter());
        Ok(Compiler {
            id: hasher.finish(),
            tool,
            defaults,
            version,
        })
    }

    /// The call that compiles `unit` to `object` and lists what it read in `depfile`.
    pub(super) fn compile(
        &self,
        unit: &Unit,
        source: &Path,
        object: &Path,
        depfile: &Path,
    ) -> Command {
        let mut command = self.tool.to_command();
        command.args(&self.defaults).args(&unit.flags);
        for (name, value) in &unit.defines {
            command.arg(format!("-D{name}={value}"));
        }
        // Other objects are linked against by name, which link-time optimisation would undo.
        command.args(["-fno-lto", "-MMD", "-MF"]).arg(depfile);
        command.args([
            "-x",
            if unit.language == Language::Cpp {
                "c++"
            } else {
                "c"
            },
        ]);
        command.arg("-o").arg(object).arg("-c").arg(source);
        command
    }

    /// The call that links a shared library.
    pub(super) fn link_shared(&self, objects: &[impl AsRef<Path>], out: &Path) -> Command {
        let mut command = self.tool.to_command();
        // A kernel's function must not give way to one of that name in a library of this process.
        command.args(["-shared", "-Wl,-Bsymbolic", "-o"]).arg(out);
        command
            .args(objects.iter().map(|object| object.as_ref()))
            .arg("-lm");
        command
    }

    /// The call that makes one object of one or several, as final as an object can be: groups of
    /// inline functions and templates, which a linker would share between objects, are dissolved.
    pub(super) fn link_object(&self, objects: &[impl AsRef<Path>], out: &Path) -> Command {
        let mut command = self.tool.to_command();
        command
            .args([
                "-r",
                "-nostdlib",
                "-fno-lto",
                "-Wl,--force-group-allocation",
                "-o",
            ])
            .arg(out);
        command.args(objects.iter().map(|object| object.as_ref()));
        command
    }

    /// A tool of this compiler's family.
    pub(super) fn binutil(
        &self,
        binutil: Binutil,
        options: &Options,
    ) -> Result<Command, CompileError> {
        if binutil == Binutil::Ar {
            return build(options)
                .try_get_archiver()
                .map_err(|error| CompileError::new(format!("no archiver was found: {error}")));
        }
        if let Some(path) = spellings("OBJCOPY", &options.target, &options.host)
            .iter()
            .find_map(|name| crate::env::get(name))
        {
            return Ok(Command::new(path));
        }
        let mut command = self.tool.to_command();
        command.arg("-print-prog-name=objcopy");
        let path = process::first_line(command)?;
        Ok(Command::new(if path.is_empty() {
            "objcopy".to_string()
        } else {
            path
        }))
    }
}

/// Flags that cc does not set. Later flags win, so the author's may undo each.
fn defaults(language: Language, tool: &cc::Tool) -> Vec<&'static str> {
    let mut flags = vec!["-w"];
    let has_standard = tool
        .args()
        .iter()
        .any(|arg: &OsString| arg.as_encoded_bytes().starts_with(b"-std="));
    if !has_standard {
        // The GNU dialects: the ISO ones forbid fused multiply-add across statements.
        flags.push(if language == Language::Cpp {
            "-std=gnu++17"
        } else {
            "-std=gnu11"
        });
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
        .warnings(false)
        .extra_warnings(false)
        // What a kernel is compiled for is a parameter of its own, and in the lock.
        .inherit_rustflags(false)
        .cargo_metadata(false)
        .cargo_warnings(false);
    build
}

fn name(language: Language) -> &'static str {
    match language {
        Language::C => "C",
        Language::Cpp => "C++",
        Language::Cuda => "CUDA",
    }
}

/// Every environment variable that decides which compiler is called and how.
pub fn variables(target: &str, host: &str) -> Vec<String> {
    let tools = [
        "CC", "CFLAGS", "CXX", "CXXFLAGS", "AR", "ARFLAGS", "OBJCOPY",
    ];
    let mut names: Vec<String> = tools
        .iter()
        .flat_map(|tool| spellings(tool, target, host))
        .collect();
    names.extend(
        [
            "CROSS_COMPILE",
            "CRATE_CC_NO_DEFAULTS",
            "CC_SHELL_ESCAPED_FLAGS",
        ]
        .map(String::from),
    );
    names
}

/// The flags of a variable, in the order in which cc gives them.
pub(super) fn environment_flags(name: &str, target: &str, host: &str) -> Vec<String> {
    let values = spellings(name, target, host)
        .into_iter()
        .rev()
        .filter_map(|name| crate::env::get(&name));
    values
        .flat_map(|value| {
            value
                .split_ascii_whitespace()
                .map(String::from)
                .collect::<Vec<_>>()
        })
        .collect()
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
