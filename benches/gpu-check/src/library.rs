//! Where cuBLAS is: the loader alone does not look into the places where Python's wheels and toolkits put it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders for the loader's path, after which `libcublas.so` is found. Empty: the loader must find it by itself.
pub(crate) fn folders(scratch: &Path) -> Vec<PathBuf> {
    let Some(file) = candidates()
        .iter()
        .find_map(|folder| newest(folder, "libcublas.so"))
    else {
        return Vec::new();
    };
    // A name without a version, which wheels do not have.
    let links = scratch.join("lib");
    let linked = std::fs::create_dir_all(&links)
        .and_then(|()| std::os::unix::fs::symlink(&file, links.join("libcublas.so")));
    let own = file.parent().map(Path::to_path_buf);
    // It comes with the other one, and who does without it is told so.
    if let Some(lt) = own.as_deref().and_then(|own| newest(own, "libcublasLt.so")) {
        _ = std::os::unix::fs::symlink(lt, links.join("libcublasLt.so"));
    }
    match linked {
        Ok(()) => std::iter::once(links).chain(own).collect(),
        Err(_) => own.into_iter().collect(),
    }
}

fn candidates() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = bico_build::env::get("LD_LIBRARY_PATH")
        .map(|paths| std::env::split_paths(&paths).collect())
        .unwrap_or_default();
    folders.push("/usr/local/cuda/lib64".into());
    folders.extend(children(Path::new("/usr/local"), "cuda-").map(|cuda| cuda.join("lib64")));
    let paths = Command::new("python3")
        .args(["-c", "import sys; print('\\n'.join(sys.path))"])
        .output();
    let paths = paths.map(|out| String::from_utf8_lossy(&out.stdout).into_owned());
    for path in paths
        .unwrap_or_default()
        .lines()
        .filter(|path| !path.is_empty())
    {
        // NVIDIA's wheels of CUDA 12 and 13, and PyTorch's own copy.
        for inside in ["nvidia/cublas/lib", "nvidia/cu13/lib", "torch/lib"] {
            folders.push(Path::new(path).join(inside));
        }
    }
    folders.push("/usr/lib/x86_64-linux-gnu".into());
    folders
}

/// `libcublas.so.12` of a folder, of that name.
fn newest(folder: &Path, name: &str) -> Option<PathBuf> {
    children(folder, name).max()
}

fn children(folder: &Path, prefix: &str) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let prefix = prefix.to_string();
    entries
        .filter(move |entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["libcublasLt.so.13", "libcublas.so.12", "libcublas.so.13"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        for name in ["libcublas.so", "libcublasLt.so"] {
            let found = newest(folder.path(), name).unwrap();
            assert_eq!(found, folder.path().join(format!("{name}.13")));
        }
        assert_eq!(newest(&folder.path().join("none"), "libcublas.so"), None);
    }
}
