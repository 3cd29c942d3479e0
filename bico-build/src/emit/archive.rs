//! The files of one tunable in OUT_DIR.

use super::isolate::{failed, isolate, may_define};
use super::{Emission, EmitError, Emitted, data, stamp};
use crate::compile::{Hash, Service, Unit, archiver};
use crate::files::{could_not, written};
use bico_core::{Lists, Map, Set, own};
use bico_syntax::{Language, file_stem};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the data file and the archive of one tunable below `out_dir`, as far as they are not
/// what they should be already. Prints nothing.
///
/// # Errors
///
/// A candidate does not compile, a tool is missing, or a file cannot be written.
pub fn emit(emission: &Emission, out_dir: &Path, service: &Service) -> Result<Emitted, EmitError> {
    #[cfg(feature = "cuda")]
    if emission.gpu {
        return super::gpu::emit(emission, out_dir, service);
    }
    let folder = out_dir.join("bico");
    fs::create_dir_all(&folder).map_err(could_not("write", &folder))?;
    let data = out_dir.join(bico_syntax::data_file(&emission.key));
    let mut changed = written(&data, data::text(emission, None).as_bytes())?;
    if emission.is_rust() && !emission.ships_measured {
        // What ships is compiled with the program: its data are all.
        return Ok(Emitted {
            directives: Vec::new(),
            files: Vec::new(),
            changed,
            without_compiler: None,
            uncompiled: None,
        });
    }

    let archive = folder.join(format!("lib{}.a", emission.symbol));
    let stamp = folder.join(format!("{}.stamp", file_stem(&emission.key)));
    let head = stamp::head(emission, service)?;
    let files = match stamp::fresh(&stamp, &head) {
        Some(files) if archive.is_file() => files,
        _ => {
            changed = true;
            let made = match emission.is_rust() {
                true => function(emission, &folder, &archive, service),
                false => build(emission, &folder, &archive, service),
            };
            let files = made?;
            // Last, so that a build that was killed in between begins anew.
            written(&stamp, stamp::text(&head, &files).as_bytes())?;
            files
        }
    };
    let search = format!("cargo::rustc-link-search=native={}", folder.display());
    Ok(Emitted {
        directives: vec![search],
        files,
        changed,
        without_compiler: None,
        uncompiled: None,
    })
}

/// The same of a Rust function: there are no tables, the macro names the functions. Cargo watches their file.
fn function(
    emission: &Emission,
    folder: &Path,
    archive: &Path,
    service: &Service,
) -> Result<Vec<PathBuf>, EmitError> {
    let scratch = Scratch::new(folder.join(format!("{}.objects", emission.symbol)))?;
    let candidates = emission.candidates.iter().enumerate();
    let units = candidates.map(|(at, of)| {
        let symbol = bico_syntax::candidate(&emission.symbol, at);
        (of.unit.clone(), symbol)
    });
    let objects = service.shipped(&units.collect_vec(), &emission.symbol, &scratch.0);
    let tool = format!("compiling the candidates of `{}`", emission.key);
    let objects = objects.map_err(|error| failed(&tool, &error))?;
    packed(&objects, archive, &scratch, service)?;
    Ok(Vec::new())
}

/// Compiles what the archive holds, and writes it. Gives the files below the package root that
/// went into it.
fn build(
    emission: &Emission,
    folder: &Path,
    archive: &Path,
    service: &Service,
) -> Result<Vec<PathBuf>, EmitError> {
    let units = emission.candidates.iter().map(|c| c.unit.clone());
    service.announce(units.collect_vec());
    let scratch = Scratch::new(folder.join(format!("{}.objects", emission.symbol)))?;
    let mut members: Vec<PathBuf> = Vec::new();
    let mut files: Set<PathBuf> = Set::default();
    // Several configs may compile to the same code, which is stored once.
    let mut known: Map<(Hash, &[String]), Vec<String>> = Map::default();
    let mut entries: Vec<Vec<String>> = Vec::new();
    for (index, candidate) in emission.candidates.iter().enumerate() {
        let refused = |error| {
            let tool = format!("compiling a candidate of `{}`", emission.key);
            let help = format!("it is {}", config(emission, index));
            failed(&tool, &error).help(&help).of(index)
        };
        let object = service.object(&candidate.unit).map_err(refused)?;
        files.extend(service.dependencies(&candidate.unit).map_err(refused)?);
        let content = fs::read(&object).map_err(could_not("read", &object))?;
        let code = (Hash::of(&content), candidate.entries.as_slice());
        if let Some(symbols) = known.get(&code) {
            entries.push(symbols.clone());
            continue;
        }
        let mut own = candidate.entries.iter();
        if let Some(missing) = own.find(|entry| !may_define(&content, entry)) {
            return Err(no_entry(emission, index, missing));
        }
        let symbols = symbols(emission, index);
        let member = scratch.0.join(format!("{}.o", symbols[0]));
        let isolated = isolate(&object, code.1, &symbols, &member, service);
        isolated.map_err(|error| error.of(index))?;
        members.push(member);
        entries.push(symbols.clone());
        known.insert(code, symbols);
    }
    members.push(table(emission, &entries, folder, service)?);
    packed(&members, archive, &scratch, service)?;
    Ok(files.into_iter().collect_vec())
}

