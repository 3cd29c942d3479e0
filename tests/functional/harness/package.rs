//! A package in a temporary folder.

use super::call::{Call, Output};
use super::kernel::{KERNEL, MAIN, tunable};
use super::warm::{self, Kind};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A package whose build script tunes. It begins without sources.
pub(crate) struct Package {
    name: String,
    kind: Kind,
    root: PathBuf,
    target: TempDir,
    cache: PathBuf,
    /// Holds the package and what belongs to its test.
    folder: TempDir,
}

impl Package {
    pub(crate) fn new(name: &str) -> Package {
        Package::nested(name, "package")
    }

    /// The package lies at this place below the test's folder.
    pub(crate) fn nested(name: &str, place: &str) -> Package {
        Package::of_kind(Kind::Cpu, name, place)
    }

    /// A package with CUDA kernels. Its cargo and its programs see the GPUs of the host driver: one A100,
    /// if nothing else is said.
    pub(crate) fn cuda(name: &str) -> Package {
        Package::of_kind(Kind::Cuda, name, "package")
    }

    /// A package with CUDA kernels that use the crate `half`, too.
    pub(crate) fn halves(name: &str) -> Package {
        Package::of_kind(Kind::Halves, name, "package")
    }

    fn of_kind(kind: Kind, name: &str, place: &str) -> Package {
        let folder = tempfile::Builder::new()
            .prefix("bico-functional-")
            .tempdir()
            .unwrap();
        // Canonical, so that paths in messages compare equal.
        let base = folder.path().canonicalize().unwrap();
        let package = Package {
            name: name.to_string(),
            kind,
            root: base.join(place),
            cache: base.join("cache"),
            target: warm::target(kind),
            folder,
        };
        package.manifest("");
        package.file("Cargo.lock", &warm::cargo_lock());
        package.file("build.rs", "fn main() {\n    bico_build::tune();\n}\n");
        package
    }

    /// A package with the tunable `work`, and a program that calls it.
    pub(crate) fn work(name: &str) -> Package {
        let package = Package::new(name);
        package.file("kernels/work.c", KERNEL);
        package.file("src/main.rs", &format!("{}{MAIN}", tunable("work", "")));
        package
    }

