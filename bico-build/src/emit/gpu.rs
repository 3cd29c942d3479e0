//! What a CUDA tunable leaves in OUT_DIR.
//!
//! ```text
//! OUT_DIR/bico/<key>.rs            the dispatcher's data, which includes the files below
//! OUT_DIR/bico/<key>.gpu/          <hash>.cubin, <hash>.ptx and the source, <number>.txt
//! ```

#[cfg(feature = "cuda")]
use super::Host;
use super::data::{self, GpuText};
use super::{Emission, EmitError, Emitted, EmittedCandidate};
#[cfg(feature = "cuda")]
use crate::arguments::shim::ENTRY;
use crate::compile::{CompileError, GpuKernel, GpuTarget, Hash, Service, Unit, relative};
use crate::files::{could_not, written};
use bico_core::{Lists, Set};
use bico_syntax::file_stem;
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
    let name = format!("{}.gpu", file_stem(&emission.key));
    let mut files = Files {
        emission,
        folder: out_dir.join("bico").join(&name),
        prefix: format!("/bico/{name}"),
        kept: Set::default(),
        changed: false,
    };
    fs::create_dir_all(&files.folder).map_err(could_not("write", &files.folder))?;
    let (mut sources, paths, read) = files.sources(service)?;
    let mut kernels = emission
        .candidates
        .iter()
        .filter_map(|of| of.unit.gpu.as_ref());
    let nvcc = kernels.any(|gpu| gpu.nvcc);
    if nvcc {
        // Programs have NVRTC at most.
        sources.clear();
    }
    let without_compiler = service.cuda(nvcc).err();
    if without_compiler.is_none() {
        let units = emission.candidates.iter().flat_map(units);
        service.announce(units.map(|(_, unit)| unit).collect_vec());
    }
    let mut candidates = Vec::new();
    let mut uncompiled: Vec<CompileError> = Vec::new();
    for candidate in &emission.candidates {
        let (images, error) = files.images(candidate, service, without_compiler.is_none())?;
        uncompiled.extend(error);
        let source = paths.iter().position(|path| *path == candidate.unit.source);
        let source = source.unwrap_or(paths.len());
        candidates.push(code(emission, candidate, source, &images));
    }
    let (some, all) = (uncompiled.len(), emission.candidates.len());
    let refused = uncompiled.iter().find(|error| error.status.is_some());
    if let Some(error) = refused.filter(|_| some == all) {
        let path = &emission.candidates[0].unit.source;
        return Err(EmitError::from(format!(
            "no config of `{}` compiles that the program would carry: `{}`: {error}",
            emission.key,
            relative(path, &service.options().root)
        )));
    }
    let text = data::text(
        emission,
        Some(&GpuText {
            sources,
            candidates,
        }),
    );
    let data = out_dir.join(bico_syntax::data_file(&emission.key));
    files.changed |= written(&data, text.as_bytes())?;
    files.remove_others();
    let mut without_compiler = without_compiler.map(|error| error.summary);
    let without_nvcc = without_compiler.take_if(|_| nvcc);
    Ok(Emitted {
        directives: Vec::new(),
        files: read,
        changed: files.changed,
        without_compiler,
        uncompiled: told(emission, nvcc, without_nvcc, uncompiled.first(), some),
    })
}

