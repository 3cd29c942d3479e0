//! From a config's unit to what a worker loads: on a CPU an object linked with the shim that calls
//! it, on a GPU the cubin.

use super::protocol::Loadable;
use crate::arguments::Passed;
use crate::arguments::shim::{self, ENTRY};
use crate::compile::{CompileError, Hash, Hasher, Resources, Service, Unit};
use bico_search::search::Failure;
use bico_syntax::Language;
use std::path::{Path, PathBuf};

/// A compiled kernel, ready to be loaded.
#[derive(Debug, Clone)]
pub(super) struct Built {
    pub(super) kernel: Loadable,
    /// The hash of all its code.
    pub(super) hash: Hash,
    /// What it takes of a GPU's multiprocessor.
    pub(super) resources: Option<Resources>,
    /// Threads of a block that a GPU kernel was compiled for, where it says.
    pub(super) max_threads: Option<u32>,
}

/// Compiles a unit and makes it loadable. `folder` is where shims and linked kernels are kept.
pub(super) fn build(
    service: &Service,
    unit: &Unit,
    entry: &str,
    passed: &[Passed],
    folder: &Path,
) -> Result<Built, Failure> {
    let refused = |error: CompileError| Failure::Compile(error.summary);
    if unit.gpu.is_some() {
        let code = service.kernel(unit).map_err(refused)?;
        let hash = Hasher::new()
            .field("cubin 1")
            .field(&read(&code.path)?)
            .field(&code.entry)
            .finish();
        return Ok(Built {
            kernel: Loadable {
                path: code.path,
                entry: code.entry,
            },
            hash,
            resources: code.resources,
            max_threads: code.max_threads,
        });
    }
    let object = service.object(unit).map_err(refused)?;
    let (path, hash) = link(service, &object, entry, passed, folder)?;
    Ok(Built {
        kernel: Loadable {
            path,
            entry: ENTRY.to_string(),
        },
        hash,
        resources: None,
        max_threads: None,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path)
        .map_err(|error| Failure::Worker(format!("could not read `{}`: {error}", path.display())))
}

/// Links an object with the shim that calls it. Gives the hash of the object too.
fn link(
    service: &Service,
    object: &Path,
    entry: &str,
    passed: &[Passed],
    folder: &Path,
) -> Result<(PathBuf, Hash), Failure> {
    let text = shim::source(entry, passed).map_err(Failure::Compile)?;
    let object_hash = Hash::of(read(object)?);
    let shim = folder.join("shims").join(format!("{}.c", Hash::of(&text)));
    super::write_if_changed(&shim, &text).map_err(Failure::Worker)?;
    let unit = Unit {
        source: shim,
        language: Language::C,
        defines: vec![],
        flags: vec![],
        gpu: None,
    };
    let compile = |error: CompileError| Failure::Compile(error.summary);
    let shim = service.object(&unit).map_err(compile)?;
    let hash = Hasher::new()
        .field("linked 1")
        .field(object_hash.to_string())
        .field(&text)
        .finish();
    let out = folder.join("kernels").join(format!("{hash}.so"));
    if !out.is_file() {
        let folder = folder.join("kernels");
        std::fs::create_dir_all(&folder).map_err(|error| {
            Failure::Worker(format!("could not create `{}`: {error}", folder.display()))
        })?;
        service
            .shared(&[object.to_path_buf(), shim], &out)
            .map_err(compile)?;
    }
    Ok((out, hash))
}