    /// Writes `Cargo.toml`; `more` follows the usual parts.
    pub(crate) fn manifest(&self, more: &str) {
        let name = &self.name;
        let head = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             description = \"A test\"\nlicense = \"MIT\"\n"
        );
        self.file(
            "Cargo.toml",
            &format!("{head}\n{}\n{more}", warm::dependencies(self.kind)),
        );
    }

    pub(crate) fn file(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces a part of a file, which must be there.
    #[track_caller]
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(
            text.contains(from),
            "{path} does not hold `{from}`:\n{text}"
        );
        self.file(path, &text.replace(from, to));
    }

    /// The same for several parts: file, from, to.
    #[track_caller]
    pub(crate) fn edit_all(&self, edits: &[(&str, &str, &str)]) {
        for (path, from, to) in edits {
            self.edit(path, from, to);
        }
    }

    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the test, above the package.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn target(&self) -> &Path {
        self.target.path()
    }

    /// Forgets all that was built, and what is kept beside it.
    pub(crate) fn clean(&mut self) {
        self.target = warm::target(self.kind);
    }

    /// A call of cargo, with `BICO=auto`.
    pub(crate) fn cargo(&self, args: &[&str]) -> Call {
        self.cargo_in(&self.root, args)
    }

    /// The same from another folder.
    pub(crate) fn cargo_in(&self, folder: &Path, args: &[&str]) -> Call {
        let mut command = Command::new(env!("CARGO"));
        command.args(args);
        self.prepare(command, folder)
    }

    fn prepare(&self, mut command: Command, folder: &Path) -> Call {
        command.current_dir(folder);
        self.call(command)
            .env("CARGO_NET_OFFLINE", "true")
            .env("BICO", "auto")
            .env("BICO_CACHE", &self.cache)
            .env("BICO_TEST_LOADED", self.loaded())
            .env("CARGO_TARGET_DIR", self.target.path())
    }

    /// A call in the environment of this package's kind.
    pub(crate) fn call(&self, command: Command) -> Call {
        let call = Call::new(command);
        match self.kind {
            Kind::Cpu => call,
            Kind::Cuda | Kind::Halves => call.gpus("A100", ""),
        }
    }

    /// `cargo build` without a terminal to speak to.
    pub(crate) fn build_unseen(&self) -> Output {
        let mut command = Command::new("setsid");
        command.args(["-w", env!("CARGO"), "build"]);
        self.prepare(command, &self.root).run()
    }

    /// A `cargo build` in a terminal of its own: what it says is what the terminal shows.
    pub(crate) fn build_seen(&self) -> Call {
        let mut command = Command::new("script");
        command.args(["-qec", concat!(env!("CARGO"), " build"), "/dev/null"]);
        self.prepare(command, &self.root)
    }

    /// `cargo build` with this value of `BICO`.
    #[track_caller]
    pub(crate) fn build(&self, mode: &str) -> Output {
        self.cargo(&["build"]).env("BICO", mode).run()
    }

    /// Runs the program that was built and gives what it prints.
    #[track_caller]
    pub(crate) fn run(&self) -> String {
        self.run_binary(&self.name)
    }

    #[track_caller]
    pub(crate) fn run_binary(&self, name: &str) -> String {
        self.call(self.program(name)).run().ok().stdout
    }

    /// A call of the program that was built.
    pub(crate) fn start(&self) -> Call {
        self.call(self.program(&self.name))
    }

    fn program(&self, name: &str) -> Command {
        Command::new(self.target().join("debug").join(name))
    }

    /// Whether a kernel was loaded to be measured since this was asked last.
    pub(crate) fn measured(&self) -> bool {
        fs::remove_file(self.loaded()).is_ok()
    }

    fn loaded(&self) -> PathBuf {
        self.folder().join("loaded")
    }

    pub(crate) fn has_lock(&self) -> bool {
        self.root.join("bico.lock").exists()
    }

    /// `bico.lock`.
    #[track_caller]
    pub(crate) fn lock(&self) -> Value {
        serde_json::from_str(&self.read("bico.lock")).unwrap()
    }

    /// The entries of a tunable on the only device of the lock that knows it, by problem.
    #[track_caller]
    pub(crate) fn entries(&self, key: &str) -> Value {
        let lock = self.lock();
        let devices = lock["kernels"][key]
            .as_object()
            .unwrap_or_else(|| panic!("no `{key}` in {lock:#}"));
        assert_eq!(devices.len(), 1, "{devices:#?}");
        devices.values().next().unwrap().clone()
    }

    /// The winner of the only problem.
    #[track_caller]
    pub(crate) fn winner(&self, key: &str) -> Value {
        let entries = self.entries(key);
        let problems = entries.as_object().unwrap();
        assert_eq!(problems.len(), 1, "{problems:#?}");
        problems.values().next().unwrap()["winner"]["config"].clone()
    }

    /// The configs of a trail with 0 for this parameter were timed, and all others gave a wrong result.
    #[track_caller]
    pub(crate) fn only_zero_is_right(&self, key: &str, parameter: &str) {
        for row in self.trail(key) {
            match row["values"][parameter] == 0 {
                true => assert!(row["seconds"].is_number(), "{row:#}"),
                false => assert_eq!(row["failure"], "wrong", "{row:#}"),
            }
        }
        let winner = self.winner(key);
        assert_eq!(
            (&winner[parameter], &winner["SPIN"]),
            (&0.into(), &0.into())
        );
    }

    /// The folder with what the build left for the compiler of the program.
    pub(crate) fn out_dir(&self, key: &str) -> PathBuf {
        let scripts = fs::read_dir(self.target().join("debug/build")).unwrap();
        let mut folders = scripts
            .map(|entry| entry.unwrap().path().join("out/bico"))
            .filter(|folder| folder.join(format!("{key}.rs")).is_file());
        folders.next().expect("a data file in OUT_DIR")
    }

    /// Where the trail of a tunable lies.
    pub(crate) fn trail_file(&self, key: &str) -> PathBuf {
        let folder = self.target().join("bico").join(&self.name);
        folder.join(format!("{key}.jsonl"))
    }

    /// The rows of `target/bico/<package>/<key>.jsonl`.
    #[track_caller]
    pub(crate) fn trail(&self, key: &str) -> Vec<Value> {
        let path = self.trail_file(key);
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// A compiler that notes down how it was called.
    pub(crate) fn compiler(&self) -> Compiler {
        use std::os::unix::fs::PermissionsExt;

        let (script, log) = (
            self.folder().join("compiler"),
            self.folder().join("compiler.log"),
        );
        let text = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$*\" >> '{}'\nexec cc \"$@\"\n",
            log.display()
        );
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        Compiler { script, log }
    }
}

/// See [`Package::compiler`].
pub(crate) struct Compiler {
    pub(crate) script: PathBuf,
    log: PathBuf,
}

impl Compiler {
    /// Every call so far, one in a line.
    pub(crate) fn calls(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

/// The one row of a trail, but for the finals, in which a parameter has this value.
#[track_caller]
pub(crate) fn only_trial<'a>(trail: &'a [Value], parameter: &str, value: &str) -> &'a Value {
    let mut rows = trail
        .iter()
        .filter(|row| row["kind"] != "final" && row["values"][parameter] == value);
    let row = rows
        .next()
        .unwrap_or_else(|| panic!("no row of `{value}` in {trail:#?}"));
    assert!(rows.next().is_none(), "two rows of `{value}`");
    row
}
