//! From a config's unit to what a worker loads: on a CPU an object linked with the shim that calls
//! it, on a GPU the cubin.

use super::protocol::Loadable;
use crate::arguments::Passed;
use crate::arguments::shim::{self, ENTRY};
use crate::compile::{
    CompileError, GpuEntry, GpuKernel, Hash, Hasher, Linked, Service, Shim, Unit,
};
use crate::files::could_not;
use bico_core::Lists;
use bico_search::search::Failure;
use bico_syntax::{Language, Name};
use std::path::Path;

/// A compiled kernel, ready to be loaded.
#[derive(Clone)]
pub(super) struct Built {
    pub(super) kernel: Loadable,
    /// The hash of all its code.
    pub(super) hash: Hash,
    /// What the kernel of each pass takes of a GPU, as far as its code says.
    pub(super) entries: Vec<GpuEntry>,
}

/// Compiles a unit and makes it loadable; on a CPU linked with the shim that calls its passes. `folder` is where
/// shims and linked kernels are kept.
pub(super) fn build(
    service: &Service,
    unit: &Unit,
    entries: &[String],
    passed: &[Vec<Passed>],
    libraries: &[Name],
    folder: &Path,
) -> Result<Built, Failure> {
    let refused = |error: CompileError| Failure::Compile(error.summary);
    if unit.gpu.is_some() {
        return loadable(service.kernel(unit).map_err(refused)?);
    }
    if unit.language == Language::Rust {
        return function(service, unit);
    }
    let text = shim::source(entries, passed).map_err(Failure::Compile)?;
    let shim = Shim {
        text: &text,
        libraries,
        folder,
    };
    let linked = service.linked(&[unit], &shim);
    Ok(Built::host(linked.map_err(refused)?))
}

/// A Rust function is made with the entry that a worker calls.
#[cfg(feature = "rust")]
fn function(service: &Service, unit: &Unit) -> Result<Built, Failure> {
    let object = service.object(unit);
    let path = object.map_err(|error| Failure::Compile(error.summary))?;
    let name = path.file_name().unwrap_or_default();
    Ok(Built {
        // By what it was made from: the code beside it in the file is another each time.
        hash: Hash::of(name.as_encoded_bytes()),
        kernel: Loadable {
            path,
            entries: vec![unit.rust_symbol()],
            variables: Vec::new(),
            drive: None,
        },
        entries: Vec::new(),
    })
}

#[cfg(not(feature = "rust"))]
fn function(service: &Service, unit: &Unit) -> Result<Built, Failure> {
    let refused = |error: CompileError| Failure::Compile(error.summary);
    Err(service
        .object(unit)
        .map_or_else(refused, |_| Failure::Worker(String::new())))
}

impl Built {
    /// Code of the host with its shim.
    pub(super) fn host(linked: Linked) -> Built {
        Built {
            kernel: Loadable {
                path: linked.path,
                entries: vec![ENTRY.to_string()],
                variables: Vec::new(),
                drive: None,
            },
            hash: linked.hash,
            entries: Vec::new(),
        }
    }
}

pub(super) fn loadable(code: GpuKernel) -> Result<Built, Failure> {
    let hash = Hasher::new()
        .field("cubin 1")
        .field(&read(&code.path)?)
        .fields(code.entries.iter().map(|entry| &entry.name))
        .finish();
    let variables = code.variables.into_iter().flatten();
    let variables = variables.filter(|variable| !variable.constant);
    Ok(Built {
        kernel: Loadable {
            path: code.path,
            entries: code.entries.iter().map(|of| of.name.clone()).collect_vec(),
            variables: variables.map(|variable| variable.name).collect_vec(),
            drive: None,
        },
        hash,
        entries: code.entries,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let content = std::fs::read(path).map_err(could_not("read", path));
    content.map_err(Failure::Worker)
}