/// Writes the archive: without times and owners, and put in its place if it is another.
fn packed(
    members: &[PathBuf],
    archive: &Path,
    scratch: &Scratch,
    service: &Service,
) -> Result<(), EmitError> {
    let packed = scratch.0.join("lib.a");
    let mut command = archiver(service.options()).map_err(|error| failed("ar", &error))?;
    command.arg("crsD").arg(&packed).args(members);
    let run = service.run(command);
    run.map_err(|error| failed("ar", &error).help("install GNU binutils, or set AR"))?;
    let content = fs::read(&packed).map_err(could_not("write", &packed))?;
    written(archive, &content)?;
    Ok(())
}

/// What the function of each pass is called in the archive; one that is called twice has one name.
fn symbols(emission: &Emission, index: usize) -> Vec<String> {
    let entries = &emission.candidates[index].entries;
    let first = |entry| entries.iter().position(|known| known == entry);
    let symbol = |entry| match first(entry) {
        None | Some(0) => bico_syntax::candidate(&emission.symbol, index),
        Some(pass) => format!("{}_c{index}_{pass}", emission.symbol),
    };
    entries.iter().map(symbol).collect_vec()
}

fn no_entry(emission: &Emission, index: usize, entry: &str) -> EmitError {
    let candidate = &emission.candidates[index];
    let source = candidate.unit.source.display();
    let help = match candidate.unit.language {
        Language::Cpp => "functions that bico calls in C++ are declared `extern \"C\"`",
        _ => "name the kernel's function with `entry = \"..\"`; it must not be `static`",
    };
    let message = format!("`{source}` has no function `{entry}`");
    EmitError::from(message).help(help).of(index)
}

/// A candidate in words: `TILE_M = 8, TILE_N = 16`.
fn config(emission: &Emission, index: usize) -> String {
    let own = own(&emission.parameters, &emission.candidates[index].values);
    let parts = own.map(|(name, value)| format!("{name} = {value}"));
    let parts: Vec<String> = parts.collect_vec();
    parts.join(", ")
}

/// The object of the tables of entries, one for each pass of each kernel, in the order of the data file. A candidate of
/// another kernel has none.
fn table(
    emission: &Emission,
    entries: &[Vec<String>],
    folder: &Path,
    service: &Service,
) -> Result<PathBuf, EmitError> {
    let distinct: Set<&String> = entries.iter().flatten().collect();
    let mut text =
        String::from("/* Entries of the candidates, in the order of the data file. */\n");
    for entry in distinct {
        text.push_str(&format!("extern void {entry}(void);\n"));
    }
    let kernels = emission.passes.iter().enumerate();
    let passes = kernels.flat_map(|(kernel, count)| (0..*count).map(move |pass| (kernel, pass)));
    for (at, (kernel, pass)) in passes.enumerate() {
        let table = bico_syntax::table(&emission.symbol, at);
        text.push_str(&format!("void *const {table}[] = {{\n"));
        for (candidate, entry) in emission.candidates.iter().zip(entries) {
            let own = entry.get(pass).filter(|_| candidate.kernel == kernel);
            let own = own.map_or("0", String::as_str);
            text.push_str(&format!("    (void *){own},\n"));
        }
        text.push_str("};\n");
    }
    let source = folder.join(format!("{}_table.c", emission.symbol));
    written(&source, text.as_bytes())?;
    let object = service.object(&Unit::of_c(source));
    object.map_err(|error| failed("compiling the table of candidates", &error))
}

/// A folder for what is needed only until the archive is there.
struct Scratch(PathBuf);

impl Scratch {
    fn new(path: PathBuf) -> Result<Scratch, EmitError> {
        // A build that was killed may have left one.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).map_err(could_not("write", &path))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
