//! Two outer products added to a matrix, which then is multiplied from both sides.

/// A += u1 v1ᵀ + u2 v2ᵀ, x += β Aᵀ y + z, w += α A x
#[bico::tunable(
    source = ["../sources/polybench/linear-algebra/blas/gemver/gemver.c", "../sources/polybench/utilities/polybench.c"],
    include = ["../sources/polybench/utilities"],
    entry = "kernel_gemver",
    args(n, alpha, beta, a, u1, v1, u2, v2, w, x, y, z),
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
    problem(alpha = 1.5, beta = 1.2, n = 390),
    work(flops = 8 * n * n, bytes = 24 * n * n),
    verify(reference = "c/gemver.c"),
    budget(evaluations = 12, seconds = 60),
)]
pub fn gemver(
    #[len(n * n)]
    #[init(uniform(-1, 1))]
    a: &mut [f64],
    #[len(n)]
    #[init(uniform(-1, 1))]
    w: &mut [f64],
    #[len(n)]
    #[init(uniform(-1, 1))]
    x: &mut [f64],
    #[len(n)] u1: &[f64],
    #[len(n)] v1: &[f64],
    #[len(n)] u2: &[f64],
    #[len(n)] v2: &[f64],
    #[len(n)] y: &[f64],
    #[len(n)] z: &[f64],
    alpha: f64,
    beta: f64,
    n: i32,
) -> bico::Result<()>;
