//! Sources and compilers at fault.

use crate::setup::{Setup, cubin, with};
use bico_build::compile::{GpuTarget, Options, Unit};
use bico_syntax::Language;
use std::path::Path;
use std::time::Duration;

pub(crate) fn errors_name_the_authors_file(setup: &Setup) {
    setup.write(
        "faulty.cu",
        "extern \"C\" __global__ void k(float *x) {\n    x[0] = unknown_a;\n    x[1] = unknown_b\n    x[2] = unknown_c;\n    x[3] = unknown_d;\n}\n",
    );
    let (summary, all) = setup.refused(&crate::setup::unit("faulty.cu", "k", GpuTarget::Cubin(80)));
    assert!(
        summary.starts_with("kernels/faulty.cu(2): error: identifier \"unknown_a\" is undefined\n"),
        "{summary}"
    );
    assert_eq!(summary.lines().count(), 3, "{summary}");
    assert!(all.contains("unknown_c"), "{all}");

    setup.write("broken.h", "int f( { return 1; }\n");
    setup.write(
        "includes.cu",
        "#include \"broken.h\"\nextern \"C\" __global__ void k() {}\n",
    );
    let (summary, _) = setup.refused(&crate::setup::unit("includes.cu", "k", GpuTarget::Ptx(80)));
    assert!(
        summary.starts_with("kernels/broken.h(1): error: "),
        "{summary}"
    );

    // A unit of several files: those before the last one are read first.
    let several = Unit {
        flags: vec!["-include".into(), "kernels/first/tile.cuh".into()],
        ..crate::setup::unit("last.cu", "k", GpuTarget::Ptx(80))
    };
    setup.write("first/beside.cuh", "#define LENGTH 3\n");
    setup.write(
        "first/tile.cuh",
        "#pragma once\n#include \"beside.cuh\"\n__device__ int tile() { return LENGTH; }\n",
    );
    setup.write(
        "last.cu",
        "extern \"C\" __global__ void k(int *x) { x[0] = tile(); }\n",
    );
    setup.kernel(&several);
    let (folder, service) = (setup.folder.path(), setup.service());
    let names = service.dependencies(&several).unwrap();
    let expected = ["last.cu", "first/tile.cuh", "first/beside.cuh"];
    assert_eq!(
        names,
        expected.map(|name| folder.join("kernels").join(name))
    );
    setup.write("first/beside.cuh", "#define LENGTH none\n");
    let (summary, _) = setup.refused(&several);
    let place = "kernels/first/tile.cuh(3): error: identifier \"none\" is undefined";
    assert!(summary.starts_with(place), "{summary}");

    setup.write("missing.cu", "#include \"nowhere.h\"\n");
    let (summary, _) = setup.refused(&crate::setup::unit("missing.cu", "k", GpuTarget::Ptx(80)));
    assert!(
        summary.starts_with("kernels/missing.cu(1): ") && summary.contains("nowhere.h"),
        "{summary}"
    );
    let (summary, _) = setup.refused(&crate::setup::unit("gone.cu", "k", GpuTarget::Ptx(80)));
    assert!(
        summary.starts_with("could not read `kernels/gone.cu`: "),
        "{summary}"
    );
}

pub(crate) fn an_unknown_kernel_is_named(setup: &Setup) {
    let (summary, _) = setup.refused(&with(cubin("plain"), &["nothing", "tilde<32>", "stack"]));
    assert!(
        summary.starts_with("the kernel `tilde<32>`: error: identifier \"tilde\" is undefined"),
        "{summary}"
    );
    let (summary, _) = setup.refused(&cubin("tilde<32, 16>"));
    assert!(
        summary.starts_with("the kernel `tilde<32, 16>`: error: identifier \"tilde\" is undefined"),
        "{summary}"
    );
    assert!(
        !summary.contains("__nv_name_map") && summary.lines().count() == 1,
        "{summary}"
    );
    let (summary, _) = setup.refused(&cubin("tiled<32>"));
    assert!(
        summary.starts_with("the kernel `tiled<32>`: error: "),
        "{summary}"
    );
    let (summary, _) = setup.refused(&cubin("a\nb"));
    assert_eq!(summary, "`a\\nb` cannot be the name of a kernel");
}

