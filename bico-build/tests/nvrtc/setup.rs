//! A package in a temporary folder, and services that compile its kernels.

use bico_build::compile::{GpuKernel, GpuTarget, GpuUnit, Options, Service, Unit};
use bico_device::nvrtc::Nvrtc;
use bico_syntax::Language;
use std::path::{Path, PathBuf};

/// The kernels of these tests, in a package of their own.
pub(crate) struct Setup {
    pub(crate) folder: tempfile::TempDir,
    /// What the compiler knows.
    pub(crate) architectures: Vec<u16>,
    pub(crate) version: (u32, u32),
    pub(crate) headers: Vec<PathBuf>,
    /// The library.
    pub(crate) library: PathBuf,
}

impl Setup {
    /// `None`, said loudly, where there is no NVRTC.
    pub(crate) fn new() -> Option<Setup> {
        let nvrtc = match Nvrtc::find(None) {
            Ok(nvrtc) => nvrtc,
            // Who names one wants these tests to run.
            Err(missing) if bico_build::env::get("BICO_NVRTC").is_some() => panic!("{missing}"),
            Err(missing) => {
                println!("SKIPPED: no NVRTC\n{missing}");
                return None;
            }
        };
        println!(
            "NVRTC {:?} at {}, headers {:?}",
            nvrtc.version(),
            nvrtc.path().display(),
            nvrtc.headers()
        );
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nvrtc");
        let setup = Setup {
            folder: tempfile::tempdir().unwrap(),
            architectures: nvrtc.architectures().to_vec(),
            version: nvrtc.version(),
            headers: nvrtc.headers(),
            library: nvrtc.path().to_path_buf(),
        };
        for name in ["kernels.cu", "shapes/pair.h", "shapes/scale.h"] {
            setup.write(name, &std::fs::read_to_string(here.join(name)).unwrap());
        }
        Some(setup)
    }

    /// Writes a file beside the kernels.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join("kernels").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            cache: self.folder.path().join("objects"),
            root: self.folder.path().to_path_buf(),
            threads: 2,
            target: "x86_64-unknown-linux-gnu".into(),
            host: "x86_64-unknown-linux-gnu".into(),
            timeout: Options::TIMEOUT,
            nvrtc: None,
            program: None,
        }
    }

    /// A service that has compiled nothing yet; what was kept remains.
    pub(crate) fn service(&self) -> Service {
        Service::new(self.options())
    }

    pub(crate) fn kernel(&self, unit: &Unit) -> GpuKernel {
        self.service().kernel(unit).unwrap_or_else(|error| {
            panic!("{unit:?}: {error}\n{}", error.stderr);
        })
    }

    /// The summary and all that the compiler said.
    pub(crate) fn refused(&self, unit: &Unit) -> (String, String) {
        let error = self.service().kernel(unit).unwrap_err();
        (error.summary, error.stderr)
    }
}

/// A kernel of `kernels.cu` for `sm_80`.
pub(crate) fn cubin(expression: &str) -> Unit {
    unit("kernels.cu", expression, GpuTarget::Cubin(80))
}

/// A kernel of `kernels.cu` for `compute_80`.
pub(crate) fn ptx(expression: &str) -> Unit {
    unit("kernels.cu", expression, GpuTarget::Ptx(80))
}

/// The same unit with these kernels behind its own.
pub(crate) fn with(mut unit: Unit, more: &[&str]) -> Unit {
    let gpu = unit.gpu.as_mut().unwrap();
    let more = more.iter().map(ToString::to_string);
    gpu.expressions.extend(more);
    unit
}

/// A kernel of any file in the folder of kernels.
pub(crate) fn unit(file: &str, expression: &str, target: GpuTarget) -> Unit {
    Unit {
        source: Path::new("kernels").join(file),
        language: Language::Cuda,
        defines: Vec::new(),
        flags: Vec::new(),
        gpu: Some(GpuUnit {
            target,
            expressions: vec![expression.to_string()],
            nvcc: false,
        }),
    }
}
