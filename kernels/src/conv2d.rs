//! Two-dimensional convolution.

/// out\[y\]\[x\] = sum over r, s of filter\[r\]\[s\] * input\[y + r\]\[x + s\], in FP32 ("valid", the
/// filter not flipped): out is h x w, input (h + f - 1) x (w + f - 1), filter f x f, all dense and
/// row-major; one thread.
///
/// The score is one over the cycles of a rough model of a register tile: arithmetic, loads, latency
/// (4 cycles for a fused multiply-add: Agner Fog's instruction tables), front end, and the second-level
/// cache where a strip of input does not fit the first.
#[bico::tunable(
    source = "kernels/conv2d.c",
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        VL in if ISA == "x86-64-v2" { [4] } else { if ISA == "x86-64-v3" { [4, 8] } else { [4, 8, 16] } },
        TH in [1, 2, 3, 4, 6, 8],
        TW in [1, 2, 3, 4, 6],
        REUSE in [false, true],
        FU in [1, 2, 3, 5],
        STRIP in [1, 8, 64],
    ),
    require(
        device.has(ISA),
        TH * TW + TW + 1 <= if ISA == "x86-64-v4" { 32 } else { 16 },
    ),
    flags = ["-march={ISA}", "-mprefer-vector-width=512"],
    problem(h = 512, w = 512, f = 7),
    work(flops = 2 * h * w * f * f, bytes = 4 * (h * w + (h + f - 1) * (w + f - 1))),
    score = {
        let fused = if ISA == "x86-64-v2" { 2 } else { 1 };
        let width = TW * VL;
        let rows = if REUSE && f >= TH { f + TH - 1 } else { f * TH };
        let arithmetic = f * f * TH * TW * fused;
        let loads = f * rows * TW * (1 + VL / 16) + f * f * TH;
        let bytes = 4 * (f + TH - 1) * w.min(STRIP * width);
        let strip = if bytes <= device.l1d_bytes { 0 } else { 4 * (f + TH - 1) * width / 32 };
        let cycles = (arithmetic / 2).max(loads / 2).max(4 * fused * f * f).max((arithmetic + loads) / 4).max(strip);
        if width > w || TH > h { 0 } else { 1e9 / (h.div_ceil(TH) * w.div_ceil(width) * (cycles + 3 * rows * f / FU + 20)) }
    },
    verify(reference = "conv2d_naive", rtol = 1e-4),
    budget(evaluations = 48, seconds = 15),
)]
pub fn conv2d(
    #[len(h * w)] out: &mut [f32],
    #[len((h + f - 1) * (w + f - 1))] input: &[f32],
    #[len(f * f)] filter: &[f32],
    h: u32,
    w: u32,
    f: u32,
) -> bico::Result<()>;
