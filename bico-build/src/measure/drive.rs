//! From a config's unit to what a worker loads, where a function of the author's calls the kernels.

use super::build::{Built, loadable};
use crate::arguments::signature::{self, Verdict};
use crate::arguments::{DRIVE, driver, passed, shim};
use crate::compile::{Hasher, Service, Shim, Unit};
use bico_search::search::Failure;
use bico_syntax::{Callee, Name, TunableSpec};
use std::path::Path;

/// The function that calls the kernels, and how its file is compiled.
pub(super) struct Driver {
    pub(super) unit: Unit,
    pub(super) entry: String,
}

impl Driver {
    /// Looks whether it takes what it is given, and declares what it calls as that is. `entries` are the kernels.
    ///
    /// # Errors
    ///
    /// It does not, or its file does not compile: mistakes that no config mends.
    pub(super) fn check(
        &self,
        service: &Service,
        spec: &TunableSpec,
        entries: &[String],
        folder: &Path,
    ) -> Result<(), String> {
        let Driver { unit, entry } = self;
        if let Err(error) = service.object(unit) {
            return Err(format!(
                "the driver `{entry}` in `{}` does not compile: {}",
                unit.source.display(),
                error.summary
            ));
        }
        let own = passed(spec, Callee::Drive).concat();
        signature::check(service, unit, entry, &own, &DRIVE, folder)?;
        let source = unit.source.display();
        for (entry, passed) in entries.iter().zip(driver::launched(spec)) {
            let launcher = driver::launcher(entry);
            let wanted = shim::declaration(&launcher, &passed)?;
            let why = match signature::verdict(service, unit, &launcher, &passed, folder)? {
                Verdict::Fits | Verdict::Unknown => continue,
                Verdict::Missing => format!(
                    "`{source}` does not declare `{launcher}`, which calls the kernel `{entry}`"
                ),
                Verdict::Differs(found) => format!(
                    "`{source}` declares `{launcher}` otherwise than the kernel `{entry}` is called\n  = note: it says: {found}"
                ),
            };
            return Err(format!("{why}\n  = help: declare: {wanted}"));
        }
        Ok(())
    }

    /// Compiles a unit and makes it loadable with the driver; `entries` and `libraries` are the kernel's. `folder` is where
    /// shims and linked code are kept.
    pub(super) fn build(
        &self,
        service: &Service,
        unit: &Unit,
        spec: &TunableSpec,
        (entries, libraries): (&[String], &[Name]),
        folder: &Path,
    ) -> Result<Built, Failure> {
        let refused = |error: crate::compile::CompileError| Failure::Compile(error.summary);
        let text = driver::source(&self.entry, entries, spec).map_err(Failure::Compile)?;
        let shim = |libraries| Shim {
            text: &text,
            libraries,
            folder,
        };
        if unit.gpu.is_none() {
            let units = [unit, &self.unit];
            let linked = service.linked(&units, &shim(libraries));
            return Ok(Built::host(linked.map_err(refused)?));
        }
        let mut built = loadable(service.kernel(unit).map_err(refused)?)?;
        let linked = service.linked(&[&self.unit], &shim(&[]));
        let linked = linked.map_err(refused)?;
        built.hash = Hasher::new()
            .fields(
                [built.hash, linked.hash]
                    .map(|hash| hash.to_string())
                    .iter(),
            )
            .finish();
        built.kernel.drive = Some(linked.path);
        Ok(built)
    }
}
