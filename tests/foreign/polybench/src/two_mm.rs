//! A product of three matrices, added to a fourth.

/// D = α A B C + β D
#[bico::tunable(
    source = ["../sources/polybench/linear-algebra/kernels/2mm/2mm.c", "../sources/polybench/utilities/polybench.c"],
    include = ["../sources/polybench/utilities"],
    entry = "kernel_2mm",
    args(ni, nj, nk, nl, alpha, beta, PRODUCT, a, b, c, d),
    scratch(PRODUCT: f64, len = ni * nj),
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        COST in ["very-cheap", "dynamic", "unlimited"],
        LOOPS in ["no-unroll-loops", "unroll-loops"],
        SUMS in ["no-associative-math", "associative-math"],
        ALIAS in ["MAY_ALIAS", "POLYBENCH_USE_RESTRICT"],
    ),
    require(device.has(ISA)),
    flags = [
        "-Dstatic=",
        "-DPOLYBENCH_USE_C99_PROTO",
        "-D{ALIAS}",
        "-march={ISA}",
        "-fvect-cost-model={COST}",
        "-f{LOOPS}",
        "-f{SUMS}",
        "-fno-signed-zeros",
        "-fno-trapping-math",
    ],
    problem(alpha = 1.5, beta = 1.2, ni = 80, nj = 90, nk = 110, nl = 120),
    work(flops = 2 * ni * nj * (nk + nl), bytes = 8 * (ni * nk + nk * nj + nj * nl + 2 * ni * nl)),
    verify(reference = "c/two_mm.c"),
    budget(evaluations = 16, seconds = 60),
)]
pub fn two_mm(
    #[len(ni * nl)]
    #[init(uniform(-1, 1))]
    d: &mut [f64],
    #[len(ni * nk)] a: &[f64],
    #[len(nk * nj)] b: &[f64],
    #[len(nj * nl)] c: &[f64],
    alpha: f64,
    beta: f64,
    ni: i32,
    nj: i32,
    nk: i32,
    nl: i32,
) -> bico::Result<()>;
