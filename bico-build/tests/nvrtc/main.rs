//! Kernels through the real NVRTC, without a GPU. Where there is none, this says so and tests nothing.
//!
//! This program is its own compiling process, hence the `main`.

mod hang;
mod setup;

use bico_build::compile::{GpuTarget, Options, Unit};
use bico_syntax::Language;
use setup::{Setup, cubin, ptx};
use std::path::Path;
use std::time::Duration;

type Test = fn(&Setup);

fn main() {
    bico_build::compile::run_if_compiler();
    if let Some(folder) = std::env::args()
        .nth(1)
        .and_then(|word| word.strip_prefix(hang::ARGUMENT).map(String::from))
    {
        hang::compile(Path::new(&folder));
    }
    let tests: &[(&str, Test)] = &[
        ("templates_and_plain_names", templates_and_plain_names),
        ("every_architecture", every_architecture),
        ("parameters_have_their_sizes", parameters_have_their_sizes),
        ("resources_are_read", resources_are_read),
        ("definitions_select_code", definitions_select_code),
        ("headers_are_found", headers_are_found),
        ("errors_name_the_authors_file", errors_name_the_authors_file),
        ("an_unknown_kernel_is_named", an_unknown_kernel_is_named),
        ("foreign_flags_are_refused", foreign_flags_are_refused),
        (
            "unknown_architectures_are_told",
            unknown_architectures_are_told,
        ),
        (
            "what_is_kept_is_not_compiled_again",
            what_is_kept_is_not_compiled_again,
        ),
        ("a_changed_header_counts", a_changed_header_counts),
        ("an_endless_compile_is_ended", an_endless_compile_is_ended),
        ("a_hanging_compiler_is_ended", hang::is_ended),
        (
            "a_hanging_compiler_ends_with_the_build",
            hang::ends_with_the_build,
        ),
        ("a_crash_costs_one_unit", a_crash_costs_one_unit),
        ("odd_names_and_values", odd_names_and_values),
        (
            "a_named_compiler_is_the_only_one",
            a_named_compiler_is_the_only_one,
        ),
        ("many_at_once", many_at_once),
        ("nvcc_does_the_same", nvcc_does_the_same),
    ];
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--list") {
        tests.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(*word));
    if !tests.iter().any(|(name, _)| wanted(name)) {
        return;
    }
    let Some(setup) = Setup::new() else {
        return;
    };
    for (name, test) in tests.iter().filter(|(name, _)| wanted(name)) {
        println!("test {name} ...");
        test(&setup);
    }
    println!("test result: ok");
}

fn templates_and_plain_names(setup: &Setup) {
    for (expression, entry) in [
        ("tiled<32, 16>", "_Z5tiledILi32ELi16EEvPfPKfih4Pairx"),
        ("tiled<16, 2 * 8>", "_Z5tiledILi16ELi16EEvPfPKfih4Pairx"),
        ("inner::copy<double>", "_ZN5inner4copyIdEEvPT_PKS1_j"),
        ("plain", "plain"),
    ] {
        let kernel = setup.kernel(&cubin(expression));
        assert_eq!(kernel.entry, entry);
        let code = std::fs::read(&kernel.path).unwrap();
        assert!(code.starts_with(b"\x7fELF") && kernel.path.extension().unwrap() == "cubin");

        let kernel = setup.kernel(&ptx(expression));
        assert_eq!((kernel.entry.as_str(), kernel.resources), (entry, None));
        let code = std::fs::read_to_string(&kernel.path).unwrap();
        assert!(code.contains(".target sm_80") && code.contains(&format!(".entry {entry}")));
        assert!(!code.ends_with('\0'));
    }
}

fn every_architecture(setup: &Setup) {
    let units: Vec<Unit> = (setup.architectures.iter())
        .flat_map(|capability| {
            [GpuTarget::Cubin(*capability), GpuTarget::Ptx(*capability)]
                .map(|target| setup::unit("kernels.cu", "tiled<32, 16>", target))
        })
        .collect();
    let service = setup.service();
    service.announce(units.clone());
    for unit in units {
        let kernel = service.kernel(&unit).unwrap();
        assert_eq!(
            kernel.parameters.as_deref(),
            Some(&[8, 8, 4, 1, 16, 8][..]),
            "{unit:?}"
        );
        if let Some(resources) = kernel.resources {
            assert_eq!(resources.shared_bytes, 32 * 16 * 4, "{unit:?}");
            assert!(
                (8..64).contains(&resources.registers),
                "{unit:?}: {resources:?}"
            );
            assert_eq!(
                (resources.local_bytes, resources.spill_bytes),
                (0, 0),
                "{unit:?}"
            );
        }
    }
}

