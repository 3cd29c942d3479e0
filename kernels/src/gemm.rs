//! Matrix product.

/// C = A * B in FP32, all dense and row-major: C is m x n, A is m x k, B is k x n.
///
/// Blocked and packed as in GotoBLAS and BLIS, with a register tile of MR x NR; one thread.
///
/// The score is one over the cycles of a rough model: what a step along k costs in arithmetic, loads,
/// latency and front end (4 cycles of latency for a fused multiply-add, two of them a cycle, where
/// they exist: Agner Fog's instruction tables), plus packing, and the traffic with the caches that
/// the blocks are meant to stay in (Low et al., "Analytical Modeling Is Enough for High-Performance
/// BLIS", 2016).
#[bico::tunable(
    source = "kernels/gemm.c",
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        VL in if ISA == "x86-64-v2" { [4] } else { if ISA == "x86-64-v3" { [4, 8] } else { [4, 8, 16] } },
        MR in [1, 2, 4, 6, 8, 12],
        NR in [4, 8, 16, 32, 48, 64],
        KC in [32, 128, 256, 512],
        MC in [24, 96, 384],
        NC in [384, 3072],
        KU in [1, 4],
        PF_A in [0, 16],
        PF_C in [0, 1],
    ),
    require(
        device.has(ISA),
        NR.is_multiple_of(VL),
        MR * (NR / VL) + NR / VL + 1 <= if ISA == "x86-64-v4" { 32 } else { 16 },
        4 * KC * NR <= 2 * device.l1d_bytes,
        4 * MC * KC <= device.l2_bytes,
        4 * KC * NC <= device.l3_bytes.max(device.l2_bytes),
    ),
    flags = ["-march={ISA}", "-mprefer-vector-width=512"],
    scratch(PACK_A: f32, len = MC * KC),
    scratch(PACK_B: f32, len = KC * NC),
    problem(m = 1024, n = 1024, k = 1024),
    work(flops = 2 * m * n * k, bytes = 4 * (m * n * (2 * k.div_ceil(KC) - 1) + 2 * m * k * n.div_ceil(NC) + 2 * k * n)),
    score = {
        let nv = NR / VL;
        let fused = if ISA == "x86-64-v2" { 2 } else { 1 };
        let steps = m.div_ceil(MR) * n.div_ceil(NR);
        let arithmetic = MR * nv * fused / 2;
        let loads = (MR + nv) / 2;
        let latency = 4 * fused;
        let front = (MR * nv * fused + nv + MR + 3 / KU) / 4;
        let panels = MR / 8 + if 4 * KC * (NR + MR) <= device.l1d_bytes { 0 } else { NR / 8 };
        let block = 4 * NR * MR / MC.min(m) / if 4 * KC * (NC.min(n) + MC) <= device.l2_bytes { 32 } else { 16 };
        let step = arithmetic.max(loads).max(latency).max(front).max(panels) + block;
        let passes = k.div_ceil(KC);
        1e9 / (steps * k * step + 20 * steps * passes + (2 * passes - 1) * m * n / 4
            + m * k * n.div_ceil(NC) / 2 + k * n / 2)
    },
    verify(reference = "gemm_naive", rtol = 1e-4),
    budget(evaluations = 64, seconds = 45),
)]
pub fn gemm(
    #[len(m * n)] c: &mut [f32],
    #[len(m * k)] a: &[f32],
    #[len(k * n)] b: &[f32],
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;
