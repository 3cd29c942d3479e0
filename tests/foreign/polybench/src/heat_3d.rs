//! Heat in a cube, by GCC's own threads: the number of steps is a macro of the source, which does not ask for its argument.

const STEPS: i64 = 5;

/// `a` and `b` change places in each step.
#[bico::tunable(
    source = ["../sources/polybench/stencils/heat-3d/heat-3d.c", "../sources/polybench/utilities/polybench.c"],
    include = ["../sources/polybench/utilities"],
    entry = "kernel_heat_3d",
    args(STEPS as i32, n, a, b),
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        COST in ["very-cheap", "dynamic", "unlimited"],
        LOOPS in ["no-unroll-loops", "unroll-loops"],
        PARALLEL in [1, 2],
    ),
    require(device.has(ISA), PARALLEL <= device.cores),
    flags = [
        "-Dstatic=",
        "-DPOLYBENCH_USE_C99_PROTO",
        "-DTSTEPS=5",
        "-DN=120",
        "-march={ISA}",
        "-fvect-cost-model={COST}",
        "-f{LOOPS}",
        "-ftree-parallelize-loops={PARALLEL}",
        "-DPOLYBENCH_USE_RESTRICT",
    ],
    link = ["gomp"],
    threads = 2,
    problem(n = 60),
    work(flops = 30 * STEPS * n * n * n, bytes = 16 * n * n * n),
    verify(reference = "c/heat_3d.c"),
    budget(evaluations = 12, seconds = 60),
)]
pub fn heat_3d(
    #[len(n * n * n)]
    #[init(uniform(-1, 1))]
    a: &mut [f64],
    #[len(n * n * n)]
    #[init(uniform(-1, 1))]
    b: &mut [f64],
    n: i32,
) -> bico::Result<()>;
