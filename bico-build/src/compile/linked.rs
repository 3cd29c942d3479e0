//! Objects as a shared library that a process loads: a kernel of a CPU with the shim that calls it, or a function of the host.

use super::process;
use super::shared::Shared;
#[cfg(feature = "tune")]
use super::shared::Upcoming;
use super::{CompileError, Hash, Hasher, Service, Unit};
use crate::files::{could_not, written};
use bico_core::Lists;
use bico_syntax::Name;
#[cfg(feature = "tune")]
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

/// A shared library, and the hash of all its code.
pub(crate) struct Linked {
    pub(crate) path: PathBuf,
    pub(crate) hash: Hash,
}

/// What calls units once they are linked.
pub(crate) struct Shim<'a> {
    /// Its text.
    pub(crate) text: &'a str,
    /// Libraries that the units need.
    pub(crate) libraries: &'a [Name],
    /// Where shims and linked code are kept.
    pub(crate) folder: &'a Path,
}

impl Shim<'_> {
    /// Itself, to be compiled.
    pub(crate) fn unit(&self) -> Result<Unit, CompileError> {
        let name = format!("{}.c", Hash::of(self.text));
        let path = self.folder.join("shims").join(name);
        written(&path, self.text.as_bytes())?;
        Ok(Unit::of_c(path))
    }
}

/// A kernel's function must not give way to one of that name in a library of this process.
const BOUND: &str = "-Wl,-Bsymbolic";

/// What is called and not there is told, and is no mistake.
const UNRESOLVED: &str = "-Wl,--warn-unresolved-symbols";

/// What compilers call of their own accord, whatever a kernel says, and every process has in one version: who loads the library
/// finds it. (`memcpy` has two in glibc: the older one, which a name without a version means, is not the one that ships.)
const OF_COMPILERS: [&str; 3] = ["memcmp", "memmove", "memset"];

/// Whether a linker that was given no libraries missed nothing but those.
fn calls_nothing_else(said: &str) -> bool {
    let is_known = |line: &str| {
        let reference = line.split_once("undefined reference");
        let quoted = reference.and_then(|(_, rest)| rest.split(['`', '\'']).nth(1));
        quoted.is_some_and(|name| OF_COMPILERS.contains(&name))
    };
    let mut missed = said.lines().filter(|line| line.contains("undefined"));
    said.len() < process::KEPT as usize && missed.all(is_known)
}

/// Takes the library that a thread links off the list, however that ends.
struct Linking<'a>(&'a Shared, &'a Path);

impl Drop for Linking<'_> {
    fn drop(&mut self) {
        self.0.state().linking.retain(|path| path != self.1);
        self.0.changed.notify_all();
    }
}

impl Service {
    /// Compiles units and links them with the shim that calls them.
    ///
    /// # Errors
    ///
    /// One of them does not compile, a library is not here, or a file cannot be written.
    pub(crate) fn linked(&self, units: &[&Unit], shim: &Shim<'_>) -> Result<Linked, CompileError> {
        self.shared.linked(units, shim)
    }
}

impl Shared {
    /// Links what was compiled ahead, if it is to be.
    #[cfg(feature = "tune")]
    pub(super) fn link_ahead(&self, of: &Upcoming) {
        let Some((text, folder)) = &of.shim else {
            return;
        };
        let shim = Shim {
            text,
            libraries: &[],
            folder,
        };
        // Whoever needs it is told what is wrong.
        let linked = || self.linked(&[&of.unit], &shim).map(drop);
        let _ = std::panic::catch_unwind(AssertUnwindSafe(linked));
    }