fn parameters_have_their_sizes(setup: &Setup) {
    for (expression, sizes) in [
        ("nothing", &[][..]),
        ("plain", &[8]),
        ("stack", &[8, 8, 4]),
        ("tiled<8, 8>", &[8, 8, 4, 1, 16, 8]),
    ] {
        for unit in [cubin(expression), ptx(expression)] {
            assert_eq!(
                setup.kernel(&unit).parameters.as_deref(),
                Some(sizes),
                "{unit:?}"
            );
        }
    }
    // More than 4 KiB are allowed from compute capability 7.0 on.
    setup.write(
        "large.cu",
        "struct Large { int a[5000]; };\nextern \"C\" __global__ void k(const __grid_constant__ Large b, int *x, char c) { *x = b.a[*x] + c; }\n",
    );
    for target in [GpuTarget::Cubin(80), GpuTarget::Ptx(80)] {
        let kernel = setup.kernel(&setup::unit("large.cu", "k", target));
        assert_eq!(kernel.parameters, Some(vec![20_000, 8, 1]), "{target:?}");
    }
}

fn resources_are_read(setup: &Setup) {
    for capability in [75, 80, 90, 120] {
        if !setup.architectures.contains(&capability) {
            continue;
        }
        let of = |expression| {
            let unit = setup::unit("kernels.cu", expression, GpuTarget::Cubin(capability));
            setup.kernel(&unit).resources.unwrap()
        };
        let stack = of("stack");
        assert_eq!(
            (stack.local_bytes, stack.spill_bytes, stack.shared_bytes),
            (256, 0, 0)
        );
        // Dynamic shared memory is the launch's, not the code's.
        assert_eq!(of("plain").shared_bytes, 0);
        let crowded = of("crowded");
        assert!(
            crowded.registers <= 64 && crowded.registers > 32,
            "{crowded:?}"
        );
        assert!(crowded.spill_bytes > 0, "{crowded:?}");
        assert!(crowded.local_bytes > 0, "{crowded:?}");
        let threads = |expression| {
            let unit = setup::unit("kernels.cu", expression, GpuTarget::Cubin(capability));
            setup.kernel(&unit).max_threads
        };
        assert_eq!([threads("crowded"), threads("plain")], [Some(1024), None]);
    }
}

fn definitions_select_code(setup: &Setup) {
    setup.write(
        "defined.cu",
        "extern \"C\" __global__ void k(TYPE *x) { __shared__ TYPE t[SIZE]; t[x[0] > 0] = 1; __syncthreads(); x[1] = t[SIZE - 1]; }\n",
    );
    let of = |ty: &str, size: &str| {
        let unit = Unit {
            defines: vec![("TYPE".into(), ty.into()), ("SIZE".into(), size.into())],
            ..setup::unit("defined.cu", "k", GpuTarget::Cubin(80))
        };
        setup.kernel(&unit).resources.unwrap().shared_bytes
    };
    assert_eq!(
        [
            of("float", "100"),
            of("double", "100"),
            of("unsigned char", "2")
        ],
        [400, 800, 2]
    );
}

