//! Where NVRTC may lie: what the library is called, and the folders of toolkits and Python wheels.

use bico_core::Lists;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What is asked of the system: variables and folders. Tests make up their own.
pub(super) struct System {
    pub(super) variable: fn(&str) -> Option<OsString>,
    /// What absolute patterns start from.
    pub(super) root: PathBuf,
    /// Whether the system's loader may be asked for plain names.
    pub(super) by_name: bool,
}

impl System {
    /// This machine.
    pub(super) fn this() -> System {
        System {
            variable,
            root: PathBuf::from("/"),
            by_name: true,
        }
    }

    /// The value of a variable, if there is any.
    pub(super) fn get(&self, name: &str) -> Option<PathBuf> {
        (self.variable)(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    }
}

/// The one place of this crate that reads these variables: the user's own program may compile as well.
#[allow(clippy::disallowed_methods)]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The names that the system's loader is asked for, newest first.
pub(super) fn names() -> &'static [&'static str] {
    if cfg!(windows) {
        &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"]
    } else {
        &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
    }
}

/// Folders that may hold the library.
pub(super) struct Place {
    /// For people.
    pub(super) said: String,
    /// Those that exist, best first.
    pub(super) folders: Vec<PathBuf>,
}

/// Where a toolkit keeps libraries, below its folder.
const TOOLKIT: [&str; 5] = ["lib64", "targets/*/lib", "lib", "bin/x64", "bin"];

/// Where wheels keep them, below `site-packages`.
const WHEELS: [&str; 4] = [
    "nvidia/cu1*/lib",
    "nvidia/cuda_nvrtc/lib",
    "nvidia/cu1*/bin/x86_64",
    "nvidia/cuda_nvrtc/bin",
];

/// All places, in the order in which they are tried.
pub(super) fn places(system: &System) -> Vec<Place> {
    let mut places = Vec::new();
    for (said, folders) in toolkits(system) {
        places.push(place(
            format!("{said}/{{lib64,targets/*/lib,lib}}"),
            &folders,
            &TOOLKIT,
        ));
    }
    for (said, folders) in site_packages(system) {
        let said = format!("{said}/nvidia/{{cu1*,cuda_nvrtc}}/lib");
        places.push(place(said, &folders, &WHEELS));
    }
    places
}

fn place(said: String, bases: &[PathBuf], below: &[&str]) -> Place {
    let folders = bases
        .iter()
        .flat_map(|base| below.iter().flat_map(|pattern| expand(base, pattern)))
        .collect_vec();
    Place { said, folders }
}

/// The folders of CUDA toolkits: how they are called, and those that there are.
pub(super) fn toolkits(system: &System) -> Vec<(String, Vec<PathBuf>)> {
    let mut found = Vec::new();
    for name in ["CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX"] {
        if let Some(folder) = system.get(name) {
            found.push((folder.display().to_string(), vec![folder]));
        }
    }
    for pattern in ["usr/local/cuda", "usr/local/cuda-*", "opt/cuda"] {
        found.push((format!("/{pattern}"), expand(&system.root, pattern)));
    }
    found
}

/// The folders of Python packages: how they are called, and those that there are.
fn site_packages(system: &System) -> Vec<(String, Vec<PathBuf>)> {
    let mut found = Vec::new();
    let mut add = |base: PathBuf, shown: String, pattern: &str| {
        found.push((format!("{shown}/{pattern}"), expand(&base, pattern)));
    };
    for (name, pattern) in [
        ("VIRTUAL_ENV", "lib/python3*/site-packages"),
        ("VIRTUAL_ENV", "Lib/site-packages"),
        ("CONDA_PREFIX", "lib/python3*/site-packages"),
        ("HOME", ".local/lib/python3*/site-packages"),
        ("HOME", ".pyenv/versions/*/lib/python3*/site-packages"),
    ] {
        if pattern.starts_with("Lib") != cfg!(windows) && name == "VIRTUAL_ENV" {
            continue;
        }
        if let Some(folder) = system.get(name) {
            add(folder.clone(), folder.display().to_string(), pattern);
        }
    }
    for pattern in [
        "usr/local/lib/python3*/site-packages",
        "usr/local/lib/python3*/dist-packages",
        "usr/lib/python3/dist-packages",
        "usr/lib/python3*/site-packages",
    ] {
        add(system.root.clone(), String::new(), pattern);
    }
    found
}

/// The existing folders below `base` that a pattern names, where `*` stands for any letters of one
/// name. Of several, higher numbers come first: `cuda-13.0` before `cuda-12.9`.
pub(super) fn expand(base: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut folders = vec![base.to_path_buf()];
    for part in pattern.split('/') {
        folders = match part.split_once('*') {
            None => folders
                .into_iter()
                .map(|folder| folder.join(part))
                .collect_vec(),
            Some((start, end)) => folders
                .iter()
                .flat_map(|folder| matching(folder, start, end))
                .collect_vec(),
        };
    }
    folders.retain(|folder| folder.is_dir());
    folders
}

fn matching(folder: &Path, start: &str, end: &str) -> Vec<PathBuf> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        })
        .collect_vec();
    names.sort_by_cached_key(|name| std::cmp::Reverse((numbers(name), name.clone())));
    names
        .into_iter()
        .map(|name| folder.join(name))
        .collect_vec()
}

/// The numbers in a name, to order versions by.
pub(super) fn numbers(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect_vec()
}

/// The library's files in a folder, newest version first.
pub(super) fn libraries(folder: &Path) -> Vec<PathBuf> {
    let is_library = |name: &str| {
        if cfg!(windows) {
            name.starts_with("nvrtc64_") && name.ends_with("_0.dll")
        } else {
            name == "libnvrtc.so" || name.starts_with("libnvrtc.so.")
        }
    };
    matching(folder, "", "")
        .into_iter()
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(is_library) && path.is_file()
        })
        .collect_vec()
}