/// What the user should know of configs that the program carries no code of; there are `some` that do not compile.
fn told(
    emission: &Emission,
    nvcc: bool,
    without_nvcc: Option<String>,
    first: Option<&CompileError>,
    some: usize,
) -> Option<String> {
    let (key, all) = (&emission.key, emission.candidates.len());
    if let Some(why) = without_nvcc {
        return Some(format!(
            "the program carries no code of `{key}`, and calls of it fail: {why}"
        ));
    }
    let carried = if nvcc {
        "left out"
    } else {
        "carried as source"
    };
    first.map(|error| {
        format!(
            "{some} of the {all} configs of `{key}` that the program carries do not compile here, and are {carried}: {error}"
        )
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
fn code(emission: &Emission, candidate: &EmittedCandidate, source: usize, images: &str) -> String {
    let gpu = candidate.unit.gpu.as_ref();
    let expressions = gpu.map_or(&[][..], |gpu| &gpu.expressions);
    let options = crate::compile::own_options(&candidate.unit);
    format!(
        "::core::option::Option::Some({}::__private::GpuCode {{ expressions: &{expressions:?}, source: {source}, options: &{options:?}, exact: {}, images: &[{images}] }})",
        emission.crate_path, candidate.exact
    )
}

/// Sources as the data file has them, their paths, and all that was read.
type Sources = (String, Vec<PathBuf>, Vec<PathBuf>);

/// The folder of one tunable's code.
struct Files<'a> {
    emission: &'a Emission,
    folder: PathBuf,
    /// Its name in the data file.
    prefix: String,
    /// The names of the files that belong in it.
    kept: Set<String>,
    changed: bool,
}

impl Files<'_> {
    /// Writes a file and gives the expression that names it in an `include..!`.
    fn file(&mut self, name: String, content: &[u8]) -> Result<String, EmitError> {
        self.changed |= written(&self.folder.join(&name), content)?;
        let path = format!("{}/{name}", self.prefix);
        self.kept.insert(name);
        Ok(format!(
            "::core::concat!(::core::env!(\"OUT_DIR\"), {path:?})"
        ))
    }

    /// All code of a candidate as expressions with a comma each; of one without any what was in the way.
    fn images(
        &mut self,
        candidate: &EmittedCandidate,
        service: &Service,
        compiles: bool,
    ) -> Result<(String, Option<CompileError>), EmitError> {
        let (mut images, mut errors) = (String::new(), Vec::new());
        for (target, unit) in units(candidate).filter(|_| compiles) {
            // Another GPU's code may be beyond this compiler; then the PTX or the source serves.
            match service.kernel(&unit) {
                Ok(kernel) => images.push_str(&self.image(target, &kernel)?),
                Err(error) => errors.push(error),
            }
        }
        #[cfg(feature = "cuda")]
        if let Some(host) = &candidate.host {
            match self.host(candidate, host, service)? {
                Ok(image) => images.push_str(&image),
                Err(error) => errors.push(error),
            }
        }
        if !images.is_empty() {
            return Ok((images, None));
        }
        // What the compiler says of the kernel tells more than what it says of a GPU.
        let telling = errors.iter().position(|error| error.status.is_some());
        Ok((images, errors.into_iter().nth(telling.unwrap_or(0))))
    }

    /// One image as an expression, with a comma.
    fn image(&mut self, target: GpuTarget, kernel: &GpuKernel) -> Result<String, EmitError> {
        let content = fs::read(&kernel.path).map_err(could_not("read", &kernel.path))?;
        let (kind, ending) = match target {
            GpuTarget::Cubin(_) => ("Cubin", "cubin"),
            GpuTarget::Exact(_) => ("Exact", "cubin"),
            GpuTarget::Ptx(_) | GpuTarget::ExactPtx(_) => ("Ptx", "ptx"),
        };
        let capability = target.capability();
        let path = self.file(format!("{}.{ending}", Hash::of(&content)), &content)?;
        let registers = kernel
            .resources()
            .map_or(0, |resources| resources.registers);
        let p = format!("{}::__private", self.emission.crate_path);
        let entries: Vec<&str> = kernel.entries.iter().map(|of| &*of.name).collect_vec();
        Ok(format!(
            "{p}::Image {{ kind: {p}::ImageKind::{kind}, compute_capability: {capability}, entries: &{entries:?}, registers: {registers}, bytes: ::core::include_bytes!({path}) }}, "
        ))
    }

    /// A function of the host as an expression, with a comma; or why it cannot be linked here.
    #[cfg(feature = "cuda")]
    fn host(
        &mut self,
        candidate: &EmittedCandidate,
        host: &Host,
        service: &Service,
    ) -> Result<Result<String, CompileError>, EmitError> {
        let Host { shim, libraries } = host;
        let folder = self.folder.with_extension("host");
        let shim = crate::compile::Shim {
            text: shim,
            libraries,
            folder: &folder,
        };
        let linked = match service.linked(&[&candidate.unit], &shim) {
            Ok(linked) => linked,
            Err(error) => return Ok(Err(error)),
        };
        let content = fs::read(&linked.path).map_err(could_not("read", &linked.path))?;
        let path = self.file(format!("{}.so", linked.hash), &content)?;
        let p = format!("{}::__private", self.emission.crate_path);
        Ok(Ok(format!(
            "{p}::Image {{ kind: {p}::ImageKind::Host, compute_capability: 0, entries: &[{ENTRY:?}], registers: 0, bytes: ::core::include_bytes!({path}) }}, "
        )))
    }

    /// The sources, as expressions, their paths, and all files that they were read from.
    fn sources(&mut self, service: &Service) -> Result<Sources, EmitError> {
        let (mut sources, mut paths, mut read) = (String::new(), Vec::new(), Vec::new());
        for candidate in &self.emission.candidates {
            let unit = &candidate.unit;
            if candidate.host.is_some() {
                // Nobody compiles it where the program runs.
                let source = service.source(unit);
                read.extend(source.map_err(could_not("read", &unit.source))?.files);
            } else if !paths.contains(&unit.source) {
                let (text, own) = self.source(paths.len(), unit, service)?;
                sources.push_str(&text);
                paths.push(unit.source.clone());
                read.extend(own);
            }
        }
        Ok((sources, paths, read))
    }

    /// A unit's source with what it includes, as an expression with a comma, and the files that it was read from. How many
    /// others stand `before` it.
    fn source(
        &mut self,
        before: usize,
        unit: &Unit,
        service: &Service,
    ) -> Result<(String, Vec<PathBuf>), EmitError> {
        let emission = self.emission;
        let path = &unit.source;
        let source = service.source(unit).map_err(could_not("read", path))?;
        let known = |file: &Path| match (emission.generated, file.file_name()) {
            (true, Some(name)) => name.to_string_lossy().into_owned(),
            _ => relative(file, &service.options().root),
        };
        let mut list = String::new();
        // What lies outside of the package is where it is built, or nowhere.
        let root = &service.options().root;
        let carried = |file: &&PathBuf| emission.generated || file.starts_with(root);
        for (number, file) in source.files.iter().filter(carried).enumerate() {
            let content = fs::read(file).map_err(could_not("read", file))?;
            // Rust wants UTF-8 where it includes text; a comment in another encoding is no mistake.
            let content = String::from_utf8_lossy(&content);
            let name = match before {
                0 => format!("{number}.txt"),
                _ => format!("{before}.{number}.txt"),
            };
            let path = self.file(name, content.as_bytes())?;
            let _ = write!(list, "({:?}, ::core::include_str!({path})), ", known(file));
        }
        let text = format!(
            "{}::__private::Source {{ path: {:?}, files: &[{list}] }}, ",
            emission.crate_path,
            known(path)
        );
        Ok((text, source.files))
    }

    /// Removes what an earlier run left.
    fn remove_others(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if !self.kept.has(&*entry.file_name().to_string_lossy()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
