//! nvcc, where there is no NVRTC.
//!
//! It knows no name expressions. So a line is put behind the source for each kernel that takes its
//! address: that makes the template's code, and its initial value in the PTX is the kernel's name.
//! The PTX without those lines goes on to be compiled.

use super::job::{Compile, Found, Which};
use super::log;
use bico_core::Lists;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variables by which nvcc adds options of its own.
pub(super) const VARIABLES: [&str; 2] = ["NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"];

/// The variables that hold the kernels' addresses, each with its number behind.
const MARK: &str = "bico_entry_of_this_unit_";

/// Where it may be, in order; a plain name is looked for in `PATH`.
pub(super) fn places() -> Vec<PathBuf> {
    if let Some(named) = crate::env::get("NVCC") {
        return vec![named.into()];
    }
    let mut places = vec![PathBuf::from("nvcc")];
    for name in ["CUDA_PATH", "CUDA_HOME"] {
        places.extend(crate::env::get(name).map(|folder| Path::new(&folder).join("bin/nvcc")));
    }
    places.push("/usr/local/cuda/bin/nvcc".into());
    places
}

/// Whether a path that stands for NVRTC names nvcc.
pub(super) fn is_meant(path: &Path) -> bool {
    path.file_stem().is_some_and(|name| name == "nvcc")
}

/// The first that tells its version.
pub(super) fn find(places: &[PathBuf]) -> Option<Found> {
    places.iter().find_map(|path| {
        let version = version(&said(path, "--version")?)?;
        Some(Found {
            which: Which::Nvcc,
            path: path.clone(),
            version,
            architectures: architectures(&said(path, "--list-gpu-code").unwrap_or_default()),
            // It knows its own.
            headers: Vec::new(),
        })
    })
}

fn said(path: &Path, option: &str) -> Option<String> {
    let output = Command::new(path).arg(option).output().ok()?;
    let is_done = output.status.success();
    is_done.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `Cuda compilation tools, release 13.0, V13.0.88`
fn version(text: &str) -> Option<(u32, u32)> {
    let (_, rest) = text.split_once("release ")?;
    let (major, rest) = rest.split_once('.')?;
    let minor: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((major.trim().parse().ok()?, minor.parse().ok()?))
}

/// A line `sm_90` each; those with a letter behind are no architectures of their own.
fn architectures(text: &str) -> Vec<u16> {
    let words = text.split_whitespace();
    let known = words.filter_map(|word| word.strip_prefix("sm_")?.parse().ok());
    let mut found: Vec<u16> = known.collect_vec();
    found.sort_unstable();
    found
}

/// Compiles: the code, the kernels' names in it, and what ptxas said.
pub(super) fn compile(job: &Compile) -> Result<(Vec<u8>, Vec<String>, String), String> {
    let file = |ending: &str| job.object.with_extension(ending);
    let files = [file("cu"), file("ptx"), file("marked.ptx")];
    let result = steps(job, &files);
    for file in &files {
        let _ = std::fs::remove_file(file);
    }
    result
}

fn steps(job: &Compile, files: &[PathBuf; 3]) -> Result<(Vec<u8>, Vec<String>, String), String> {
    let [source, ptx, marked] = files;
    let mut text = format!("#include \"{}\"\n", job.source.display());
    for (at, expression) in job.expressions.iter().enumerate() {
        text.push_str(&format!(
            "__device__ const void *{MARK}{at} = (const void *)({expression});\n"
        ));
    }
    std::fs::write(source, text).map_err(|error| failed(source, error))?;
    let mut first = Command::new(&job.library);
    // The source is named as the package root sees it, which is where this process runs.
    first.args(["-ptx", "-I."]).args(&job.options);
    let mut told = run(first.arg("-o").arg(marked).arg(source), job, source)?;
    let mut text = std::fs::read_to_string(marked).map_err(|error| failed(marked, error))?;
    let mut entries = Vec::new();
    for (at, expression) in job.expressions.iter().enumerate() {
        let found = without_mark(&text, &format!("{MARK}{at}"));
        let (rest, entry) = found.ok_or_else(|| format!("error: `{expression}` is no kernel"))?;
        text = rest;
        entries.push(entry);
    }
    if !job.target.is_cubin() {
        return Ok((text.into_bytes(), entries, told));
    }
    std::fs::write(ptx, text).map_err(|error| failed(ptx, error))?;
    let mut second = Command::new(&job.library);
    second.arg("-cubin").args(&job.options);
    told += &run(second.arg("-o").arg(&job.object).arg(ptx), job, source)?;
    let code = std::fs::read(&job.object).map_err(|error| failed(&job.object, error))?;
    Ok((code, entries, told))
}

fn failed(path: &Path, error: std::io::Error) -> String {
    format!("error: `{}`: {error}", path.display())
}

/// Runs nvcc; what it said, the source's name as the author knows it.
fn run(command: &mut Command, job: &Compile, source: &Path) -> Result<String, String> {
    let output = command.output();
    let output = output.map_err(|error| failed(&job.library, error))?;
    let mut said = String::from_utf8_lossy(&output.stderr).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stdout));
    if output.status.success() {
        return Ok(said);
    }
    let lines = said.lines();
    let lines = lines.map(|line| format!("{}\n", line.strip_prefix("./").unwrap_or(line)));
    let said: String = lines.collect();
    let place = format!("{}(", source.display());
    let expressions: Vec<&str> = job.expressions.iter().map(String::as_str).collect();
    Err(log::refused(&said, &place, &expressions))
}

/// The PTX without the marking variable, and the name that it holds.
fn without_mark(ptx: &str, variable: &str) -> Option<(String, String)> {
    let mut lines = ptx
        .lines()
        .filter_map(|line| Some((line, line.split_once('=')?)));
    let (mark, (_, name)) =
        lines.find(|(_, (what, _))| what.split_whitespace().last() == Some(variable))?;
    let name = name.trim().trim_end_matches(';').trim();
    // PTX writes `generic(name)` for the address of what lies in a memory of its own: no kernel.
    let is_name = !name.is_empty() && !name.contains(['(', ' ']);
    is_name.then(|| (ptx.replacen(mark, "", 1), name.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nvcc_says_of_itself() {
        let text = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.9, V12.9.86\n";
        assert_eq!(version(text), Some((12, 9)));
        assert_eq!(version("release 13"), None);
        assert_eq!(
            architectures("sm_90\nsm_75\nsm_90a\nsm_120\n"),
            [75, 90, 120]
        );
    }

    #[test]
    fn the_mark_gives_the_name_and_leaves_nothing() {
        let ptx = ".visible .entry _Z1kv\n;\n.global .align 8 .u64 mark_1 = _Z1kv;\n.visible .entry _Z1kv()\n";
        let (text, name) = without_mark(ptx, "mark_1").unwrap();
        assert_eq!(name, "_Z1kv");
        assert_eq!(
            text,
            ".visible .entry _Z1kv\n;\n\n.visible .entry _Z1kv()\n"
        );
        assert_eq!(without_mark(&text, "mark_1"), None);
        assert_eq!(without_mark(ptx, "mark_"), None);
        let data = ".global .align 8 .u64 mark_1 = generic(table);\n";
        assert_eq!(without_mark(data, "mark_1"), None);
    }
}
