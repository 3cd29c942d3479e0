//! A kernel and a library in one race: whichever won when this was tuned is called.

/// C = A * B in FP32, all dense and row-major: C is m x n, A is m x k, B is k x n.
#[bico::tunable(
    variant(
        blocked,
        source = "kernels/blocked.c",
        entry = "gemm",
        space(
            ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
            VL = match ISA { "x86-64-v4" => 16, "x86-64-v3" => 8, _ => 4 },
            MR in [2, 4, 6, 8, 12],
            NR in [8, 16, 32, 64],
        ),
        require(
            device.has(ISA),
            NR.is_multiple_of(VL),
            MR * (NR / VL) + NR / VL < if ISA == "x86-64-v4" { 32 } else { 16 },
        ),
        flags = ["-march={ISA}", "-mprefer-vector-width=512"],
        // MC * KC and KC * NC, by the kernel's defaults.
        scratch(PACK_A: f32, len = 192 * 256),
        scratch(PACK_B: f32, len = 256 * 1024),
    ),
    variant(openblas, source = "kernels/openblas.c", link = ["openblas"]),
    problem(m = 1024, n = 1024, k = 1024),
    work(flops = 2 * m * n * k),
    verify(reference = "gemm_naive", rtol = 1e-4),
    budget(evaluations = 24, seconds = 30),
)]
pub(crate) fn product(
    #[len(m * n)] c: &mut [f32],
    #[len(m * k)] a: &[f32],
    #[len(k * n)] b: &[f32],
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;

/// What serves calls of this size.
pub(crate) fn winner(size: &[i64]) -> bico::Result<bico::Choice> {
    bico::config_of(product_tunable(), size)
}
