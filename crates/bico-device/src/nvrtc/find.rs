//! The way through all places, until one library loads.

use super::places::{self, System};
use super::{Nvrtc, NvrtcMissing, VARIABLE, api};
use bico_core::Lists;
use std::path::{Path, PathBuf};

pub(super) fn find(explicit: Option<&Path>, system: &System) -> Result<Nvrtc, NvrtcMissing> {
    search(explicit, system, api::load)
}

/// The search itself; `load` tries one file or name.
fn search<T>(
    explicit: Option<&Path>,
    system: &System,
    mut load: impl FnMut(&Path) -> Result<T, String>,
) -> Result<T, NvrtcMissing> {
    let mut missing = NvrtcMissing {
        explicit: explicit
            .map(Path::to_path_buf)
            .or_else(|| system.get(VARIABLE)),
        names: Vec::new(),
        folders: Vec::new(),
        unusable: Vec::new(),
    };
    if let Some(path) = missing.explicit.clone() {
        let files = if path.is_dir() {
            places::libraries(&path)
        } else if path.exists() {
            // Whole, for the system's loader takes one word for a name.
            vec![std::path::absolute(&path).unwrap_or(path)]
        } else if path.components().count() == 1 {
            vec![path]
        } else {
            Vec::new()
        };
        return first(&files, &mut load, &mut missing).ok_or(missing);
    }
    if system.by_name {
        for name in places::names() {
            // Not to be found by name is the usual case, and no fault.
            if let Ok(found) = load(Path::new(name)) {
                return Ok(found);
            }
        }
    }
    missing.names = places::names()
        .iter()
        .map(|name| name.to_string())
        .collect_vec();
    for place in places::places(system) {
        missing.folders.push(place.said);
        for folder in place.folders {
            let files = places::libraries(&folder);
            if let Some(found) = first(&files, &mut load, &mut missing) {
                return Ok(found);
            }
        }
    }
    Err(missing)
}

