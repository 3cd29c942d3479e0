//! What a CUDA tunable leaves in OUT_DIR.
//!
//! ```text
//! OUT_DIR/bico/<key>.rs            the dispatcher's data, which includes the files below
//! OUT_DIR/bico/<key>.gpu/          <hash>.cubin, <hash>.ptx and the source, <number>.txt
//! ```

use super::archive::{unwritable, write_if_changed};
use super::data::{self, GpuText};
use super::{Emission, EmitError, Emitted, EmittedCandidate};
use crate::compile::{CompileError, GpuKernel, GpuTarget, Hash, Service, Unit, relative};
use bico_syntax::{Language, file_stem};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the data of one CUDA tunable below `out_dir`, with the compiled code of its candidates as
/// far as there is a compiler. Prints nothing.
///
/// # Errors
///
/// The source cannot be read, or a file cannot be written.
pub(super) fn emit(
    emission: &Emission,
    out_dir: &Path,
    service: &Service,
) -> Result<Emitted, EmitError> {
    let folder = out_dir.join("bico");
    let name = format!("{}.gpu", file_stem(&emission.key));
    let files = Files {
        folder: folder.join(&name),
        // The name in the data file.
        prefix: format!("/bico/{name}"),
    };
    fs::create_dir_all(&files.folder).map_err(|error| unwritable(&files.folder, &error))?;
    let mut kept = BTreeSet::new();
    let mut changed = false;
    let (source, read) = files.source(emission, service, &mut kept, &mut changed)?;
    let mut without_compiler = None;
    let mut candidates = Vec::new();
    match service.compiler(Language::Cuda) {
        Ok(_) => {
            let units = emission.candidates.iter().flat_map(units);
            service.announce(units.map(|(_, unit)| unit).collect());
        }
        Err(error) => without_compiler = Some(error.summary),
    }
    let mut uncompiled: Vec<CompileError> = Vec::new();
    for candidate in &emission.candidates {
        let mut images = String::new();
        let mut errors = Vec::new();
        if without_compiler.is_none() {
            for (target, unit) in units(candidate) {
                // Another GPU's code may be beyond this compiler; then the PTX or the source serves.
                match service.kernel(&unit) {
                    Ok(kernel) => {
                        let image =
                            files.image(emission, target, &kernel, &mut kept, &mut changed)?;
                        let _ = write!(images, "{image}, ");
                    }
                    Err(error) => errors.push(error),
                }
            }
        }
        if images.is_empty() {
            // What the compiler says of the kernel tells more than what it says of a GPU.
            errors.sort_by_key(|error| error.status.is_none());
            uncompiled.extend(errors.into_iter().next());
        }
        candidates.push(code(emission, candidate, &images));
    }
    let refused = |error: &&CompileError| error.status.is_some();
    if uncompiled.len() == emission.candidates.len()
        && let Some(error) = uncompiled.iter().find(refused)
    {
        let path = &emission.candidates[0].unit.source;
        return Err(EmitError::new(format!(
            "no config of `{}` compiles that the program would carry: `{}`: {error}",
            emission.key,
            relative(path, &service.options().root)
        )));
    }
    let text = data::text(emission, Some(&GpuText { source, candidates }));
    let data = out_dir.join(bico_syntax::data_file(&emission.key));
    changed |= write_if_changed(&data, text.as_bytes())?;
    files.remove_others(&kept);
    Ok(Emitted {
        directives: Vec::new(),
        files: read,
        changed,
        without_compiler,
        uncompiled: uncompiled.first().map(|error| {
            let (some, all) = (uncompiled.len(), emission.candidates.len());
            format!(
                "{some} of the {all} configs of `{}` that the program carries do not compile here, and are carried as source: {error}",
                emission.key
            )
        }),
    })
}

/// Each target of a candidate with the unit that makes it.
fn units(candidate: &EmittedCandidate) -> impl Iterator<Item = (GpuTarget, Unit)> {
    candidate.targets.iter().filter_map(|target| {
        let mut unit = candidate.unit.clone();
        unit.gpu.as_mut()?.target = *target;
        Some((*target, unit))
    })
}

