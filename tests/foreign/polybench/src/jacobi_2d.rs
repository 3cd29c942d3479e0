//! Each element the mean of itself and its four neighbours, `2 tsteps` times.

/// `a` and `b` change places in each step.
#[bico::tunable(
    source = ["../sources/polybench/stencils/jacobi-2d/jacobi-2d.c", "../sources/polybench/utilities/polybench.c"],
    include = ["../sources/polybench/utilities"],
    entry = "kernel_jacobi_2d",
    args(tsteps, n, a, b),
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        COST in ["very-cheap", "dynamic", "unlimited"],
        LOOPS in ["no-unroll-loops", "unroll-loops"],
        SUMS in ["no-associative-math", "associative-math"],
    ),
    require(device.has(ISA)),
    flags = [
        "-Dstatic=",
        "-DPOLYBENCH_USE_C99_PROTO",
        "-march={ISA}",
        "-fvect-cost-model={COST}",
        "-f{LOOPS}",
        "-f{SUMS}",
        "-fno-signed-zeros",
        "-fno-trapping-math",
    ],
    problem(tsteps = 10, n = 250),
    work(flops = 100 * n * n, bytes = 16 * n * n),
    verify(reference = "c/jacobi_2d.c"),
    budget(evaluations = 12, seconds = 60),
)]
pub fn jacobi_2d(
    #[len(n * n)]
    #[init(uniform(-1, 1))]
    a: &mut [f64],
    #[len(n * n)]
    #[init(uniform(-1, 1))]
    b: &mut [f64],
    #[value(1..=12)] tsteps: i32,
    n: i32,
) -> bico::Result<()>;
