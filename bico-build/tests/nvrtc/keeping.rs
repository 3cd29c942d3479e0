//! What is kept, many units at once, and the other compiler.

use crate::setup::{Setup, cubin, ptx};
use bico_build::compile::{GpuTarget, Options, Unit};
use bico_syntax::Language;
use std::path::Path;

fn written(path: &Path) -> std::time::SystemTime {
    std::fs::metadata(path).unwrap().modified().unwrap()
}

pub(crate) fn what_is_kept_is_not_compiled_again(setup: &Setup) {
    let unit = cubin("tiled<64, 4>");
    let first = setup.kernel(&unit);
    let before = written(&first.path);
    let service = setup.service();
    assert_eq!(service.kernel(&unit).unwrap(), first);
    assert_eq!(service.object(&unit).unwrap(), first.path);
    assert_eq!(written(&first.path), before);
    let (major, minor) = setup.version;
    assert_eq!(
        service.compiler(Language::Cuda).unwrap(),
        format!("NVRTC {major}.{minor}")
    );
    // Each of the two files alone is not enough.
    std::fs::remove_file(first.path.with_extension("json")).unwrap();
    assert_eq!(setup.kernel(&unit), first);
    std::fs::write(first.path.with_extension("json"), "{}").unwrap();
    assert_eq!(setup.kernel(&unit), first);
    let left: Vec<_> = std::fs::read_dir(setup.options().cache)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

pub(crate) fn a_changed_header_counts(setup: &Setup) {
    setup.write("user.cu", "#include <size.h>\nextern \"C\" __global__ void k(int *x) { __shared__ int t[SIZE]; t[x[0]] = 1; __syncthreads(); x[1] = t[x[2]]; }\n");
    let unit = crate::setup::unit("user.cu", "k", GpuTarget::Cubin(80));
    let shared = |size: u32| {
        setup.write("size.h", &format!("#define SIZE {size}\n"));
        setup.kernel(&unit).entries[0]
            .resources
            .unwrap()
            .shared_bytes
    };
    assert_eq!([shared(8), shared(16), shared(8)], [32, 64, 32]);
}

pub(crate) fn many_at_once(setup: &Setup) {
    let service = bico_build::compile::Service::new(Options {
        threads: 8,
        ..setup.options()
    });
    let units: Vec<Unit> = (1..=16).map(|n| cubin(&format!("tiled<{n}, 4>"))).collect();
    service.announce(units.clone());
    std::thread::scope(|scope| {
        for half in units.chunks(2) {
            let service = &service;
            scope.spawn(move || {
                for unit in half {
                    service.kernel(unit).unwrap();
                }
            });
        }
    });
    for (n, unit) in (1..).zip(&units) {
        assert_eq!(
            service.kernel(unit).unwrap().entries[0]
                .resources
                .unwrap()
                .shared_bytes,
            16 * n
        );
    }
}

pub(crate) fn nvcc_does_the_same(setup: &Setup) {
    let path = bico_build::env::get("PATH").unwrap_or_default();
    let Some(nvcc) = std::env::split_paths(&path)
        .map(|folder| folder.join("nvcc"))
        .find(|file| file.is_file())
    else {
        println!("SKIPPED: no nvcc in PATH");
        return;
    };
    let service = bico_build::compile::Service::new(Options {
        nvrtc: Some(nvcc),
        ..setup.options()
    });
    let compiler = service.compiler(Language::Cuda).unwrap();
    assert!(compiler.starts_with("nvcc 1"), "{compiler}");
    for expression in ["tiled<32, 16>", "inner::copy<double>", "plain", "crowded"] {
        for unit in [cubin(expression), ptx(expression)] {
            let (ours, other) = (service.kernel(&unit).unwrap(), setup.kernel(&unit));
            assert_eq!(
                (&ours.entries[0].name, &ours.entries[0].parameters),
                (&other.entries[0].name, &other.entries[0].parameters)
            );
            assert_ne!(ours.path, other.path);
            let mut asked = unit.clone();
            if let Some(gpu) = &mut asked.gpu {
                gpu.nvcc = true;
            }
            let asked = std::fs::read(setup.kernel(&asked).path).unwrap();
            assert!(asked == std::fs::read(&ours.path).unwrap(), "{expression}");
            if let (Some(ours), Some(other)) =
                (ours.entries[0].resources, other.entries[0].resources)
            {
                assert_eq!(ours.shared_bytes, other.shared_bytes);
                assert_eq!(ours.spill_bytes > 0, other.spill_bytes > 0, "{expression}");
            }
            let code = std::fs::read(&ours.path).unwrap();
            let mark = b"bico_entry";
            assert!(!code.windows(mark.len()).any(|bytes| bytes == mark));
        }
    }
    let summary = |unit: &Unit| service.kernel(unit).unwrap_err().summary;
    assert_eq!(
        summary(&cubin("tilde<32, 16>")),
        "the kernel `tilde<32, 16>`: error: identifier \"tilde\" is undefined"
    );
    setup.write(
        "bad.cu",
        "extern \"C\" __global__ void k(float *x) { x[0] = unknown_a; }\n",
    );
    let error = summary(&crate::setup::unit("bad.cu", "k", GpuTarget::Ptx(80)));
    assert_eq!(
        error,
        "kernels/bad.cu(1): error: identifier \"unknown_a\" is undefined"
    );
    let refused = summary(&Unit {
        flags: vec!["-march=native".into()],
        ..cubin("plain")
    });
    assert!(refused.contains("-march=native"), "{refused}");
    let unsupported = summary(&crate::setup::unit(
        "kernels.cu",
        "plain",
        GpuTarget::Cubin(37),
    ));
    assert!(
        unsupported.starts_with("nvcc ") && unsupported.contains("sm_37"),
        "{unsupported}"
    );
}