fn first<T>(
    files: &[PathBuf],
    load: &mut impl FnMut(&Path) -> Result<T, String>,
    missing: &mut NvrtcMissing,
) -> Option<T> {
    for file in files {
        match load(file) {
            Ok(found) => return Some(found),
            Err(reason) => missing.unusable.push((file.clone(), reason)),
        }
    }
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn nothing(_: &str) -> Option<std::ffi::OsString> {
        None
    }

    /// A system with these files in it.
    fn system(files: &[&str]) -> (tempfile::TempDir, System) {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let system = System {
            variable: nothing,
            root: dir.path().to_path_buf(),
            by_name: false,
        };
        (dir, system)
    }

    /// All that would be loaded, in order, relative to the root.
    fn tried(system: &System) -> Vec<String> {
        let mut tried = Vec::new();
        let missing = search::<()>(None, system, |path| {
            let path = path.strip_prefix(&system.root).unwrap_or(path);
            tried.push(path.display().to_string());
            Err("no".into())
        })
        .unwrap_err();
        assert_eq!(missing.unusable.len(), tried.len());
        tried
    }

    #[test]
    fn toolkits_come_before_wheels_and_newer_before_older() {
        let (_dir, system) = system(&[
            "usr/lib/python3/dist-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
            "usr/lib/python3/dist-packages/nvidia/cu13/lib/libnvrtc.so.13",
            "usr/lib/python3/dist-packages/nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
            "usr/local/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
            "usr/local/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
            "usr/local/cuda-9.2/lib64/libnvrtc.so.9.2",
            "usr/local/cuda-12.9/lib64/libnvrtc.so.12",
            "usr/local/cuda-12.9/lib64/libnvrtc_static.a",
            "usr/local/cuda/targets/x86_64-linux/lib/libnvrtc.so.13",
        ]);
        assert_eq!(
            tried(&system),
            [
                "usr/local/cuda/targets/x86_64-linux/lib/libnvrtc.so.13",
                "usr/local/cuda-12.9/lib64/libnvrtc.so.12",
                "usr/local/cuda-9.2/lib64/libnvrtc.so.9.2",
                "usr/local/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                "usr/local/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                "usr/lib/python3/dist-packages/nvidia/cu13/lib/libnvrtc.so.13",
                "usr/lib/python3/dist-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
            ]
        );
    }

    #[test]
    fn names_come_first_and_are_no_fault_where_they_fail() {
        let (_dir, mut system) = system(&["opt/cuda/lib64/libnvrtc.so"]);
        system.by_name = true;
        let mut asked = Vec::new();
        let found = search(None, &system, |path| {
            asked.push(path.to_path_buf());
            if asked.len() > places::names().len() {
                Ok(path.to_path_buf())
            } else {
                Err("not found".into())
            }
        });
        let expected = system.root.join("opt/cuda/lib64/libnvrtc.so");
        assert_eq!(found, Ok(expected));
        assert_eq!(asked[0], Path::new("libnvrtc.so.13"));
        assert_eq!(asked.len(), 4);
    }

    #[test]
    fn what_the_user_names_is_all_that_is_tried() {
        let (_dir, mut system) = system(&["own/libnvrtc.so.12", "opt/cuda/lib64/libnvrtc.so"]);
        let folder = system.root.join("own");
        let file = folder.join("libnvrtc.so.12");
        let take = |path: &Path| Ok::<_, String>(path.to_path_buf());
        assert_eq!(search(Some(&folder), &system, take), Ok(file.clone()));
        assert_eq!(search(Some(&file), &system, take), Ok(file.clone()));

        let gone = system.root.join("gone.so");
        let error = search(Some(&gone), &system, take).unwrap_err().to_string();
        let first = format!(
            "NVRTC was not found: `{}` does not exist or holds none",
            gone.display()
        );
        assert_eq!(error.lines().next(), Some(first.as_str()));

        system.variable = |name| (name == VARIABLE).then(|| "/nowhere/libnvrtc.so".into());
        let error = search(None, &system, take).unwrap_err().to_string();
        assert!(
            error.contains("`/nowhere/libnvrtc.so` does not exist"),
            "{error}"
        );
        let refused = search::<()>(Some(&file), &system, |_| Err("not an ELF file".into()));
        let error = refused.unwrap_err().to_string();
        assert!(
            error.starts_with("NVRTC could not be loaded: `") && error.contains("not an ELF file"),
            "{error}"
        );
    }

    #[test]
    fn an_error_tells_every_place_and_what_to_do() {
        let (_dir, mut system) = system(&[]);
        system.variable = |name| match name {
            "CUDA_PATH" => Some("/my/toolkit".into()),
            "VIRTUAL_ENV" => Some("/my/venv".into()),
            "CUDA_HOME" => Some("".into()),
            _ => None,
        };
        let error = find(None, &system).unwrap_err().to_string();
        for part in [
            "NVRTC was not found\n",
            "libnvrtc.so.13, libnvrtc.so.12, libnvrtc.so",
            "    /my/toolkit/{lib64,targets/*/lib,lib}\n",
            "    /usr/local/cuda-*/{lib64,targets/*/lib,lib}\n",
            "    /my/venv/lib/python3*/site-packages/nvidia/{cu1*,cuda_nvrtc}/lib\n",
            "    /usr/lib/python3/dist-packages/nvidia/{cu1*,cuda_nvrtc}/lib\n",
            "pip install nvidia-cuda-nvrtc-cu12",
            "BICO_NVRTC",
        ] {
            assert!(error.contains(part), "{part}\n{error}");
        }
    }

    #[test]
    fn a_file_that_is_no_library_is_told_with_the_loaders_reason() {
        let (_dir, system) = system(&["usr/local/cuda/lib64/libnvrtc.so.12"]);
        let error = find(None, &system).unwrap_err();
        assert_eq!(error.unusable.len(), 1);
        let text = error.to_string();
        assert!(
            text.starts_with("no NVRTC that can be used was found\n  `")
                && text.contains("libnvrtc.so.12`: "),
            "{text}"
        );
    }
}
