//! A matrix, and its transpose, times a vector.

/// y = Aᵀ (A x)
#[bico::tunable(
    source = ["../sources/polybench/linear-algebra/kernels/atax/atax.c", "../sources/polybench/utilities/polybench.c"],
    include = ["../sources/polybench/utilities"],
    entry = "kernel_atax",
    args(m, n, a, x, y, TMP),
    scratch(TMP: f64, len = m),
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
    problem(m = 390, n = 410),
    work(flops = 4 * m * n, bytes = 8 * m * n),
    verify(reference = "c/atax.c"),
    budget(evaluations = 12, seconds = 60),
)]
pub fn atax(
    #[len(n)] y: &mut [f64],
    #[len(m * n)] a: &[f64],
    #[len(n)] x: &[f64],
    m: i32,
    n: i32,
) -> bico::Result<()>;
