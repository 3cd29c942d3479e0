//! What comes out of a compiler.

use crate::setup::{Setup, cubin, ptx, with};
use bico_build::compile::{GpuTarget, Unit, reach};

pub(crate) fn templates_and_plain_names(setup: &Setup) {
    for (expression, entry) in [
        ("tiled<32, 16>", "_Z5tiledILi32ELi16EEvPfPKfih4Pairx"),
        ("tiled<16, 2 * 8>", "_Z5tiledILi16ELi16EEvPfPKfih4Pairx"),
        ("inner::copy<double>", "_ZN5inner4copyIdEEvPT_PKS1_j"),
        ("plain", "plain"),
    ] {
        let kernel = setup.kernel(&cubin(expression));
        assert_eq!(kernel.entries[0].name, entry);
        let code = std::fs::read(&kernel.path).unwrap();
        assert!(code.starts_with(b"\x7fELF") && kernel.path.extension().unwrap() == "cubin");

        let kernel = setup.kernel(&ptx(expression));
        assert_eq!(
            (kernel.entries[0].name.as_str(), kernel.entries[0].resources),
            (entry, None)
        );
        let code = std::fs::read_to_string(&kernel.path).unwrap();
        assert!(code.contains(".target sm_80") && code.contains(&format!(".entry {entry}")));
        assert!(!code.ends_with('\0'));
    }
}

/// The passes of a call are one unit, one of them perhaps twice; each has its own numbers.
pub(crate) fn several_kernels_are_one_unit(setup: &Setup) {
    for first in [cubin("tiled<32, 16>"), ptx("tiled<32, 16>")] {
        let both = setup.kernel(&with(first.clone(), &["crowded", "tiled<32, 16>"]));
        let [one, other, again] = both.entries.as_slice() else {
            panic!("{both:?}");
        };
        assert_eq!(*one, setup.kernel(&first).entries[0]);
        assert_eq!(one, again);
        assert_eq!(other.name, "crowded");
        assert_eq!(other.parameters, Some(vec![8, 8]));
        if let Some(resources) = other.resources {
            assert!(resources.spill_bytes > 0, "{resources:?}");
            assert_eq!(other.max_threads, Some(1024));
        }
    }
}

