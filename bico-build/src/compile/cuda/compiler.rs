//! Which compiler there is for CUDA sources.

use super::job::{Find, Found, Job, Which};
use super::{child, nvcc};
use crate::compile::cache::Temporary;
use crate::compile::hash::{Hash, Hasher};
use crate::compile::shared::Shared;
use crate::compile::{CompileError, GpuTarget, Options};
use crate::files::{could_not, written};
use bico_core::Lists;
use bico_core::json;
use bico_device::standard_headers;
use std::path::Path;

/// Those whose sizes tell releases of one version apart.
const HEADERS: [&str; 3] = [
    "cuda_runtime_api.h",
    "cuda_fp16.h",
    "cuda/std/__cccl/version.h",
];

/// A compiler for CUDA, ready to be called.
pub(in crate::compile) struct Compiler {
    pub(super) found: Found,
    /// `NVRTC 12.9`
    pub(in crate::compile) version: String,
    /// Which compiler it is, with which headers; not where they lie.
    pub(super) id: Hash,
}

impl Compiler {
    /// Looks for it, or for nvcc, in a process of its own: loading a library runs its code.
    pub(in crate::compile) fn find(
        shared: &Shared,
        only_nvcc: bool,
    ) -> Result<Compiler, CompileError> {
        let options = &shared.options;
        let cache = &options.cache;
        let failed = could_not("write to", cache);
        std::fs::create_dir_all(cache).map_err(&failed)?;
        let temporary = Temporary::new(cache)?;
        let job = Job::Find(Find {
            nvrtc: options.nvrtc.clone(),
            only_nvcc,
            nvcc: nvcc::places(),
            answer: temporary.object.clone(),
        });
        child::start(&job, &temporary.object, Options::TIMEOUT, shared)?;
        let text = std::fs::read_to_string(&temporary.object).map_err(&failed)?;
        let answer: Result<Found, String> = json::read(&text).map_err(|error| {
            format!("the compiling process gave no answer: {error}; this is a bug of bico")
        })?;
        let mut found = answer?;
        let (major, minor) = found.version;
        let name = match found.which {
            Which::Nvrtc => "NVRTC",
            Which::Nvcc => "nvcc",
        };
        let version = format!("{name} {major}.{minor}");
        let mut hasher = Hasher::new();
        hasher.field(&version);
        // Releases of one version differ in their size.
        hasher.field(size(&found.path).to_string());
        for folder in &found.headers {
            for header in HEADERS {
                hasher.field(size(&folder.join(header)).to_string());
            }
        }
        if found.which == Which::Nvrtc {
            let own = cache.join("headers");
            for (name, text) in standard_headers() {
                written(&own.join(name), text.as_bytes())?;
            }
            // Behind all others: whoever has such a header gets it.
            found.headers.push(own);
        }
        if found.which == Which::Nvcc {
            for name in nvcc::VARIABLES {
                hasher.field(crate::env::get(name).unwrap_or_default());
            }
        }
        Ok(Compiler {
            id: hasher.finish(),
            version,
            found,
        })
    }

    /// What is compiled to run on a GPU: machine code where that is known, else PTX of the newest kind
    /// before it, which the driver compiles.
    pub(in crate::compile) fn target(&self, capability: u16) -> GpuTarget {
        let known = &self.found.architectures;
        let older = known.iter().filter(|known| **known < capability).max();
        match older {
            Some(older) if !known.contains(&capability) => GpuTarget::Ptx(*older),
            _ => GpuTarget::Cubin(capability),
        }
    }

    /// An error where it does not know the architecture.
    pub(super) fn supports(&self, target: GpuTarget) -> Result<(), String> {
        let capability = target.capability();
        let known = &self.found.architectures;
        if known.is_empty() || known.contains(&capability) {
            return Ok(());
        }
        let list: Vec<String> = known.iter().map(u16::to_string).collect_vec();
        let newest = known.iter().max().copied().unwrap_or_default();
        let age = match capability > newest {
            true => "a newer",
            false => "an older",
        };
        Err(format!(
            "{} does not compile for compute capability {}.{} ({}): it knows {}\n  = help: install {age} CUDA compiler, or name one by BICO_NVRTC",
            self.version,
            capability / 10,
            capability % 10,
            target.architecture(),
            list.join(", "),
        ))
    }
}

/// The length of a file; 0 where there is none.
fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}