fn headers_are_found(setup: &Setup) {
    let dependencies = setup.service().dependencies(&cubin("plain")).unwrap();
    let expected = ["kernels.cu", "shapes/pair.h", "shapes/scale.h"]
        .map(|name| setup.folder.path().join("kernels").join(name));
    assert_eq!(dependencies, expected);
    // From the folder of an including file, from that of the kernel, and from those of flags.
    setup.write(
        "deep/a.h",
        "#include \"../b.h\"\n#include <deep/c.h>\n#include FOURTH\n",
    );
    setup.write("b.h", "#define B 1\n");
    setup.write("deep/c.h", "#define C 2\n");
    setup.write("../include/d.h", "#define D 3\n");
    setup.write(
        "included.cu",
        "#include \"deep/a.h\"\nextern \"C\" __global__ void k(int *x) { x[B + C] = D; }\n",
    );
    let unit = Unit {
        defines: vec![("FOURTH".into(), "<d.h>".into())],
        flags: vec!["-I".into(), "include".into()],
        ..setup::unit("included.cu", "k", GpuTarget::Ptx(80))
    };
    let service = setup.service();
    let names: Vec<_> = service.dependencies(&unit).unwrap();
    assert_eq!(names.len(), 5, "{names:?}");
    service.kernel(&unit).unwrap();

    if setup.headers.is_empty() {
        println!("SKIPPED: no headers of CUDA beside NVRTC");
        return;
    }
    setup.write(
        "half.cu",
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\nextern \"C\" __global__ void k(__half *x, __half y) { *x = __hadd(*x, y); }\n",
    );
    for target in [GpuTarget::Cubin(80), GpuTarget::Ptx(80)] {
        let kernel = setup.kernel(&setup::unit("half.cu", "k", target));
        assert_eq!(kernel.parameters, Some(vec![8, 2]));
    }

    if !setup
        .headers
        .iter()
        .any(|folder| folder.join("crt/mma.h").is_file())
    {
        println!("SKIPPED: no headers of nvcc beside NVRTC");
        return;
    }
    setup.write(
        "tensor.cu",
        "#include <mma.h>\nusing namespace nvcuda;\ntemplate <int M> __global__ void k(__half *a, float *c) {\n\
         wmma::fragment<wmma::matrix_a, M, 16, 16, __half, wmma::row_major> x;\n\
         wmma::fragment<wmma::matrix_b, M, 16, 16, __half, wmma::row_major> y;\n\
         wmma::fragment<wmma::accumulator, M, 16, 16, float> z;\n\
         wmma::fill_fragment(z, 0); wmma::load_matrix_sync(x, a, 16); wmma::load_matrix_sync(y, a, 16);\n\
         wmma::mma_sync(z, x, y, z); wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major); }\n",
    );
    setup.kernel(&setup::unit("tensor.cu", "k<16>", GpuTarget::Cubin(80)));
}

fn errors_name_the_authors_file(setup: &Setup) {
    setup.write(
        "faulty.cu",
        "extern \"C\" __global__ void k(float *x) {\n    x[0] = unknown_a;\n    x[1] = unknown_b\n    x[2] = unknown_c;\n    x[3] = unknown_d;\n}\n",
    );
    let (summary, all) = setup.refused(&setup::unit("faulty.cu", "k", GpuTarget::Cubin(80)));
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
    let (summary, _) = setup.refused(&setup::unit("includes.cu", "k", GpuTarget::Ptx(80)));
    assert!(
        summary.starts_with("kernels/broken.h(1): error: "),
        "{summary}"
    );

    setup.write("missing.cu", "#include \"nowhere.h\"\n");
    let (summary, _) = setup.refused(&setup::unit("missing.cu", "k", GpuTarget::Ptx(80)));
    assert!(
        summary.starts_with("kernels/missing.cu(1): ") && summary.contains("nowhere.h"),
        "{summary}"
    );
    let (summary, _) = setup.refused(&setup::unit("gone.cu", "k", GpuTarget::Ptx(80)));
    assert!(
        summary.starts_with("could not read `kernels/gone.cu`: "),
        "{summary}"
    );
}

