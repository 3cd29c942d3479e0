//! Objects as a shared library that a process loads: a kernel of a CPU with the shim that calls it, or a function of the host.

use super::{CompileError, Hash, Hasher, Service, Unit};
use crate::files::{could_not, written};
use bico_syntax::Name;
use std::path::{Path, PathBuf};

/// A shared library, and the hash of all its code.
pub(crate) struct Linked {
    pub(crate) path: PathBuf,
    pub(crate) hash: Hash,
}

impl Service {
    /// Compiles units and links them with the shim that calls them, whose text this is. `folder` is where shims and linked code
    /// are kept.
    ///
    /// # Errors
    ///
    /// One of them does not compile, a library is not here, or a file cannot be written.
    pub(crate) fn linked(
        &self,
        units: &[&Unit],
        shim: &str,
        libraries: &[Name],
        folder: &Path,
    ) -> Result<Linked, CompileError> {
        let mut hasher = Hasher::new();
        hasher.field("linked 1");
        let mut objects = Vec::with_capacity(units.len() + 1);
        for unit in units {
            let object = self.object(unit)?;
            hasher.field(Hash::of(read(&object)?).to_string());
            objects.push(object);
        }
        let hash = hasher.field(shim).finish();
        let path = folder.join("shims").join(format!("{}.c", Hash::of(shim)));
        written(&path, shim.as_bytes())?;
        objects.push(self.object(&Unit::of_c(path))?);
        let folder = folder.join("kernels");
        std::fs::create_dir_all(&folder).map_err(could_not("create", &folder))?;
        let made = |hash: Hash| folder.join(format!("{hash}.so"));
        let path = made(hash);
        if libraries.is_empty() {
            if !path.is_file() {
                self.shared(&objects, &[], &path)?;
            }
            return Ok(Linked { path, hash });
        }
        // What is in a library, no name of it says: the code is known once it is linked.
        let unnamed = folder.join(format!("{hash}-{}.so", std::process::id()));
        self.shared(&objects, libraries, &unnamed)?;
        let hash = Hash::of(read(&unnamed)?);
        let path = made(hash);
        std::fs::rename(&unnamed, &path).map_err(could_not("write", &path))?;
        Ok(Linked { path, hash })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(could_not("read", path))
}
