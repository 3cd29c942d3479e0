//! From a config's unit to what a worker loads: on a CPU an object linked with the shim that calls
//! it, on a GPU the cubin.

use super::protocol::Loadable;
use crate::arguments::Passed;
use crate::arguments::shim::{self, ENTRY};
use crate::compile::{CompileError, GpuEntry, GpuKernel, Hash, Hasher, Service, Unit};
use crate::files::{could_not, written};
use bico_core::Lists;
use bico_search::search::Failure;
use bico_syntax::Name;
use std::path::Path;

/// A compiled kernel, ready to be loaded.
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
    let object = service.object(unit).map_err(refused)?;
    let text = shim::source(entries, passed).map_err(Failure::Compile)?;
    let object_hash = Hash::of(read(&object)?);
    let shim = folder.join("shims").join(format!("{}.c", Hash::of(&text)));
    written(&shim, text.as_bytes()).map_err(Failure::Worker)?;
    let shim = service.object(&Unit::of_c(shim)).map_err(refused)?;
    let mut hash = Hasher::new()
        .field("linked 1")
        .field(object_hash.to_string())
        .field(&text)
        .finish();
    let folder = folder.join("kernels");
    let made = |hash: Hash| folder.join(format!("{hash}.so"));
    let mut path = made(hash);
    if !libraries.is_empty() || !path.is_file() {
        let created = std::fs::create_dir_all(&folder).map_err(could_not("create", &folder));
        created.map_err(Failure::Worker)?;
        // What is in a library, no name of it says: the code is known once it is linked.
        if !libraries.is_empty() {
            path = folder.join(format!("{hash}-{}.so", std::process::id()));
        }
        service
            .shared(&[object, shim], libraries, &path)
            .map_err(refused)?;
    }
    if !libraries.is_empty() {
        hash = Hash::of(read(&path)?);
        let renamed = std::fs::rename(&path, made(hash));
        renamed
            .map_err(could_not("write", &path))
            .map_err(Failure::Worker)?;
        path = made(hash);
    }
    Ok(Built {
        kernel: Loadable {
            path,
            entries: vec![ENTRY.to_string()],
            variables: Vec::new(),
        },
        hash,
        entries: Vec::new(),
    })
}

fn loadable(code: GpuKernel) -> Result<Built, Failure> {
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
        },
        hash,
        entries: code.entries,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let content = std::fs::read(path).map_err(could_not("read", path));
    content.map_err(Failure::Worker)
}