fn an_unknown_kernel_is_named(setup: &Setup) {
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

fn foreign_flags_are_refused(setup: &Setup) {
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
    let limited = setup.kernel(&with("--maxrregcount=32")).resources.unwrap();
    assert!(limited.registers <= 32);
}

fn unknown_architectures_are_told(setup: &Setup) {
    for target in [GpuTarget::Cubin(47), GpuTarget::Ptx(999)] {
        let (summary, _) = setup.refused(&setup::unit("kernels.cu", "plain", target));
        let (major, minor) = setup.version;
        let start = format!("NVRTC {major}.{minor} does not compile for compute capability ");
        assert!(
            summary.starts_with(&start) && summary.contains(" 80, "),
            "{summary}"
        );
    }
}

fn written(path: &Path) -> std::time::SystemTime {
    std::fs::metadata(path).unwrap().modified().unwrap()
}

fn what_is_kept_is_not_compiled_again(setup: &Setup) {
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

fn a_changed_header_counts(setup: &Setup) {
    setup.write("user.cu", "#include <size.h>\nextern \"C\" __global__ void k(int *x) { __shared__ int t[SIZE]; t[x[0]] = 1; __syncthreads(); x[1] = t[x[2]]; }\n");
    let unit = setup::unit("user.cu", "k", GpuTarget::Cubin(80));
    let shared = |size: u32| {
        setup.write("size.h", &format!("#define SIZE {size}\n"));
        setup.kernel(&unit).resources.unwrap().shared_bytes
    };
    assert_eq!([shared(8), shared(16), shared(8)], [32, 64, 32]);
}

fn an_endless_compile_is_ended(setup: &Setup) {
    setup.write(
        "endless.cu",
        "template <int N> struct S { static constexpr int v = (S<N - 1>::v + S<N - 2>::v) & 1; };\n\
         constexpr int f() { int n = 0; for (long long i = 0; i < 1LL << 60; i++) n ^= 1; return n; }\n\
         extern \"C\" __global__ void k(int *x) { constexpr int y = f(); *x = y; }\n",
    );
    let unit = setup::unit("endless.cu", "k", GpuTarget::Cubin(80));
    let options = Options {
        timeout: Duration::from_millis(1),
        ..setup.options()
    };
    let service = bico_build::compile::Service::new(options);
    let error = service.kernel(&unit).unwrap_err();
    assert_eq!(error.summary, "the compiler was stopped after 0.001 s");
    // The next one is none the worse for it.
    setup.kernel(&cubin("plain"));
}

fn a_crash_costs_one_unit(setup: &Setup) {
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

fn many_at_once(setup: &Setup) {
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
            service
                .kernel(unit)
                .unwrap()
                .resources
                .unwrap()
                .shared_bytes,
            16 * n
        );
    }
}

fn nvcc_does_the_same(setup: &Setup) {
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
                (&ours.entry, &ours.parameters),
                (&other.entry, &other.parameters)
            );
            assert_ne!(ours.path, other.path);
            if let (Some(ours), Some(other)) = (ours.resources, other.resources) {
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
    let error = summary(&setup::unit("bad.cu", "k", GpuTarget::Ptx(80)));
    assert_eq!(
        error,
        "kernels/bad.cu(1): error: identifier \"unknown_a\" is undefined"
    );
    let refused = summary(&Unit {
        flags: vec!["-march=native".into()],
        ..cubin("plain")
    });
    assert!(refused.contains("-march=native"), "{refused}");
    let unsupported = summary(&setup::unit("kernels.cu", "plain", GpuTarget::Cubin(37)));
    assert!(
        unsupported.starts_with("nvcc ") && unsupported.contains("sm_37"),
        "{unsupported}"
    );
}

fn odd_names_and_values(setup: &Setup) {
    setup.write("with space/h ash.h", "#define LENGTH 3\n");
    setup.write(
        "with space/my kernel.cu",
        "#include <h ash.h>\nextern \"C\" __global__ void k(char *x) {\n\
         const char text[] = TEXT; static_assert(sizeof(text) == LENGTH + 1, \"\");\n\
         __shared__ CELL t[sizeof(text)]; t[x[0]] = text[x[1]]; __syncthreads(); x[2] = t[x[3]]; }\n",
    );
    let unit = Unit {
        defines: vec![
            ("TEXT".into(), "\"a $\"".into()),
            ("CELL".into(), "unsigned short".into()),
        ],
        ..setup::unit("with space/my kernel.cu", "k", GpuTarget::Cubin(80))
    };
    assert_eq!(setup.kernel(&unit).resources.unwrap().shared_bytes, 8);
    let refused = Unit {
        defines: vec![("T".into(), "a\nb".into())],
        ..unit
    };
    let (summary, _) = setup.refused(&refused);
    assert_eq!(
        summary,
        "the value of T holds a control character: \"a\\nb\""
    );
}

fn a_named_compiler_is_the_only_one(setup: &Setup) {
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
