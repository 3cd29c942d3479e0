//! Rows of a tensor times a matrix, each in its place.

/// a[r, q, p] = Σₛ a[r, q, s] c4[s, p]
#[bico::tunable(
    source = ["../sources/polybench/linear-algebra/kernels/doitgen/doitgen.c", "../sources/polybench/utilities/polybench.c"],
    include = ["../sources/polybench/utilities"],
    entry = "kernel_doitgen",
    args(nr, nq, np, a, c4, SUM),
    scratch(SUM: f64, len = np),
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
    problem(nr = 50, nq = 40, np = 60),
    work(flops = 2 * nr * nq * np * np, bytes = 16 * nr * nq * np),
    verify(reference = "c/doitgen.c"),
    budget(evaluations = 12, seconds = 60),
)]
pub fn doitgen(
    #[len(nr * nq * np)]
    #[init(uniform(-1, 1))]
    a: &mut [f64],
    #[len(np * np)] c4: &[f64],
    nr: i32,
    nq: i32,
    np: i32,
) -> bico::Result<()>;
