//! What CUDA sources include that were written for nvcc, which has the headers of a host.

use crate::setup::{Setup, unit};
use bico_build::compile::{GpuTarget, Unit};

/// As sources out there use them.
const PLAIN: &str = r#"
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <cstdint>
#include <cmath>
#include<math.h>
#include <cfloat>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <cassert>
#include <stdbool.h>
#include <algorithm>

static int of_the_host(int argc) { return argc; }
static inline float helper(float x) { return std::exp(-x) + fabsf(x); }

extern "C" __global__ void k(float *y, const uint8_t *bytes, std::uint32_t n, int64_t at, double z)
{
    constexpr float nothing = -INFINITY;
    static_assert(sizeof(int64_t) == 8 && sizeof(uintptr_t) == sizeof(std::size_t), "");
    static_assert(INT32_MIN == INT_MIN && UINT64_MAX == SIZE_MAX && std::max(1, 2) == 2, "");
    assert(n <= UINT32_MAX);
    std::memset(y, 0, sizeof(float));
    float most = std::max(nothing, (float)bytes[at]);
    for (uint i = 0; i < n; i++) // of stdlib.h, which nvcc always has
        most = std::fmax(most, helper(y[i]));
    if (std::isnan(most) || most == NAN)
        printf("%d\n", of_the_host(1));
    *y = std::min(FLT_MAX, std::sqrt(most)) + (float)(std::pow(z, 2.0) * M_PI);
}
"#;

/// In either order of what is bico's and what is libcu++'s.
const CUB: &str = r#"
#include <cmath>
#include <cstdint>
#include <cub/block/block_reduce.cuh>
#include <cfloat>
#include <climits>
#include <limits>
#include <type_traits>

template <typename T, int THREADS> __global__ void k(T *y, const T *x)
{
    static_assert(std::is_same<T, float>::value, "");
    using Reduce = cub::BlockReduce<T, THREADS>;
    __shared__ typename Reduce::TempStorage storage;
    T sum = Reduce(storage).Sum(std::sqrt(x[threadIdx.x]));
    if (threadIdx.x == 0)
        *y = std::fmin(sum, std::numeric_limits<T>::max()) + INFINITY + (T)INT64_MAX + FLT_MAX + INT_MAX;
}
"#;

pub(crate) fn those_of_a_host_are_there(setup: &Setup) {
    if setup.headers.is_empty() {
        println!("SKIPPED: no headers of CUDA beside NVRTC");
        return;
    }
    setup.write("plain.cu", PLAIN);
    let service = setup.service();
    let of_plain = unit("plain.cu", "k", GpuTarget::Cubin(80));
    let kernel = service.kernel(&of_plain).unwrap_or_else(|error| {
        panic!("{}", error.stderr);
    });
    assert_eq!(kernel.entries[0].parameters, Some(vec![8, 8, 4, 8, 8]));
    assert_eq!(service.warnings(&of_plain), [""; 0]);
    // The author's own header of that name comes first.
    setup.write("float.h", "#define FLT_MAX 1.5f\n");
    setup.write(
        "own.cu",
        "#include <float.h>\nstatic_assert(FLT_MAX == 1.5f, \"\");\n__global__ void k() {}\n",
    );
    setup.kernel(&unit("own.cu", "k", GpuTarget::Ptx(80)));
    // So does one in a folder that the author names.
    setup.write("../ours/cuda_fp16.h", "#define OURS true\n");
    setup.write(
        "ours.cu",
        "#include <cuda_fp16.h>\nstatic_assert(OURS, \"\");\n__global__ void k() {}\n",
    );
    setup.kernel(&Unit {
        flags: vec!["-Iours".into()],
        ..unit("ours.cu", "k", GpuTarget::Ptx(80))
    });
}

pub(crate) fn those_of_cub_are_there(setup: &Setup) {
    let (major, _) = setup.version;
    let ending = if major < 13 { "-cu12" } else { "" };
    setup.write("no_cub.cu", "#include <cub/of_another_time.cuh>\n");
    let (summary, _) = setup.refused(&unit("no_cub.cu", "k", GpuTarget::Ptx(80)));
    let wheel = format!("; the wheel `nvidia-cuda-cccl{ending}` has it");
    assert!(summary.contains(&wheel), "{summary}");

    let mut folders = setup.headers.iter();
    if !folders.any(|folder| folder.join("cub/block/block_reduce.cuh").is_file()) {
        println!("SKIPPED: no CUB beside NVRTC");
        return;
    }
    setup.write("cub.cu", CUB);
    let service = setup.service();
    let of_cub = unit("cub.cu", "k<float, 128>", GpuTarget::Cubin(80));
    let kernel = service.kernel(&of_cub).unwrap_or_else(|error| {
        panic!("{}", error.stderr);
    });
    assert!(kernel.resources().unwrap().shared_bytes > 0);
    // CUB 2.8 warns of itself.
    let mut warnings = service.warnings(&of_cub).into_iter();
    assert_eq!(warnings.find(|line| !line.contains("/cub/")), None);
}
