//! A candidate from its source: NVRTC compiles it on this machine, where no image of it loads.

use crate::data::{GpuCode, Source};
use bico_core::device::ACCELERATED;
use bico_device::nvrtc::{Nvrtc, Program};
use bico_device::standard_headers;
use bico_host::said;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a standard library's headers lie among the source's files.
const STANDARD: &str = ".standard";

/// Compiles for a GPU of this compute capability: code, and the kernels' names in it.
pub(super) fn compile(
    code: &GpuCode,
    source: &Source,
    capability: i64,
) -> Result<(Vec<u8>, Vec<String>), String> {
    static NVRTC: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
    let nvrtc = NVRTC.get_or_init(|| Nvrtc::find(None).map_err(|missing| missing.to_string()));
    let nvrtc = nvrtc.as_ref().map_err(Clone::clone)?;
    let target = target(nvrtc.architectures(), capability, code.exact).ok_or_else(|| {
        let path = nvrtc.path().display();
        match code.exact {
            true => format!("{path} does not know sm_{capability}"),
            false => format!("{path} is too new for sm_{capability}"),
        }
    })?;
    let folder = Folder::new()
        .and_then(|folder| folder.fill(source).map(|()| folder))
        .map_err(|error| format!("the source cannot be written to a temporary folder: {error}"))?;
    let mut headers = nvrtc.headers();
    headers.push(folder.path.join(STANDARD));
    let text = source.files.first().map_or("", |(_, text)| text);
    let compiled = nvrtc.compile(&Program {
        source: text,
        name: &folder.path.join(source.path).display().to_string(),
        options: &options(code, source, &folder.path, &target, &headers),
        expressions: code.expressions,
    });
    // The author knows the file by its path in the package.
    let here = format!("{}{}", folder.path.display(), std::path::MAIN_SEPARATOR);
    let compiled = compiled.map_err(|log| said::errors(&log.replace(&here, "")))?;
    let bytes = compiled.cubin.or(compiled.ptx);
    Ok((bytes.ok_or("NVRTC gave no code")?, compiled.entries))
}

/// Machine code where NVRTC knows the GPU, else PTX of the newest kind that the GPU runs; of `exact` code there is none for
/// others.
fn target(known: &[u16], capability: i64, exact: bool) -> Option<String> {
    let mut older = known.iter().filter(|&&of| i64::from(of) <= capability);
    let newest = older.next_back()?;
    Some(match i64::from(*newest) == capability {
        true if exact && *newest >= ACCELERATED => format!("sm_{newest}a"),
        true => format!("sm_{newest}"),
        false if exact => return None,
        false => format!("compute_{newest}"),
    })
}

/// The options of the build, with the package's folders where they lie here.
fn options(
    code: &GpuCode,
    source: &Source,
    root: &Path,
    target: &str,
    headers: &[PathBuf],
) -> Vec<String> {
    let here = |folder: &str| root.join(folder).display().to_string();
    let mut options = vec![
        format!("--gpu-architecture={target}"),
        "--device-as-default-execution-space".to_string(),
    ];
    let mut value_follows = false;
    for &option in code.options {
        let mut names = ["-I", "--include-path=", "-isystem="].into_iter();
        let attached = names.find_map(|name| Some((name, option.strip_prefix(name)?)));
        // A file by its path in the package; another is looked for in folders.
        let carried = source.files.iter().any(|(path, _)| *path == option);
        options.push(match attached {
            _ if value_follows || carried => here(option),
            Some((name, folder)) if !folder.is_empty() => format!("{name}{}", here(folder)),
            _ => option.to_string(),
        });
        value_follows = !value_follows && ["-I", "--include-path", "-isystem"].contains(&option);
    }
    let own = Path::new(source.path).parent().unwrap_or(Path::new(""));
    for folder in [&root.join(own)].into_iter().chain(headers) {
        options.push(format!("-I{}", folder.display()));
    }
    options
}

/// A folder that is removed with its content.
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new() -> io::Result<Folder> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("bico-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            // Only a folder that was not there is ours: neither a link nor another's.
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Folder { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes the source, and the headers that NVRTC lacks.
    fn fill(&self, source: &Source) -> io::Result<()> {
        for (path, text) in source.files {
            self.write(Path::new(path), text)?;
        }
        let standard = Path::new(STANDARD);
        standard_headers().try_for_each(|(name, text)| self.write(&standard.join(name), &text))
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        let path = self.path.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What stays is in the system's own folder for such things.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: Source = Source {
        path: "kernels/a.cu",
        files: &[
            ("kernels/a.cu", "#include \"tile/b.h\""),
            ("kernels/tile/b.h", "// b"),
        ],
    };

    #[test]
    fn machine_code_where_it_can_be() {
        let known = [75, 80, 90];
        let plain = |of| target(&known, of, false);
        assert_eq!(plain(80).as_deref(), Some("sm_80"));
        assert_eq!(plain(89).as_deref(), Some("compute_80"));
        assert_eq!(plain(120).as_deref(), Some("compute_90"));
        assert_eq!(plain(70), None);
        let exact = |of| target(&known, of, true);
        assert_eq!(exact(80).as_deref(), Some("sm_80"));
        assert_eq!(exact(90).as_deref(), Some("sm_90a"));
        assert_eq!([exact(89), exact(120)], [None, None]);
    }

    #[test]
    fn folders_of_the_package_are_found_again() {
        let code = GpuCode {
            exact: false,
            source: 0,
            expressions: &["a"],
            options: &[
                "-DN=1",
                "-Iinclude",
                "-I",
                "more",
                "-O3",
                "--include-path=/abs",
                "-include",
                "kernels/tile/b.h",
                "-include",
                "b.h",
            ],
            images: &[],
        };
        let headers = [PathBuf::from("/cuda/include")];
        let all = options(&code, &SOURCE, Path::new("/t"), "sm_80", &headers);
        assert_eq!(
            all,
            [
                "--gpu-architecture=sm_80",
                "--device-as-default-execution-space",
                "-DN=1",
                "-I/t/include",
                "-I",
                "/t/more",
                "-O3",
                "--include-path=/abs",
                "-include",
                "/t/kernels/tile/b.h",
                "-include",
                "b.h",
                "-I/t/kernels",
                "-I/cuda/include",
            ]
        );
    }

    #[test]
    fn a_folder_lives_as_long_as_its_owner() {
        let folder = Folder::new().unwrap();
        folder.fill(&SOURCE).unwrap();
        let (path, other) = (folder.path.clone(), Folder::new().unwrap());
        assert_ne!(path, other.path);
        let text = std::fs::read_to_string(path.join("kernels/tile/b.h")).unwrap();
        assert_eq!(text, "// b");
        drop(folder);
        assert!(!path.exists());
    }
}
