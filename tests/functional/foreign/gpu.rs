//! The same on a GPU: a unit of several files with headers elsewhere, and a launch that hangs on what is no size.

use crate::harness::Package;

const PROGRAM: &str = r#"
use bico::cudarc::driver::{CudaContext, CudaStream, DevicePtrMut};
use std::sync::Arc;

#[bico::tunable(
    source = ["kernels/first/scale.cuh", "kernels/tail.cu"],
    include = ["include"],
    space(BLOCK in [32, 64], RIGHT in [true, false]),
    launch(grid = (n - first).div_ceil(BLOCK), block = BLOCK),
    problem(n = 256),
    verify(reference = "tail_plain", launch(grid = n.div_ceil(32), block = 32)),
    measure(cache = warm),
    budget(evaluations = 4, seconds = 30),
)]
fn tail(
    stream: &Arc<CudaStream>,
    #[len(n)]
    #[init(uniform(-1, 1))]
    y: &mut impl DevicePtrMut<f32>,
    n: u32,
    #[value(0..n)] first: u32,
    #[value] bias: f32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let chosen = tail_warm_up(&stream, 256)?;
    println!("{chosen}");
    for first in [0, 255] {
        let mut y = stream.alloc_zeros::<f32>(256)?;
        tail(&stream, &mut y, 256, first, 1.5)?;
        tail_with(&chosen.config, &stream, &mut y.slice_mut(..), 256, first, 1.5)?;
        println!("{first}: {}", stream.clone_dtoh(&y)?.iter().sum::<f32>());
    }
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn several_files_and_values() {
    let package = Package::cuda("foreign");
    package.file("include/deep/two.h", "#define TWO 2\n");
    package.file("kernels/first/beside.h", "#include <deep/two.h>\n");
    package.file(
        "kernels/first/scale.cuh",
        "#pragma once\n#include \"beside.h\"\n__device__ float scale(float x) { return TWO * x; }\n",
    );
    package.file(
        "kernels/tail.cu",
        r#"
        #include "first/scale.cuh"
        // NVRTC has none of these.
        #include <algorithm>
        #include <cfloat>
        #include <climits>
        #include <cmath>
        #include <cstddef>
        #include <cstdio>
        #include <cstdlib>
        #include <cstring>
        #include <stdint.h>

        __global__ void tail(float *y, uint32_t n, uint32_t first, float bias)
        {
            uint i = first + blockIdx.x * BLOCK + threadIdx.x;
            if (i < n)
                y[i] = std::fmin(scale(y[i]) + (RIGHT ? bias : 0.5f), FLT_MAX);
        }

        __global__ void tail_plain(float *y, unsigned n, unsigned first, float bias)
        {
            unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= first && i < n)
                y[i] = scale(y[i]) + bias;
        }
        "#,
    );
    package.file(
        "src/main.rs",
        &PROGRAM.replace("problem(n = 256)", "problem(n = 256, bias = 0.5)"),
    );
    package.build("auto").ok();
    assert_eq!(package.winner("tail")["RIGHT"], true);
    // Both calls write all that is behind `first`: 256 elements, or one, of 1.5 and then 2 * 1.5 + 1.5.
    let sums = |said: String| {
        for line in ["0: 1152", "255: 4.5"] {
            assert!(said.contains(line), "{said}");
        }
    };
    sums(package.run());
    // Carried as source, NVRTC compiles it when the program runs.
    package
        .cargo(&["build"])
        .env("BICO", "locked")
        .without_cuda()
        .run()
        .ok()
        .says("carries CUDA kernels as source only");
    sums(package.run());

    // What only nvcc compiles is no work for the NVRTC that is here.
    let own = "launch(grid = (n - first)";
    package.edit("src/main.rs", own, &format!("compiler = \"nvcc\", {own}"));
    let build = |mode: &str| {
        let call = package.cargo(&["build"]).env("NVCC", "/nowhere/nvcc");
        call.env("BICO", mode).run()
    };
    let missing = "nvcc was not found: /nowhere/nvcc";
    build("locked").fails().says("its flags changed");
    let built = build("auto").fails();
    built
        .says("cannot compile the kernel of `tail`")
        .says(missing);
    let without = "the program carries no code of `tail`, and calls of it fail";
    build("off").ok().says(without).says(missing);
    let run = package.start().run().fails();
    run.says("and not the source");
}
