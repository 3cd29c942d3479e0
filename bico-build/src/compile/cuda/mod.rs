//! CUDA sources: compiled by NVRTC, or by nvcc where there is none, in a process of its own.
//!
//! A compiler that crashes or never ends costs one config then: the process is this very program,
//! started with an argument ([`run_if_compiler`]), under the service's time limit.
//!
//! ```text
//! <key>.cubin or <key>.ptx   the code
//! <key>.json                 its kernel's name, resources and parameters
//! ```
//!
//! The key holds all that the code depends on: the compiler, what it reads (it writes no list, so
//! the includes are followed here), options, and the kernel's expression.

mod child;
mod compiler;
mod cubin;
mod includes;
mod job;
mod log;
mod nvcc;
mod ptx;

pub use child::run_if_compiler;
pub(super) use compiler::Compiler;
pub(super) use includes::{Read, Search, read};

use super::cache::{self, Object, Temporary};
use super::hash::{Hash, Hasher};
use super::queue::Shared;
use super::source::normal;
use super::{CompileError, GpuKernel, GpuTarget, GpuUnit, Unit};
use job::{Compile, Job, Sidecar};
use std::path::{Path, PathBuf};

/// Finds or makes the code of a unit with a [`GpuUnit`].
pub(super) fn object(unit: &Unit, gpu: &GpuUnit, shared: &Shared) -> Result<Object, CompileError> {
    cache::check(unit)?;
    check(gpu)?;
    let options = &shared.options;
    let root = normal(&options.root);
    let source = normal(&root.join(&unit.source));
    let given = source.strip_prefix(&root).unwrap_or(&source);
    let search = includes::Search::of(unit, given);
    let read = shared.includes(&source, &search).map_err(|error| {
        CompileError::new(format!(
            "could not read `{}`: {error}",
            unit.source.display()
        ))
    })?;
    let compiler = shared.cuda()?;
    compiler.supports(gpu.target)?;
    let key = key(unit, gpu, given, read.hash, &compiler);
    let (ending, _) = ending(gpu.target);
    let path = options.cache.join(format!("{key}.{ending}"));
    let list = options.cache.join(format!("{key}.json"));
    let dependencies: Vec<PathBuf> = read
        .files
        .into_iter()
        .filter(|file| file.starts_with(&root))
        .collect();
    let done = |sidecar: Sidecar| Object {
        path: path.clone(),
        dependencies: dependencies.clone(),
        kernel: Some(GpuKernel {
            path: path.clone(),
            entry: sidecar.entry,
            resources: sidecar.resources,
            parameters: sidecar.parameters,
            max_threads: sidecar.max_threads,
        }),
    };
    if let Some(sidecar) = kept(&path, &list) {
        return Ok(done(sidecar));
    }
    std::fs::create_dir_all(&options.cache).map_err(|error| {
        CompileError::new(format!(
            "could not create `{}`: {error}",
            options.cache.display()
        ))
    })?;
    let temporary = Temporary::new(&options.cache);
    let job = Job::Compile(Compile {
        compiler: compiler.found.which,
        library: compiler.found.path.clone(),
        source: given.to_path_buf(),
        options: self::options(unit, gpu, &search, &compiler),
        expression: gpu.expression.clone(),
        target: gpu.target,
        object: temporary.object.clone(),
        sidecar: temporary.list.clone(),
    });
    child::start(&job, &root, options.timeout, shared)?;
    let lost = |error: std::io::Error| {
        CompileError::new(format!(
            "could not write to `{}`: {error}",
            options.cache.display()
        ))
    };
    // The code first: without the other file beside it, it is merely made again.
    std::fs::rename(&temporary.object, &path).map_err(lost)?;
    std::fs::rename(&temporary.list, &list).map_err(lost)?;
    kept(&path, &list).map(done).ok_or_else(|| {
        CompileError::new("the compiling process left no result; this is a bug of bico")
    })
}

/// What a kept unit's second file says, if both files are there.
fn kept(path: &Path, list: &Path) -> Option<Sidecar> {
    let text = std::fs::read_to_string(list).ok()?;
    path.is_file()
        .then(|| bico_core::json::read(&text).ok())
        .flatten()
}

fn check(gpu: &GpuUnit) -> Result<(), CompileError> {
    if gpu.expression.trim().is_empty() || gpu.expression.chars().any(char::is_control) {
        return Err(CompileError::new(format!(
            "`{}` cannot be the name of a kernel",
            gpu.expression.escape_debug()
        )));
    }
    Ok(())
}

/// The file's ending, and the architecture as the compilers' options have it.
fn ending(target: GpuTarget) -> (&'static str, String) {
    match target {
        GpuTarget::Cubin(capability) => ("cubin", format!("sm_{capability}")),
        GpuTarget::Ptx(capability) => ("ptx", format!("compute_{capability}")),
    }
}

/// Makes the assembler tell what a kernel takes.
const VERBOSE: &str = "--ptxas-options=-v";

/// The compiler's options, the author's last.
fn options(
    unit: &Unit,
    gpu: &GpuUnit,
    search: &includes::Search,
    compiler: &Compiler,
) -> Vec<String> {
    let mut options = vec![
        format!("--gpu-architecture={}", ending(gpu.target).1),
        format!("-I{}", search.folder.display()),
    ];
    for folder in &compiler.found.headers {
        options.push(format!("-I{}", folder.display()));
    }
    if matches!(gpu.target, GpuTarget::Cubin(_)) {
        options.push(VERBOSE.to_string());
    }
    options.extend(super::own_options(unit));
    options
}

fn key(unit: &Unit, gpu: &GpuUnit, source: &Path, read: Hash, compiler: &Compiler) -> Hash {
    let mut hasher = Hasher::new();
    hasher
        .field("cuda 2")
        .field(compiler.id.to_string())
        .field(source.as_os_str().as_encoded_bytes())
        .field(read.to_string())
        .field(ending(gpu.target).1)
        .field(&gpu.expression);
    hasher.fields(
        unit.defines
            .iter()
            .map(|(name, value)| format!("{name}={value}")),
    );
    hasher.fields(unit.flags.iter());
    hasher.finish()
}
