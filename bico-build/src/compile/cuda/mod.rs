//! CUDA sources: compiled by NVRTC, or by nvcc where there is none, in a process of its own.
//!
//! A compiler that crashes or never ends costs one config then: the process is this very program,
//! started with an argument ([`run_if_compiler`]), under the service's time limit.
//!
//! ```text
//! <key>.cubin or <key>.ptx   the code
//! <key>.json                 its kernels' names, resources and parameters, and the warnings
//! ```
//!
//! The key holds all that the code depends on: the compiler, what it reads (it writes no list: the includes are
//! followed), options, and the kernels' expressions.

mod child;
mod compiler;
mod cubin;
mod job;
mod log;
mod nvcc;
mod ptx;

pub use child::run_if_compiler;
pub(super) use compiler::Compiler;

use super::cache::{Object, Temporary};
use super::hash::{Hash, Hasher};
use super::shared::Shared;
use super::source::normal;
use super::{CompileError, GpuKernel, GpuTarget, GpuUnit, Unit};
use crate::files::could_not;
use job::{Compile, Job, Sidecar, Which};
use std::path::{Path, PathBuf};

/// Finds or makes the code of a unit with a [`GpuUnit`].
pub(super) fn object(unit: &Unit, gpu: &GpuUnit, shared: &Shared) -> Result<Object, CompileError> {
    check(gpu)?;
    let cache = &shared.options.cache;
    let root = normal(&shared.options.root);
    let source = normal(&root.join(&unit.source));
    let given = source.strip_prefix(&root).unwrap_or(&source);
    let folder = given.parent().unwrap_or(Path::new(""));
    let read = shared.source(unit);
    let read = read.map_err(could_not("read", &unit.source))?;
    let compiler = shared.cuda(gpu.nvcc)?;
    compiler.supports(gpu.target)?;
    let key = key(unit, gpu, given, read.whole(), compiler);
    let path = cache.join(format!("{key}.{}", ending(gpu.target)));
    let list = cache.join(format!("{key}.json"));
    let mut sidecar = kept(&path, &list);
    if sidecar.is_none() {
        let temporary = Temporary::new(cache)?;
        let job = Job::Compile(Compile {
            compiler: compiler.found.which,
            library: compiler.found.path.clone(),
            source: given.to_path_buf(),
            options: options(unit, gpu, folder, compiler),
            expressions: gpu.expressions.clone(),
            target: gpu.target,
            object: temporary.object.clone(),
            sidecar: temporary.list.clone(),
        });
        child::start(&job, &temporary.list, shared.options.timeout, shared)?;
        temporary.keep(&path, &list, cache)?;
        sidecar = kept(&path, &list);
    }
    let lost = "the compiling process left no result; this is a bug of bico";
    let sidecar = sidecar.ok_or_else(|| CompileError::new(lost))?;
    let mut dependencies: Vec<PathBuf> = read.files;
    dependencies.retain(|file| file.starts_with(&root));
    Ok(Object {
        path: path.clone(),
        dependencies,
        warnings: sidecar.warnings,
        kernel: Some(GpuKernel {
            path,
            entries: sidecar.entries,
            variables: sidecar.variables,
        }),
        taken: None,
    })
}

/// What a kept unit's second file says, if both files are there.
fn kept(path: &Path, list: &Path) -> Option<Sidecar> {
    let text = std::fs::read_to_string(list).ok()?;
    let is_there = path.is_file();
    bico_core::json::read(&text).ok().filter(|_| is_there)
}

fn check(gpu: &GpuUnit) -> Result<(), String> {
    let mut names = gpu.expressions.iter();
    match names.find(|name| name.trim().is_empty() || name.chars().any(char::is_control)) {
        Some(name) => {
            let name = name.escape_debug();
            Err(format!("`{name}` cannot be the name of a kernel"))
        }
        None => Ok(()),
    }
}

/// The file's ending.
fn ending(target: GpuTarget) -> &'static str {
    match target.is_cubin() {
        true => "cubin",
        false => "ptx",
    }
}

/// Makes the assembler tell what a kernel takes.
const VERBOSE: &str = "--ptxas-options=-v";

/// The compiler's options. `folder` is the source's own.
fn options(unit: &Unit, gpu: &GpuUnit, folder: &Path, compiler: &Compiler) -> Vec<String> {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let mut options = vec![
        format!("--gpu-architecture={}", gpu.target.architecture()),
        format!("-I{}", folder.display()),
    ];
    if compiler.found.which == Which::Nvrtc {
        // Headers declare functions of the host, too, which nobody calls.
        options.push("--device-as-default-execution-space".to_string());
    }
    if gpu.target.is_cubin() {
        options.push(VERBOSE.to_string());
    }
    options.extend(super::own_options(unit));
    // Behind the author's: a header of theirs comes before one of CUDA's.
    let headers = compiler.found.headers.iter();
    options.extend(headers.map(|folder| format!("-I{}", folder.display())));
    options
}

fn key(unit: &Unit, gpu: &GpuUnit, source: &Path, read: Hash, compiler: &Compiler) -> Hash {
    let mut hasher = Hasher::new();
    hasher
        .field("cuda 5")
        .field(compiler.id.to_string())
        .field(source.as_os_str().as_encoded_bytes())
        .field(read.to_string())
        .field(gpu.target.architecture())
        .fields(gpu.expressions.iter());
    unit.hash_options(&mut hasher);
    hasher.finish()
}
