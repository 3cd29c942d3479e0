//! A package with one of the kernels, and its builds.

use super::{Config, Kernel, Progress, folder};
use crate::package::Package;
use serde_json::Value;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A package whose build tunes one kernel.
pub(super) struct Tuned<'a> {
    kernel: &'a Kernel,
    package: Package,
    /// Its target folder, in which bico-build is compiled once for all.
    target: PathBuf,
}

impl Tuned<'_> {
    /// Writes the package, and compiles all but what tunes.
    pub(super) fn new<'a>(kernel: &'a Kernel, kept: &Path) -> Result<Tuned<'a>, String> {
        let source = folder().join(&kernel.source);
        let source = std::fs::read_to_string(&source).map_err(|e| e.to_string())?;
        let name = format!("seconds-{}", kernel.name);
        let tuned = Tuned {
            kernel,
            package: Package::new(
                &name,
                &[
                    ("src/lib.rs", &wrapper(kernel, 0)),
                    ("kernels/kernel.c", &source),
                ],
            )?,
            target: kept.join("target"),
        };
        let target = tuned.target.display().to_string();
        let variables = [("CARGO_TARGET_DIR", target.as_str()), ("BICO", "off")];
        tuned.package.cargo(&["build"], &variables)?;
        Ok(tuned)
    }

    /// Builds, and sees what the trail says.
    pub(super) fn run(&self, seed: u64, seconds: f64) -> Result<Progress, String> {
        self.package
            .write("src/lib.rs", &wrapper(self.kernel, seed))?;
        let known = self.target.join("bico");
        remove(&known)?;
        let lock = self.package.path().join("bico.lock");
        _ = std::fs::remove_file(&lock);
        let name = &self.kernel.name;
        let trail = known.join(format!("seconds-{name}/{name}.jsonl"));
        let mut command = Command::new("cargo");
        command
            .arg("build")
            .current_dir(self.package.path())
            .env("CARGO_TARGET_DIR", &self.target)
            .envs([("BICO", "tune"), ("BICO_CACHE", "off")])
            .env_remove("CI")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        let start = Instant::now();
        let mut child = command.spawn().map_err(|e| format!("cargo: {e}"))?;
        let mut found = Found::default();
        let left = || seconds - start.elapsed().as_secs_f64();
        while left() > 0.0 {
            let ended = child.try_wait().map_err(|e| e.to_string())?;
            found.look(&trail, start);
            if let Some(status) = ended {
                if !status.success() {
                    return Err(format!("{name}: cargo build: {status}"));
                }
                let winner = winner(&lock)?;
                found.add(start, winner);
                return Ok(found.progress);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        end(&mut child)?;
        Ok(found.progress)
    }
}

/// Removes a folder, if it is there. Compilers have groups of their own, and write for a moment after the build was ended.
fn remove(folder: &Path) -> Result<(), String> {
    let mut tries = 0..20;
    loop {
        let failed = std::fs::remove_dir_all(folder).err();
        let failed = failed.filter(|error| error.kind() != ErrorKind::NotFound);
        let Some(error) = failed else {
            return Ok(());
        };
        if tries.next().is_none() {
            return Err(format!("{}: {error}", folder.display()));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Ends a process and all that it started.
fn end(child: &mut Child) -> Result<(), String> {
    let group = format!("-{}", child.id());
    let killed = Command::new("kill").args(["-KILL", "--", &group]).status();
    killed.map_err(|e| format!("kill: {e}"))?;
    child.wait().map_err(|e| e.to_string())?;
    Ok(())
}

/// What was the best so far.
#[derive(Default)]
struct Found {
    progress: Progress,
    values: HashMap<u64, Config>,
    read: usize,
}

impl Found {
    /// Reads what is new in the trail.
    fn look(&mut self, trail: &Path, start: Instant) {
        let text = std::fs::read_to_string(trail).unwrap_or_default();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let new = text.get(self.read..whole).unwrap_or_default().to_string();
        self.read = self.read.max(whole);
        for line in new.lines() {
            let Ok(row) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let config = |of: &Value| of["config"].as_u64();
            if let (Some(config), Some(values)) = (config(&row), row["values"].as_object()) {
                let values = values.iter().map(|(n, v)| (n.clone(), v.clone()));
                self.values.insert(config, values.collect());
            }
            let best = config(&row["best"]).and_then(|best| self.values.get(&best));
            if let Some(best) = best.cloned() {
                self.add(start, best);
            }
        }
    }

    fn add(&mut self, start: Instant, best: Config) {
        if self.progress.last().is_none_or(|(_, last)| *last != best) {
            self.progress.push((start.elapsed().as_secs_f64(), best));
        }
    }
}

/// The only winner of a lock.
fn winner(lock: &Path) -> Result<Config, String> {
    let text = std::fs::read_to_string(lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    let lock: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let mut at = &lock["kernels"];
    for _ in 0..3 {
        at = at
            .as_object()
            .and_then(|of| of.values().next())
            .unwrap_or(&Value::Null);
    }
    let config = at["winner"]["config"].as_object();
    let config = config.ok_or("the lock has no winner")?;
    Ok(config.iter().map(|(n, v)| (n.clone(), v.clone())).collect())
}

/// What `rivals.py` compiles with, too.
fn flags() -> [&'static str; 3] {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        return ["-O3", "-march=x86-64-v4", "-mprefer-vector-width=512"];
    }
    ["-O3", "-march=x86-64-v3", "-mprefer-vector-width=256"]
}

/// The attribute and the wrapper. Other tools call a config several times in a row and flush nothing in between: so does bico
/// here, and the harness that judges.
fn wrapper(kernel: &Kernel, seed: u64) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    let params = kernel.params.iter().map(|(n, of)| format!("{n} in {of}"));
    let sizes = kernel.sizes.iter().map(|(n, of)| format!("{n} = {of}"));
    let scratch = kernel
        .scratch
        .iter()
        .map(|(name, len)| format!("    scratch({name}: f32, len = {len}),\n"));
    let scratch: String = scratch.collect();
    let buffers = kernel.buffers.iter().map(|(name, role, len)| {
        let mutable = if role == "out" { "mut " } else { "" };
        format!("#[len({len})] {name}: &{mutable}[f32]")
    });
    let scalars = kernel.sizes.iter().map(|(name, value)| {
        let of = if value.is_f64() { "f32" } else { "u32" };
        format!("{name}: {of}")
    });
    format!(
        "//! Tuned by a bench.\n\n#[bico::tunable(\n    source = \"kernels/kernel.c\",\n    space({}),\n    require({}),\n    \
         flags = [{}],\n{scratch}    problem({}),\n    \
         verify(reference = \"{name}_naive\", rtol = 1e-4),\n    measure(cache = warm),\n    \
         budget(evaluations = 1000, seconds = 45, seed = {seed}),\n)]\npub fn {name}({}) -> bico::Result<()>;\n",
        joined(params.collect()),
        joined(kernel.restrictions.clone()),
        joined(flags().map(|flag| format!("{flag:?}")).to_vec()),
        joined(sizes.collect()),
        joined(buffers.chain(scalars).collect()),
        name = kernel.name,
    )
}
