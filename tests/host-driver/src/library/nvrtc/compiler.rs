//! From a `.cu` to a shared object of this host.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::options::Options;
use super::{source, table};
use crate::library::fault;
use crate::library::gpu::REGISTERS;
use crate::library::image::{Cubin, Kernel};
use crate::library::settings;

/// Comes before every kernel.
pub(crate) const HEADER: &str = concat!(include_str!("host.h"), include_str!("hopper.h"));
/// Headers of the toolkit that kernels include; NVIDIA's own are for its compilers.
const TOOLKIT: [(&str, &str); 5] = [
    ("cuda/std/limits", include_str!("limits.h")),
    ("cuda_bf16.h", include_str!("cuda_bf16.h")),
    ("cuda_fp16.h", include_str!("cuda_fp16.h")),
    ("cuda_fp8.h", include_str!("cuda_fp8.h")),
    ("cuda_runtime.h", include_str!("cuda_runtime.h")),
];
/// The name of what we add behind the source, as NVRTC calls it.
const ADDED: &str = "__nv_name_map";

/// What is to be compiled.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) name: &'a str,
    /// Include names and texts.
    pub(crate) headers: &'a [(String, String)],
    pub(crate) expressions: &'a [String],
    /// As they were given.
    pub(crate) options: &'a [String],
}

/// # Errors
///
/// The log of a compile that failed.
pub(crate) fn compile(of: &Source, options: &Options) -> Result<Cubin, String> {
    let folder = tempfile::Builder::new()
        .prefix("host-nvrtc-")
        .tempdir()
        .map_err(|error| format!("host driver: no temporary folder: {error}\n"))?;
    let text = preprocess(of, options, folder.path())?;
    // What was asked for by name, then every other kernel, or none.
    let asked: Vec<_> = of
        .expressions
        .iter()
        .map(|it| it.trim().trim_start_matches('&').trim())
        .collect();
    let only: Option<Vec<_>> = (settings::only_asked() && !asked.is_empty())
        .then(|| asked.iter().copied().map(plain).collect());
    let rewritten = source::rewrite(&text, only.as_deref());
    let others = rewritten
        .kernels
        .iter()
        .map(String::as_str)
        .filter(|name| !asked.contains(name));
    let names: Vec<_> = asked.iter().copied().chain(others).collect();
    let object = build(of, options, folder.path(), rewritten.text + &rows(&names))?;
    let entries = table::read(&object, names.len())
        .ok_or("host driver: the compiled object has no table of kernels\n")?;
    let mut spilled = 0;
    let kernels = entries.into_iter().zip(names).map(|(entry, name)| {
        let identity = format!("{} {name} {}", entry.name, of.options.join(" "));
        let wanted = registers(entry.parameters.len(), &identity);
        let limit = options.registers.unwrap_or(255).min(255);
        // What the bounds of a launch leave to each thread, as NVIDIA's assembler keeps to it.
        let limit = limit.min(REGISTERS as u32 / entry.threads.max(1));
        spilled = 4 * wanted.saturating_sub(limit);
        Kernel {
            registers: wanted.min(limit),
            spilled,
            shared: entry.shared,
            threads: entry.threads,
            parameters: entry.parameters,
            expression: name.split_whitespace().collect::<Vec<_>>().join(" "),
            name: entry.name,
        }
    });
    Ok(Cubin {
        architecture: options.architecture,
        exact: options.exact,
        kernels: kernels.collect(),
        object,
        options: of.options.join(" ").replace('\n', " "),
    })
}

/// The last name of a kernel's expression, without what its template is given.
fn plain(expression: &str) -> &str {
    let path = expression.split('<').next().unwrap_or_default();
    path.rsplit("::").next().unwrap_or_default().trim()
}

/// No compiler of GPUs is here to ask, so this is only a number, always the same for the same kernel:
/// 32 and, beyond four parameters, two each, in units of eight. `BICO_HOST_REGISTERS` gives others:
/// a number for all, or `TEXT=NUMBER` by `;` for kernels whose name or options have the text.
fn registers(parameters: usize, identity: &str) -> u32 {
    let said = settings::registers().unwrap_or_default();
    let number = said
        .split(';')
        .find_map(|part| match part.rsplit_once('=') {
            Some((text, number)) if fault::names(text, identity) => number.trim().parse().ok(),
            Some(_) => None,
            None => part.trim().parse().ok(),
        });
    number.unwrap_or_else(|| (32 + 2 * parameters.saturating_sub(4) as u32).next_multiple_of(8))
}

/// The table that host.h declares.
fn rows(names: &[&str]) -> String {
    let mut text = format!(
        "\n# 1 \"{ADDED}\"\nextern \"C\" __attribute__((visibility(\"default\"), used)) \
         const host_row host_kernels[] = {{\n"
    );
    for name in names {
        let entry = format!("host_entry<(&{name})>");
        text += &format!(
            "{{(void (*)())(&{name}), {entry}::run, {entry}::parameters, {entry}::sizes, \
             {entry}::alignments}},\n"
        );
    }
    text + "{}};\n"
}