pub(crate) fn every_architecture(setup: &Setup) {
    let units: Vec<Unit> = (setup.architectures.iter())
        .flat_map(|capability| {
            [GpuTarget::Cubin(*capability), GpuTarget::Ptx(*capability)]
                .map(|target| crate::setup::unit("kernels.cu", "tiled<32, 16>", target))
        })
        .collect();
    let service = setup.service();
    service.announce(units.clone());
    for unit in units {
        let kernel = service.kernel(&unit).unwrap();
        assert_eq!(
            kernel.entries[0].parameters.as_deref(),
            Some(&[8, 8, 4, 1, 16, 8][..]),
            "{unit:?}"
        );
        if let Some(resources) = kernel.entries[0].resources {
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

pub(crate) fn parameters_have_their_sizes(setup: &Setup) {
    for (expression, sizes) in [
        ("nothing", &[][..]),
        ("plain", &[8]),
        ("stack", &[8, 8, 4]),
        ("tiled<8, 8>", &[8, 8, 4, 1, 16, 8]),
    ] {
        for unit in [cubin(expression), ptx(expression)] {
            assert_eq!(
                setup.kernel(&unit).entries[0].parameters.as_deref(),
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
        let kernel = setup.kernel(&crate::setup::unit("large.cu", "k", target));
        assert_eq!(
            kernel.entries[0].parameters,
            Some(vec![20_000, 8, 1]),
            "{target:?}"
        );
    }
}

pub(crate) fn resources_are_read(setup: &Setup) {
    for capability in [75, 80, 90, 120] {
        if !setup.architectures.contains(&capability) {
            continue;
        }
        let of = |expression| {
            let unit = crate::setup::unit("kernels.cu", expression, GpuTarget::Cubin(capability));
            setup.kernel(&unit).entries[0].resources.unwrap()
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
            let unit = crate::setup::unit("kernels.cu", expression, GpuTarget::Cubin(capability));
            setup.kernel(&unit).entries[0].max_threads
        };
        assert_eq!([threads("crowded"), threads("plain")], [Some(1024), None]);
    }
}

pub(crate) fn definitions_select_code(setup: &Setup) {
    setup.write(
        "defined.cu",
        "extern \"C\" __global__ void k(TYPE *x) { __shared__ TYPE t[SIZE]; t[x[0] > 0] = 1; __syncthreads(); x[1] = t[SIZE - 1]; }\n",
    );
    let of = |ty: &str, size: &str| {
        let unit = Unit {
            defines: vec![("TYPE".into(), ty.into()), ("SIZE".into(), size.into())],
            ..crate::setup::unit("defined.cu", "k", GpuTarget::Cubin(80))
        };
        setup.kernel(&unit).entries[0]
            .resources
            .unwrap()
            .shared_bytes
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

pub(crate) fn headers_are_found(setup: &Setup) {
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
        ..crate::setup::unit("included.cu", "k", GpuTarget::Ptx(80))
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
        let kernel = setup.kernel(&crate::setup::unit("half.cu", "k", target));
        assert_eq!(kernel.entries[0].parameters, Some(vec![8, 2]));
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
    setup.kernel(&crate::setup::unit(
        "tensor.cu",
        "k<16>",
        GpuTarget::Cubin(80),
    ));
}

pub(crate) fn odd_names_and_values(setup: &Setup) {
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
        ..crate::setup::unit("with space/my kernel.cu", "k", GpuTarget::Cubin(80))
    };
    assert_eq!(
        setup.kernel(&unit).entries[0]
            .resources
            .unwrap()
            .shared_bytes,
        8
    );
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

/// What a kernel is made of is read from its PTX, whatever other kernels are made of.
pub(crate) fn kernels_have_their_own_code(setup: &Setup) {
    setup.write(
        "own.cu",
        "__device__ __noinline__ float wide(float x, int n) {
    float t[2 * TILE];
    for (int i = 0; i < n; i++) t[(i * n) % TILE] = x * i;
    return t[n % TILE];
}
__device__ float one(float x) { return TILE > 4 ? 1 / x : wide(x, 3); }
__global__ void left(float *x, int n) {
    __shared__ float t[TILE];
    t[threadIdx.x % TILE] = one(x[n]);
    __syncthreads();
    x[0] = t[n % TILE] + wide(x[1], n);
}
__global__ void own(float *x, int n) {
    __shared__ float t[64];
    int unused;
    for (int i = 0; i < n; i++) t[(threadIdx.x + i) % 64] = x[i] * 1.5f;
    __syncthreads();
    for (int i = 0; i < n; i++) if (x[i] > 2) x[i] = t[i % 64] + sqrtf(x[i]);
}
__global__ void calls(float *x, int n) { x[0] = wide(x[1], n); }
__global__ void sized(float *x, int n) { __shared__ float t[TILE]; t[n] = x[n]; __syncthreads(); x[0] = t[1]; }
",
    );
    let service = setup.service();
    let code = |entry: &str, tile: u32| {
        let mut unit = crate::setup::unit("own.cu", entry, GpuTarget::Cubin(80));
        unit.defines = vec![("TILE".into(), tile.to_string())];
        let (text, name) = service.text(&unit, entry).unwrap();
        reach(&text, &name)
    };
    assert_eq!(code("own", 4), code("own", 32));
    for entry in ["left", "calls", "sized"] {
        assert_ne!(code(entry, 4), code(entry, 32), "{entry}");
    }
    let mut unit = crate::setup::unit("own.cu", "own", GpuTarget::Cubin(80));
    unit.defines = vec![("TILE".into(), "8".into())];
    for service in [setup.service(), setup.service()] {
        assert_eq!(service.warnings(&unit), [""; 0]);
        service.kernel(&unit).unwrap();
        let told = service.warnings(&unit).join("\n");
        assert!(told.starts_with("kernels/own.cu(15): warning"), "{told}");
        assert!(told.contains("\"unused\""), "{told}");
    }
}

pub(crate) fn variables_are_told(setup: &Setup) {
    setup.write(
        "variables.cu",
        "__constant__ float empty[4];\nstatic __constant__ int own[2];\n__constant__ int full[3] = {0, 0, 1};\nnamespace inner { __constant__ char deep; }\n__device__ unsigned calls;\n__device__ int table[3] = {5, 6, 7};\nextern \"C\" __global__ void k(float *y) { __shared__ int part[8]; part[threadIdx.x & 7] = 1; __syncthreads(); atomicAdd(&calls, 1u); y[0] = empty[threadIdx.x & 3] + own[threadIdx.x & 1] + full[threadIdx.x % 3] + table[threadIdx.x % 3] + inner::deep + part[0]; }\n",
    );
    let mut targets: Vec<GpuTarget> = Vec::new();
    targets.extend(setup.architectures.iter().map(|c| GpuTarget::Cubin(*c)));
    for target in targets {
        let kernel = setup.kernel(&crate::setup::unit("variables.cu", "k", target));
        let mut found: Vec<(String, bool, u64, bool)> = kernel
            .variables
            .expect("a cubin tells")
            .into_iter()
            .map(|it| (it.name, it.constant, it.bytes, it.zeros))
            .collect();
        found.sort();
        let expected = [
            ("_ZN5inner4deepE", true, 1, true),
            ("calls", false, 4, true),
            ("empty", true, 16, true),
            ("full", true, 12, false),
            ("own", true, 8, true),
            ("table", false, 12, false),
        ];
        let expected = expected
            .map(|(name, constant, bytes, zeros)| (name.to_string(), constant, bytes, zeros));
        assert_eq!(found, expected, "{target:?}");
    }
    let kernel = setup.kernel(&crate::setup::unit("variables.cu", "k", GpuTarget::Ptx(80)));
    assert_eq!(kernel.variables, None);
    assert!(
        std::fs::read_to_string(&kernel.path)
            .unwrap()
            .contains(".const .align 4 .b8 empty[16]")
    );
}
