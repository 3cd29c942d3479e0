//! The kernels' files, and the tunables that their first lines ask for.
//!
//! ```text
//! /* What is wrong with VARIANT = 1. */
//! // fn: the wrapper's arguments
//! // problem: the sizes
//! // verify: more of `verify(reference = "right", ..)`, if anything
//! // options: more of the attribute, if anything; may stand there several times
//! // launch: that of a CUDA kernel
//! // reference: that of its reference, if it is another one
//! ```

use crate::harness::Package;
use std::fs;
use std::path::{Path, PathBuf};

/// What a kernel is written in: the folder's name, and how its files end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Language {
    pub(crate) folder: &'static str,
    pub(crate) ending: &'static str,
}

pub(crate) const C: Language = Language {
    folder: "c",
    ending: "c",
};

pub(crate) const CUDA: Language = Language {
    folder: "cuda",
    ending: "cu",
};

impl Language {
    fn folder(self) -> PathBuf {
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        folders.join(self.folder)
    }

    /// The kernels' names, sorted.
    pub(crate) fn names(self) -> Vec<String> {
        let files = self.files().into_iter();
        let mut names: Vec<String> = files
            .filter_map(|file| Some(file.strip_suffix(self.ending)?.strip_suffix('.')?.into()))
            .collect();
        names.sort();
        names
    }

    fn files(self) -> Vec<String> {
        let entries = fs::read_dir(self.folder()).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    fn read(self, file: &str) -> String {
        fs::read_to_string(self.folder().join(file)).unwrap()
    }

    /// Puts all kernels and their wrappers into a package; `types` are what the wrappers name.
    pub(crate) fn fill(self, package: &Package, types: &str) {
        for file in self.files() {
            package.file(&format!("kernels/{file}"), &self.read(&file));
        }
        let names = self.names().into_iter();
        let items: String = names.map(|name| self.tunable(&name)).collect();
        package.file("src/lib.rs", &format!("{types}{items}"));
    }

    /// The item for a kernel.
    fn tunable(self, name: &str) -> String {
        let ending = self.ending;
        let text = self.read(&format!("{name}.{ending}"));
        let said = |what: &str| -> Vec<&str> {
            let mark = format!("// {what}: ");
            text.lines()
                .filter_map(|line| line.strip_prefix(&mark))
                .collect()
        };
        let (arguments, problem) = (said("fn").concat(), said("problem").concat());
        assert!(!arguments.is_empty() && !problem.is_empty(), "{name}");
        let (mut verify, mut options) = (said("verify"), said("options"));
        let launch = |of: &str| {
            let launch = said(of).concat();
            (!launch.is_empty()).then(|| format!("launch({launch})"))
        };
        let own = launch("launch");
        let reference = launch("reference").or_else(|| own.clone());
        options.extend(own.as_deref());
        verify.extend(reference.as_deref());
        let (verify, options) = (verify.join(", "), options.join(", "));
        format!(
            r#"
#[bico::tunable(
    source = "kernels/{name}.{ending}",
    space(VARIANT in [0, 1]),
    problem({problem}),
    verify(reference = "right", {verify}),
    measure(cache = warm),
    budget(evaluations = 2, seconds = 20, strategy = "sequential"),
    {options}
)]
pub fn {name}({arguments}) -> bico::Result<()>;
"#
        )
    }
}