fn preprocess(of: &Source, options: &Options, folder: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("host driver: {error}\n");
    fs::write(folder.join("host.h"), HEADER).map_err(failed)?;
    let text = format!("# 1 \"{}\"\n{}", of.name, of.text);
    fs::write(folder.join("source.cu"), text).map_err(failed)?;
    let headers = folder.join("headers");
    let given = of.headers.iter().map(|it| (it.0.as_str(), it.1.as_str()));
    for (name, text) in TOOLKIT.into_iter().chain(given) {
        let file = headers.join(name);
        fs::create_dir_all(file.parent().expect("a file in a folder")).map_err(failed)?;
        fs::write(file, text).map_err(failed)?;
    }
    let mut command = Command::new(settings::compiler());
    command
        .args(["-E", "-x", "c++", "-nostdinc", "-include"])
        .arg(folder.join("host.h"))
        .arg("-I")
        .arg(headers)
        .args(&options.host);
    if let Some(beside) = Path::new(of.name).parent() {
        let beside = if beside.as_os_str().is_empty() {
            Path::new(".")
        } else {
            beside
        };
        command.arg("-iquote").arg(beside);
    }
    command.arg(folder.join("source.cu"));
    let output = run(command, of)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn build(of: &Source, options: &Options, folder: &Path, text: String) -> Result<Vec<u8>, String> {
    let standard = options.host.iter().filter(|it| it.starts_with("-std="));
    let standard: Vec<_> = standard.collect();
    let kept = kept(&text, &standard, folder);
    if let Some(object) = kept.as_ref().and_then(|path| fs::read(path).ok()) {
        return Ok(object);
    }
    let input = folder.join("source.ii");
    let object = folder.join("kernel.so");
    fs::write(&input, text).map_err(|error| format!("host driver: {error}\n"))?;
    let mut command = Command::new(settings::compiler());
    command
        .args(&standard)
        .args([
            "-O2",
            "-shared",
            "-fPIC",
            "-fvisibility=hidden",
            // Or the loader would keep the code of a module that is gone.
            "-fno-gnu-unique",
            "-fno-exceptions",
            "-fno-rtti",
            "-fno-threadsafe-statics",
            "-fno-stack-protector",
            // Kernels of equal code keep their own names.
            "-fno-ipa-icf",
            "-fno-strict-aliasing",
            // A GPU faults where an address is not aligned; this CPU would not.
            "-fsanitize=alignment",
            "-fsanitize-undefined-trap-on-error",
            // Every access that another thread may see calls host.h, where threads take turns.
            "-fsanitize=thread",
            "--param=tsan-instrument-func-entry-exit=0",
            "--param=tsan-distinguish-volatile=1",
            "-nodefaultlibs",
            "-o",
        ])
        .arg(&object)
        .arg(&input)
        .args(["-lm", "-lc", "-lgcc"]);
    // Without it each half is converted by a call: half the time of a kernel on tensor cores.
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("f16c") {
        command.arg("-mf16c");
    }
    run(command, of)?;
    let object = fs::read(object).map_err(|error| format!("host driver: {error}\n"))?;
    if let Some(path) = kept {
        // Where it cannot be kept, it is compiled again.
        _ = keep(&path, &object);
    }
    Ok(object)
}

/// Where the object of a text is kept for who compiles the same again: half of what tests compile is. The text says which
/// version compiles it (host.h). `None` where nobody asked for that, or with a compiler of the user's.
fn kept(text: &str, standard: &[&String], folder: &Path) -> Option<PathBuf> {
    let objects = settings::objects()?;
    // Places are told by the name of a folder that is another one each time.
    let text = text.replace(&*folder.to_string_lossy(), "");
    let name = [0, 1].map(|seed| {
        let mut hasher = DefaultHasher::new();
        (seed, &text, standard).hash(&mut hasher);
        hasher.finish()
    });
    Some(objects.join(format!("{:016x}{:016x}.so", name[0], name[1])))
}

/// Whole or not at all.
fn keep(path: &Path, object: &[u8]) -> Option<()> {
    let folder = path.parent()?;
    fs::create_dir_all(folder).ok()?;
    let aside = tempfile::NamedTempFile::new_in(folder).ok()?;
    fs::write(&aside, object).ok()?;
    aside.persist(path).ok()?;
    Some(())
}

fn run(mut command: Command, of: &Source) -> Result<Output, String> {
    let output = command
        .env("LC_ALL", "C")
        // What our user loads is nothing for a compiler.
        .env_remove("LD_LIBRARY_PATH")
        .args(["-fdiagnostics-plain-output", "-w"])
        .output()
        .map_err(|error| {
            format!(
                "host driver: the C++ compiler {} does not start: {error}\n",
                settings::compiler()
            )
        })?;
    if output.status.success() {
        return Ok(output);
    }
    Err(log(&String::from_utf8_lossy(&output.stderr), of.name))
}

/// The compiler's messages in the manner of NVIDIA's: `file(line): error: text`.
fn log(messages: &str, name: &str) -> String {
    let mut log = String::new();
    let mut errors = 0;
    for message in messages.lines() {
        for kind in ["fatal error", "error"] {
            let Some((place, text)) = message.split_once(&format!(": {kind}: ")) else {
                continue;
            };
            let mut parts = place.rsplitn(3, ':');
            let (Some(_), Some(line), Some(file)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            errors += 1;
            log += &format!("{file}({line}): error: {text}\n\n");
            break;
        }
    }
    if errors == 0 {
        // Not in the compiler's usual manner: as it is.
        log += messages;
    }
    let noun = if errors == 1 { "error" } else { "errors" };
    log + &format!("{errors} {noun} detected in the compilation of \"{name}\".\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_as_nvcc_writes_them() {
        let messages = "k.cu: In function 'void k()':\n\
                        k.cu:3:5: error: 'b' was not declared in this scope\n\
                        k.cu:1:10: fatal error: a.h: No such file or directory\n";
        assert_eq!(
            log(messages, "k.cu"),
            "k.cu(3): error: 'b' was not declared in this scope\n\n\
             k.cu(1): error: a.h: No such file or directory\n\n\
             2 errors detected in the compilation of \"k.cu\".\n"
        );
    }
}
