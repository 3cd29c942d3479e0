//! Where the headers of CUDA lie that belong to a library.

use super::places::{self, System, expand};
use std::path::{Path, PathBuf};

/// Wheels of CUDA 12 whose `include` folders kernels may need, each with headers of its own.
const WHEELS: [&str; 4] = ["cuda_runtime", "cuda_nvcc", "cuda_cccl", "cuda_crt"];

/// Which of a folder's files says that CUDA's headers are there.
const MARKS: [&str; 4] = [
    "cuda_runtime.h",
    "cuda_fp16.h",
    "crt/mma.h",
    "cooperative_groups.h",
];

/// The folders for `-I`: beside the library in its toolkit or wheel, else in any toolkit of the
/// same major version.
pub(super) fn beside(library: &Path, version: (u32, u32), system: &System) -> Vec<PathBuf> {
    // A link in a folder of libraries may lead into a toolkit.
    let real = library.canonicalize().ok();
    for path in [Some(library), real.as_deref()].into_iter().flatten() {
        for folder in path.ancestors().skip(1).take(4) {
            let found = within(folder);
            if !found.is_empty() {
                return found;
            }
        }
    }
    for (_, toolkits) in places::toolkits(system) {
        for toolkit in toolkits {
            let found = within(&toolkit);
            if found.iter().any(|folder| is_of(folder, version.0)) {
                return found;
            }
        }
    }
    Vec::new()
}

/// The include folders of a toolkit, or of the wheels in a folder `nvidia`.
fn within(folder: &Path) -> Vec<PathBuf> {
    let mut candidates = expand(folder, "include");
    candidates.extend(expand(folder, "include/cccl"));
    if folder.file_name().is_some_and(|name| name == "nvidia") {
        let wheels = WHEELS.iter();
        candidates.extend(wheels.flat_map(|name| expand(&folder.join(name), "include")));
    } else {
        candidates.extend(expand(folder, "targets/*/include"));
    }
    let has =
        |folder: &PathBuf, marks: &[&str]| marks.iter().any(|mark| folder.join(mark).exists());
    candidates.retain(|folder| has(folder, &MARKS) || has(folder, &["cuda/std", "cub"]));
    // A folder of C++ headers alone does not make a toolkit.
    if candidates.iter().any(|folder| has(folder, &MARKS)) {
        candidates
    } else {
        Vec::new()
    }
}

/// Whether the headers of a folder are of this major version.
fn is_of(folder: &Path, major: u32) -> bool {
    let text = std::fs::read(folder.join("cuda_runtime_api.h")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let version = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("#define CUDART_VERSION"));
    let version = version.and_then(|version| version.trim().parse::<u32>().ok());
    version.is_some_and(|version| version / 1000 == major)
}

/// Where the library lies that was loaded as `name`, as far as the system tells.
pub(super) fn loaded_path(name: &Path) -> PathBuf {
    if name.components().count() > 1 {
        return name.to_path_buf();
    }
    // Linux lists what is mapped into the process.
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    mapped(&maps).unwrap_or_else(|| name.to_path_buf())
}

fn mapped(maps: &str) -> Option<PathBuf> {
    maps.lines()
        .filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])))
        .find(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("libnvrtc.so"))
        })
        .map(Path::to_path_buf)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn found(files: &[&str], library: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "#define CUDART_VERSION  12090\n").unwrap();
        }
        let system = System {
            variable: |_| None,
            root: dir.path().to_path_buf(),
            by_name: false,
        };
        let folders = beside(&dir.path().join(library), (12, 9), &system);
        let root = dir.path();
        folders
            .iter()
            .map(|folder| folder.strip_prefix(root).unwrap().display().to_string())
            .collect()
    }

    #[test]
    fn of_wheels() {
        let twelve = [
            "s/nvidia/cuda_nvrtc/include/nvrtc.h",
            "s/nvidia/cuda_runtime/include/cuda_fp16.h",
            "s/nvidia/cuda_nvcc/include/crt/mma.h",
            "s/nvidia/cudnn/include/cudnn.h",
        ];
        assert_eq!(
            found(&twelve, "s/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"),
            [
                "s/nvidia/cuda_runtime/include",
                "s/nvidia/cuda_nvcc/include"
            ]
        );
        // Both in one environment: each version has its own.
        let both = [
            "s/nvidia/cuda_runtime/include/cuda_fp16.h",
            "s/nvidia/cu13/include/cuda_fp16.h",
            "s/nvidia/cu13/include/cccl/cuda/std/utility",
        ];
        assert_eq!(
            found(&both, "s/nvidia/cu13/lib/libnvrtc.so.13"),
            ["s/nvidia/cu13/include", "s/nvidia/cu13/include/cccl"]
        );
        assert_eq!(
            found(&both, "s/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"),
            ["s/nvidia/cuda_runtime/include"]
        );
    }

    #[test]
    fn of_toolkits() {
        assert_eq!(
            found(&["t/include/cuda_runtime.h"], "t/lib64/libnvrtc.so"),
            ["t/include"]
        );
        assert_eq!(
            found(
                &["c/targets/x86_64-linux/include/cuda_fp16.h"],
                "c/lib/libnvrtc.so"
            ),
            ["c/targets/x86_64-linux/include"]
        );
    }

    #[test]
    fn of_a_toolkit_elsewhere_only_in_the_same_major_version() {
        let files = [
            "usr/local/cuda-12.8/include/cuda_fp16.h",
            "usr/local/cuda-12.8/include/cuda_runtime_api.h",
        ];
        assert_eq!(
            found(&files, "x/libnvrtc.so.12"),
            ["usr/local/cuda-12.8/include"]
        );
        assert!(found(&files[..1], "x/libnvrtc.so.12").is_empty());
    }

    #[test]
    fn the_loaders_choice_is_read_from_the_map() {
        let maps = "7f0 r-xp 00 08:01 5 /usr/lib/libc.so.6\n\
                    7f1 r--p 00 08:01 6                  /opt/my cuda/libnvrtc.so.12.9.86\n";
        assert_eq!(
            mapped(maps),
            Some("/opt/my cuda/libnvrtc.so.12.9.86".into())
        );
        assert_eq!(mapped("7f0 r-xp 00 08:01 5 [heap]\n"), None);
    }
}