pub(crate) fn foreign_flags_are_refused(setup: &Setup) {
    let with = |flag: &str| Unit {
        flags: vec![flag.into()],
        ..cubin("plain")
    };
    let (summary, _) = setup.refused(&with("-march=native"));
    assert!(
        summary.contains("error: ") && summary.contains("march"),
        "{summary}"
    );
    setup.kernel(&with("--use_fast_math"));
    setup.kernel(&with("-std=c++20"));
    let limited = setup.kernel(&with("--maxrregcount=32")).entries[0]
        .resources
        .unwrap();
    assert!(limited.registers <= 32);
}

pub(crate) fn unknown_architectures_are_told(setup: &Setup) {
    for target in [GpuTarget::Cubin(47), GpuTarget::Ptx(999)] {
        let (summary, _) = setup.refused(&crate::setup::unit("kernels.cu", "plain", target));
        let (major, minor) = setup.version;
        let start = format!("NVRTC {major}.{minor} does not compile for compute capability ");
        assert!(
            summary.starts_with(&start) && summary.contains(" 80, "),
            "{summary}"
        );
    }
}

pub(crate) fn an_endless_compile_is_ended(setup: &Setup) {
    setup.write(
        "endless.cu",
        "template <int N> struct S { static constexpr int v = (S<N - 1>::v + S<N - 2>::v) & 1; };\n\
         constexpr int f() { int n = 0; for (long long i = 0; i < 1LL << 60; i++) n ^= 1; return n; }\n\
         extern \"C\" __global__ void k(int *x) { constexpr int y = f(); *x = y; }\n",
    );
    let unit = crate::setup::unit("endless.cu", "k", GpuTarget::Cubin(80));
    let options = Options {
        timeout: Duration::from_millis(1),
        ..setup.options()
    };
    let service = bico_build::compile::Service::new(options);
    let error = service.kernel(&unit).unwrap_err();
    assert_eq!(
        error.summary,
        "the compiler was stopped after 0.001 s: `compile_seconds` in [package.metadata.bico] says how long it may take"
    );
    // The next one is none the worse for it.
    setup.kernel(&cubin("plain"));
}

pub(crate) fn a_crash_costs_one_unit(setup: &Setup) {
    let program = |words: &str| {
        let path = setup.folder.path().join("program");
        std::fs::write(&path, format!("#!/bin/sh\n{words}\n")).unwrap();
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Options {
            program: Some(path),
            ..setup.options()
        }
    };
    let service = bico_build::compile::Service::new(program("kill -SEGV $$"));
    let error = service.kernel(&cubin("tiled<2, 2>")).unwrap_err();
    assert_eq!(error.summary, "the compiler was ended by a signal");
    let service = bico_build::compile::Service::new(program("exit 0"));
    let error = service.kernel(&cubin("tiled<2, 2>")).unwrap_err();
    assert!(
        error.summary.contains("call `bico_build::tune()` first"),
        "{error}"
    );
    setup.kernel(&cubin("tiled<2, 2>"));
}

pub(crate) fn a_named_compiler_is_the_only_one(setup: &Setup) {
    let error = |path: &Path| {
        let service = bico_build::compile::Service::new(Options {
            nvrtc: Some(path.to_path_buf()),
            ..setup.options()
        });
        let error = service.kernel(&cubin("plain")).unwrap_err().summary;
        assert_eq!(service.compiler(Language::Cuda).unwrap_err().summary, error);
        error
    };
    let gone = error(Path::new("/nowhere/libnvrtc.so.12"));
    assert!(
        gone.starts_with("NVRTC was not found: `/nowhere/libnvrtc.so.12` does not exist")
            && gone.contains("pip install nvidia-cuda-nvrtc-cu12"),
        "{gone}"
    );
    let folder = setup.folder.path().join("own");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("libnvrtc.so"), "no library").unwrap();
    let broken = error(&folder);
    assert!(
        broken.starts_with("NVRTC could not be loaded: `") && broken.contains("own/libnvrtc.so`: "),
        "{broken}"
    );
    std::fs::write(folder.join("nvcc"), "no program").unwrap();
    let broken = error(&folder.join("nvcc"));
    assert!(
        broken.contains("which BICO_NVRTC names, is no nvcc"),
        "{broken}"
    );
}
