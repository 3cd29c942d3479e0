//! The run-time compiler's answers.

use crate::child::{on, with};
use crate::nvrtc::{compile, kernels};

#[test]
fn lowered_names_are_those_of_nvidia() {
    on("A100", "", || {
        // As NVRTC 12.9 names them.
        let source = "template<int A, int B> __global__ void gemm(float *c, const float *a, int n) {}\n\
                      __global__ void mangled(float2 x, short q, float *o) {}\n\
                      extern \"C\" __global__ void plain(float *c, unsigned char k, double d) {}\n\
                      namespace n { __global__ void inner() {} }\n";
        let expressions = [
            "gemm<32,64>",
            "gemm<1+1, 3>",
            "mangled",
            "&plain",
            "n::inner",
        ];
        let compiled = compile(source, &[], &["-arch=sm_80"], &expressions).good();
        assert_eq!(
            compiled.lowered,
            [
                "_Z4gemmILi32ELi64EEvPfPKfi",
                "_Z4gemmILi2ELi3EEvPfPKfi",
                "_Z7mangled6float2sPf",
                "plain",
                "_ZN1n5innerEv",
            ]
        );
        assert!(
            compiled
                .ptx
                .contains(".visible .entry plain(\n\t.param .u64 plain_param_0,")
        );
        assert!(compiled.ptx.contains("\n.target sm_80\n"));
    });
}

#[test]
fn what_the_assembler_says() {
    with(
        "A100",
        "",
        &[("BICO_HOST_REGISTERS", "sums=200;33")],
        || {
            let options = ["-arch=sm_80", "--ptxas-options=-v", "--maxrregcount=48"];
            let log = kernels(&options, &["sums"]).good().log;
            let part = |name: &str| {
                let start = log.find(&format!("entry function '{name}' for 'sm_80'"));
                let rest = &log[start.expect(name)..];
                rest[..rest.find("cmem[0]").unwrap()].to_string()
            };
            let sums = part("_Z4sumsPfPKfi");
            assert!(sums.contains("Used 48 registers"), "{sums}");
            assert!(sums.contains("608 bytes spill stores"), "{sums}");
            assert!(sums.contains("128 bytes smem"), "{sums}");
            // Its bounds leave no more to it.
            let log = kernels(&options[..2], &["sums"]).good().log;
            assert!(log.contains("Used 64 registers"), "{log}");
            assert!(log.contains("Used 33 registers"), "{log}");
        },
    );
}

/// Compiles with a folder of its own for objects, and with these variables.
fn keeping(more: &[(&str, &str)], body: impl FnOnce()) {
    let folder = tempfile::tempdir().unwrap();
    let objects = folder.path().join("objects").display().to_string();
    let objects = [("BICO_HOST_OBJECTS", objects.as_str())];
    with("A100", "", &[&objects, more].concat(), body);
}

/// How many objects are kept.
#[expect(
    clippy::disallowed_methods,
    reason = "told by the test it is a child of"
)]
fn kept() -> usize {
    let folder = std::env::var_os("BICO_HOST_OBJECTS").unwrap();
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn objects_are_kept_by_all_that_they_are_made_of() {
    keeping(&[], || {
        let compiled = |by: u32, factor: &str| {
            let source =
                format!("extern \"C\" __global__ void by(float *y) {{ *y = {by} * FACTOR; }}\n");
            let option = format!("-DFACTOR={factor}");
            compile(&source, &[], &["-arch=sm_80", &option], &[]).good()
        };
        let first = compiled(2, "3");
        assert_eq!(kept(), 1);
        assert_eq!(compiled(2, "3").cubin, first.cubin);
        assert_eq!(kept(), 1);
        assert_ne!(compiled(5, "3").cubin, first.cubin);
        assert_ne!(compiled(2, "7").cubin, first.cubin);
        assert_eq!(kept(), 3);
    });
}

#[test]
fn a_compiler_of_ones_own_is_always_asked() {
    keeping(&[("BICO_HOST_CXX", "g++")], || {
        compile("__global__ void k() {}\n", &[], &["-arch=sm_80"], &[]).good();
        assert_eq!(kept(), 0);
    });
}

#[test]
fn headers_and_defines() {
    on("A100", "", || {
        let with = kernels(&["-arch=sm_80", "-DWITH_HEADER"], &["factor"]).good();
        assert_eq!(with.lowered, ["factor"]);
        let without = kernels(&["-arch=sm_80"], &["factor"]);
        assert_eq!(without.code, 6);
        assert!(without.log.contains("__nv_name_map("), "{}", without.log);
    });
}

#[test]
fn errors_have_their_lines() {
    on("A100", "", || {
        let source = "#define N 4\n__global__ void k(float *a) {\n  a[0] = b;\n}\n";
        let failed = compile(source, &[], &["-arch=sm_80"], &[]);
        assert_eq!(failed.code, 6);
        assert!(failed.log.starts_with("k.cu(3): error: "), "{}", failed.log);
        let end = "1 error detected in the compilation of \"k.cu\".\n";
        assert!(failed.log.ends_with(end), "{}", failed.log);
        assert!(failed.cubin.is_empty());

        let missing = compile("#include \"nothere.h\"\n", &[], &["-arch=sm_80"], &[]);
        assert!(
            missing.log.starts_with("k.cu(1): error: nothere.h"),
            "{}",
            missing.log
        );
        let system = compile("#include <vector>\n", &[], &["-arch=sm_80"], &[]);
        assert_eq!(system.code, 6);

        let option = compile(source, &[], &["-arch=sm_80", "-O3"], &[]);
        assert_eq!(option.code, 5);
        assert_eq!(option.log, "nvrtc: error: unrecognized option -O3 found\n");
    });
}

#[test]
fn more_of_the_language() {
    on("A100", "", || {
        let source = r#"
            struct __align__(16) Pair { double a, b; };
            __constant__ float table[4] = {1, 2, 3, 4};
            extern __shared__ __align__(16) unsigned char raw[];
            template <typename T, int N, bool FAST>
            __device__ __forceinline__ T inner(const T *__restrict__ x) {
                T sum = 0;
                #pragma unroll
                for (int i = 0; i < N; ++i) sum += FAST ? __ldg(x + i) : x[i];
                return sum;
            }
            namespace a { inline namespace b {
            template <typename T, int N> __global__ void __launch_bounds__(N, 2)
            outer(T *__restrict__ out, const T *__restrict__ in, Pair pair, dim3 size) {
                __shared__ T tile[N][N + 1];
                T *rest = reinterpret_cast<T *>(raw + 0);
                tile[threadIdx.y][threadIdx.x] = inner<T, N, true>(in);
                __syncthreads();
                rest[0] = max(tile[0][0], (T)table[1]) + fmaxf(1.f, rsqrtf(4.f)) + (T)pair.b;
                if (threadIdx.x < size.x) atomicAdd(&out[threadIdx.x], rest[0]);
            }
            } }
            static_assert(__CUDA_ARCH__ == 900, "the architecture");
        "#;
        let compiled = compile(source, &[], &["-arch=sm_90"], &["a::outer<float, 16>"]).good();
        assert_eq!(compiled.lowered.len(), 1);
    });
}