    fn linked(&self, units: &[&Unit], shim: &Shim<'_>) -> Result<Linked, CompileError> {
        let Shim {
            text,
            libraries,
            folder,
        } = *shim;
        let mut hasher = Hasher::new();
        hasher.field("linked 1");
        let mut objects = Vec::with_capacity(units.len() + 1);
        for unit in units {
            let object = self.object(unit)?.path;
            hasher.field(Hash::of(read(&object)?).to_string());
            objects.push(object);
        }
        let hash = hasher.field(text).finish();
        objects.push(self.object(&shim.unit()?)?.path);
        let folder = folder.join("kernels");
        std::fs::create_dir_all(&folder).map_err(could_not("create", &folder))?;
        let made = |hash: Hash| folder.join(format!("{hash}.so"));
        let path = made(hash);
        if libraries.is_empty() {
            self.link_once(units, &objects, &path)?;
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

    /// Links what is not linked yet, or waits for the thread that does.
    fn link_once(
        &self,
        units: &[&Unit],
        objects: &[PathBuf],
        path: &Path,
    ) -> Result<(), CompileError> {
        let mut state = self.state();
        while state.linking.iter().any(|of| of == path) {
            state = self.wait(state);
        }
        if path.is_file() {
            return Ok(());
        }
        state.linking.push(path.to_path_buf());
        let mut sources = units.iter().map(|unit| &unit.source);
        let is_alone = !sources.any(|source| state.dependent.contains(source));
        drop(state);
        let _linking = Linking(self, path);
        if is_alone {
            // To look into the libraries of C takes the linker longer than all else.
            let options = ["-shared", BOUND, "-nostdlib", "-Wl,-z,defs", UNRESOLVED];
            let unsure = path.with_extension(format!("{}.so", std::process::id()));
            let said = self.link(&options, objects, &[], &unsure);
            if said.is_ok_and(|said| calls_nothing_else(&said)) {
                return Ok(std::fs::rename(&unsure, path).map_err(could_not("write", path))?);
            }
            _ = std::fs::remove_file(&unsure);
            let sources = units.iter().map(|unit| unit.source.clone());
            self.state().dependent.extend(sources);
        }
        self.shared(objects, &[], path)
    }

    /// Links objects of this service, with libraries that they need, to a shared library.
    ///
    /// # Errors
    ///
    /// The linker refused them, or `out` cannot be written.
    pub(super) fn shared(
        &self,
        objects: &[PathBuf],
        libraries: &[Name],
        out: &Path,
    ) -> Result<(), CompileError> {
        let libraries = libraries
            .iter()
            .map(|library| format!("-l{}", library.text));
        let libraries: Vec<String> = libraries.chain(["-lm".into()]).collect_vec();
        self.link(&["-shared", BOUND], objects, &libraries, out)
            .map(drop)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(could_not("read", path))
}

#[cfg(all(test, feature = "tune"))]
mod tests {
    use super::super::tests::{options, package, unit, written};
    use super::*;
    use crate::compile::Options;
    use bico_syntax::Language;
    use std::time::Duration;

    #[test]
    fn what_is_announced_with_its_shim_is_linked_ahead() {
        let dir = package(&[("k.c", "int f(void) { return 1; }\n")]);
        // The one compiler makes itself pause for nobody.
        let alone = Options {
            threads: 1,
            ..options(dir.path())
        };
        let service = Service::new(alone);
        let wanted = unit("k.c", Language::C);
        let text = "int f(void);\nint call(void) { return f(); }\n";
        let folder = dir.path().join("linked");
        let upcoming = Upcoming {
            shim: Some((text.to_string(), folder.clone())),
            ..wanted.clone().into()
        };
        service.announce_linked(vec![upcoming]);
        let library = || {
            let made = std::fs::read_dir(folder.join("kernels"))
                .into_iter()
                .flatten();
            let mut made = made.map(|entry| entry.unwrap().path());
            made.find(|path| path.extension().is_some_and(|of| of == "so"))
        };
        let is_there = |_| {
            std::thread::sleep(Duration::from_millis(1));
            library().is_some()
        };
        assert!((0..30_000).any(is_there), "nobody linked it");
        let ahead = written(&library().unwrap());
        let shim = Shim {
            text,
            libraries: &[],
            folder: &folder,
        };
        let linked = service.linked(&[&wanted], &shim).unwrap();
        assert_eq!(Some(&linked.path), library().as_ref());
        assert_eq!(written(&linked.path), ahead);
    }

    #[test]
    fn the_libraries_of_c_are_linked_where_something_of_them_is_called() {
        let dir = package(&[
            ("alone.c", "int f(void) { return N; }\n"),
            (
                "calls.c",
                "#include <math.h>\ndouble f(double x) { return sin(x + N); }\n",
            ),
            (
                "sets.c",
                "#include <string.h>\nint f(void) { static char a[99]; memset(a, N, sizeof a * (unsigned)a[3]); return a[1]; }\n",
            ),
            (
                "copies.c",
                "#include <string.h>\nint f(void) { static char a[99]; memcpy(a, a + N, (unsigned)a[3]); return a[1]; }\n",
            ),
        ]);
        let service = Service::new(options(dir.path()));
        let shim = Shim {
            text: "int f(void);\nint call(void) { return f(); }\n",
            libraries: &[],
            folder: &dir.path().join("linked"),
        };
        let needs = |source: &str, value: &str, name: &[u8]| {
            let mut unit = unit(source, Language::C);
            unit.defines.push(("N".into(), value.into()));
            let linked = service.linked(&[&unit], &shim).unwrap();
            let library = std::fs::read(linked.path).unwrap();
            library.windows(name.len()).any(|of| of == name)
        };
        let needed = [
            ("alone.c", "1"),
            ("calls.c", "1"),
            ("calls.c", "2"),
            ("alone.c", "2"),
        ];
        assert_eq!(
            needed.map(|(source, value)| needs(source, value, b"libm.so.6")),
            [false, true, true, false]
        );
        assert_eq!(service.shared.state().dependent, [Path::new("calls.c")]);
        let needed = ["sets.c", "copies.c"].map(|source| needs(source, "1", b"libc.so"));
        assert_eq!(needed, [false, true]);
        // What is loaded finds the one that every process has.
        let is_called = needs("sets.c", "1", b"memset");
        assert!(is_called);
    }

    #[test]
    fn objects_of_both_languages_link_to_a_library() {
        let dir = package(&[
            (
                "a.c",
                "#include <math.h>\ndouble a(double x) { return sin(x); }\n",
            ),
            (
                "b.cpp",
                "#include <vector>\nextern \"C\" int b(int n) { return (int)std::vector<int>(n, 1).size(); }\n",
            ),
        ]);
        let service = Service::new(options(dir.path()));
        let objects = [unit("a.c", Language::C), unit("b.cpp", Language::Cpp)]
            .map(|unit| service.object(&unit).unwrap());
        let out = dir.path().join("k.so");
        service.shared.shared(&objects, &[], &out).unwrap();
        assert!(std::fs::read(&out).unwrap().starts_with(b"\x7fELF"));
    }
}
