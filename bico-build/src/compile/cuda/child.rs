//! The compiling process: both sides of it.

use super::job::{ARGUMENT, Compile, Find, Found, Job, Sidecar, Which};
use super::{VERBOSE, cubin, log, nvcc, ptx};
use crate::compile::cache::Temporary;
use crate::compile::shared::Shared;
use crate::compile::{CompileError, GpuEntry};
use crate::files::could_not;
use bico_core::Lists;
use bico_core::json::{self, ToJson};
use bico_device::nvrtc::{Nvrtc, NvrtcMissing, Program};
use bico_host::process::{exit_now, kill_group};
use bico_host::said;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Runs a job to its end in a process of its own, in the package root. `result` is a file that is there then.
pub(super) fn start(
    job: &Job,
    result: &Path,
    timeout: Duration,
    shared: &Shared,
) -> Result<(), CompileError> {
    let program = match &shared.options.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()
            .map_err(|error| format!("could not find this program: {error}"))?,
    };
    let file = Temporary::new(&shared.options.cache)?;
    let written = std::fs::write(&file.list, job.to_json().compact());
    written.map_err(could_not("write", &file.list))?;
    let mut command = Command::new(&program);
    let mut argument = std::ffi::OsString::from(ARGUMENT);
    argument.push(&file.list);
    command.arg(argument).current_dir(&shared.options.root);
    shared.run_undisturbed(command, timeout)?;
    let program = program.display();
    match result.is_file() {
        true => Ok(()),
        false => Err(CompileError::new(format!(
            "`{program}` was started to compile a kernel, and did not\n  = help: call `bico_build::tune()` first in `main`"
        ))),
    }
}

/// Serves as compiling process and never returns, if this program was started as one.
pub fn run_if_compiler() {
    let argument = std::env::args_os().nth(1).unwrap_or_default();
    let Some(path) = argument.to_str().and_then(|a| a.strip_prefix(ARGUMENT)) else {
        return;
    };
    end_with_parent();
    // No exit handlers: those of the compiler's library would only tidy up.
    exit_now(match work(Path::new(path)) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error}");
            1
        }
    });
}

/// Ends this process and what it started when the build that wants the result is gone: nobody else
/// would, for this is no part of the terminal's group.
fn end_with_parent() {
    #[cfg(unix)]
    std::thread::spawn(|| {
        let parent = std::os::unix::process::parent_id();
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(Duration::from_millis(200));
        }
        kill_group(std::process::id());
        exit_now(1);
    });
}

fn work(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let job = text.and_then(|text| json::read(&text));
    match job.map_err(|error| format!("error: `{}`: {error}", path.display()))? {
        Job::Find(find) => {
            let found = self::find(&find);
            write(&find.answer, found.to_json().compact().as_bytes())
        }
        Job::Compile(job) => compile(&job),
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    let written = std::fs::write(path, content).map_err(could_not("write", path));
    written.map_err(|error| format!("error: {error}"))
}

/// NVRTC, else nvcc.
fn find(find: &Find) -> Result<Found, String> {
    if let Some(path) = find.nvrtc.as_deref().filter(|path| nvcc::is_meant(path)) {
        return nvcc::find(&[path.to_path_buf()])
            .ok_or_else(|| format!("`{}`, which BICO_NVRTC names, is no nvcc", path.display()));
    }
    let not_found = || {
        let looked = find.nvcc.iter().map(|path| path.display().to_string());
        let looked: Vec<String> = looked.collect_vec();
        format!("nvcc was not found: {}", looked.join(", "))
    };
    if find.only_nvcc {
        let help = "  = help: install the CUDA toolkit, or set NVCC to the program";
        return nvcc::find(&find.nvcc).ok_or_else(|| format!("{}\n{help}", not_found()));
    }
    match Nvrtc::find(find.nvrtc.as_deref()) {
        Ok(nvrtc) => Ok(Found {
            which: Which::Nvrtc,
            path: nvrtc.path().to_path_buf(),
            version: nvrtc.version(),
            architectures: nvrtc.architectures().to_vec(),
            headers: nvrtc.headers(),
        }),
        // Who names a library wants no other compiler.
        Err(missing) if find.nvrtc.is_some() => Err(missing.to_string()),
        Err(missing) => nvcc::find(&find.nvcc).ok_or_else(|| {
            format!(
                "there is no CUDA compiler: {}\n  {}\n{}",
                missing.what(),
                not_found(),
                NvrtcMissing::HELP
            )
        }),
    }
}

fn compile(job: &Compile) -> Result<(), String> {
    let (code, entries, said) = match job.compiler {
        Which::Nvrtc => with_nvrtc(job)?,
        Which::Nvcc => nvcc::compile(job)?,
    };
    let warnings = said::warnings(&said);
    let sidecar = match job.target.is_cubin() {
        true => {
            let unread = |error| format!("error: the compiled code cannot be read: {error}");
            let entries = entries.iter().map(|name| {
                let mut entry = cubin::read(&code, name)?;
                if let Some(resources) = &mut entry.resources {
                    resources.spill_bytes = log::spill_bytes(&said, name);
                }
                Ok(entry)
            });
            Sidecar {
                entries: entries.try_collect_vec().map_err(unread)?,
                warnings,
                variables: Some(cubin::variables(&code).map_err(unread)?),
            }
        }
        false => {
            let text = String::from_utf8_lossy(&code);
            let entries = entries.into_iter().map(|name| GpuEntry {
                parameters: ptx::parameters(&text, &name),
                resources: None,
                max_threads: None,
                name,
            });
            Sidecar {
                entries: entries.collect_vec(),
                warnings,
                variables: None,
            }
        }
    };
    write(&job.object, &code)?;
    write(&job.sidecar, sidecar.to_json().to_text().as_bytes())
}

/// The code, the names of its kernels, and what the compiler said.
fn with_nvrtc(job: &Compile) -> Result<(Vec<u8>, Vec<String>, String), String> {
    let nvrtc = Nvrtc::find(Some(&job.library)).map_err(|missing| format!("error: {missing}"))?;
    let name = job.source.display().to_string();
    let source = std::fs::read(&job.source).map_err(could_not("read", &job.source));
    let source = source.map_err(|error| format!("error: {error}"))?;
    let source = String::from_utf8_lossy(&source);
    let expressions: Vec<&str> = job.expressions.iter().map(String::as_str).collect_vec();
    let compile = |options: &[String]| {
        nvrtc.compile(&Program {
            source: &source,
            name: &name,
            options,
            expressions: &expressions,
        })
    };
    let compiled = compile(&job.options)
        .map_err(|log| {
            // What the assembler has to say against a kernel gets lost behind what it tells of it.
            let mut quiet = job.options.clone();
            quiet.retain(|option| option != VERBOSE);
            compile(&quiet).err().unwrap_or(log)
        })
        .map_err(|log| {
            let log = log::with_headers(&log, nvrtc.version().0);
            log::refused(&log, log::NAME_MAP, &expressions)
        })?;
    let code = match job.target.is_cubin() {
        true => compiled.cubin,
        false => compiled.ptx,
    };
    let code = code
        .ok_or("error: the compiler gave no code; is there a flag that asks for other output?")?;
    Ok((code, compiled.entries, compiled.log))
}