/// A candidate's `GpuCode` as an expression.
fn code(emission: &Emission, candidate: &EmittedCandidate, images: &str) -> String {
    let expression = candidate
        .unit
        .gpu
        .as_ref()
        .map_or("", |gpu| &gpu.expression);
    let options = crate::compile::own_options(&candidate.unit);
    format!(
        "::core::option::Option::Some({}::__private::GpuCode {{ expression: {expression:?}, options: &{options:?}, images: &[{images}] }})",
        emission.crate_path
    )
}

/// The folder of one tunable's code.
struct Files {
    folder: PathBuf,
    prefix: String,
}

impl Files {
    /// Writes a file and gives the expression that names it in an `include..!`.
    fn file(
        &self,
        name: &str,
        content: &[u8],
        kept: &mut BTreeSet<String>,
        changed: &mut bool,
    ) -> Result<String, EmitError> {
        *changed |= write_if_changed(&self.folder.join(name), content)?;
        kept.insert(name.to_string());
        let path = format!("{}/{name}", self.prefix);
        Ok(format!(
            "::core::concat!(::core::env!(\"OUT_DIR\"), {path:?})"
        ))
    }

    /// One image as an expression.
    fn image(
        &self,
        emission: &Emission,
        target: GpuTarget,
        kernel: &GpuKernel,
        kept: &mut BTreeSet<String>,
        changed: &mut bool,
    ) -> Result<String, EmitError> {
        let content = fs::read(&kernel.path).map_err(|error| {
            EmitError::new(format!(
                "could not read `{}`: {error}",
                kernel.path.display()
            ))
        })?;
        let (kind, capability, ending) = match target {
            GpuTarget::Cubin(capability) => ("Cubin", capability, "cubin"),
            GpuTarget::Ptx(capability) => ("Ptx", capability, "ptx"),
        };
        let name = format!("{}.{ending}", Hash::of(&content));
        let path = self.file(&name, &content, kept, changed)?;
        let registers = kernel.resources.map_or(0, |resources| resources.registers);
        let p = format!("{}::__private", emission.crate_path);
        Ok(format!(
            "{p}::Image {{ kind: {p}::ImageKind::{kind}, compute_capability: {capability}, entry: {:?}, registers: {registers}, bytes: ::core::include_bytes!({path}) }}",
            kernel.entry
        ))
    }

    /// The source with what it includes, as an expression, and the files that it was read from.
    fn source(
        &self,
        emission: &Emission,
        service: &Service,
        kept: &mut BTreeSet<String>,
        changed: &mut bool,
    ) -> Result<(String, Vec<PathBuf>), EmitError> {
        let root = &service.options().root;
        let path = &emission.candidates[0].unit.source;
        let unread = |path: &Path, error: &std::io::Error| {
            EmitError::new(format!("could not read `{}`: {error}", path.display()))
        };
        let source = service.source(path).map_err(|error| unread(path, &error))?;
        let known = |file: &Path| match (emission.generated, file.file_name()) {
            (true, Some(name)) => name.to_string_lossy().into_owned(),
            _ => relative(file, root),
        };
        let mut list = String::new();
        for (number, file) in source.files.iter().enumerate() {
            let content = fs::read(file).map_err(|error| unread(file, &error))?;
            // Rust wants UTF-8 where it includes text; a comment in another encoding is no mistake.
            let content = String::from_utf8_lossy(&content);
            let name = format!("{number}.txt");
            let path = self.file(&name, content.as_bytes(), kept, changed)?;
            let _ = write!(list, "({:?}, ::core::include_str!({path})), ", known(file));
        }
        let text = format!(
            "::core::option::Option::Some({}::__private::Source {{ path: {:?}, files: &[{list}] }})",
            emission.crate_path,
            known(path)
        );
        Ok((text, source.files))
    }

    /// Removes what an earlier run left.
    fn remove_others(&self, kept: &BTreeSet<String>) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            if !kept.contains(&*entry.file_name().to_string_lossy()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
