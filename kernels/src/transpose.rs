//! Matrix transpose.

/// out = transpose of input, FP32, dense and row-major: input is rows x cols, out cols x rows; one
/// thread. Bound by memory: every element moves once.
#[bico::tunable(
    source = "kernels/transpose.c",
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        U in if ISA == "x86-64-v2" { [1, 4] } else { if ISA == "x86-64-v3" { [1, 4, 8] } else { [1, 4, 8, 16] } },
        TR in [16, 32, 64, 128, 512],
        TC in [16, 32, 64, 128, 512],
        OUTER in [0, 1],
        INNER in [0, 1],
        PF in [0, 1, 4],
    ),
    require(device.has(ISA)),
    flags = ["-march={ISA}", "-mprefer-vector-width=512"],
    problem(rows = 2048, cols = 2048),
    work(bytes = 8 * rows * cols),
    // Cycles per element: shuffles in registers, and bytes of cache lines at 8 bytes a cycle, those of
    // the side that is walked with a stride used up to a run's or a block's end. Writing a line also
    // reads it, so that side counts twice.
    score = {
        let shuffles = if U == 1 { 1 } else { (U * U.ilog2() / 2).max(U) };
        let run = if INNER == 1 { rows.min(TR) } else { cols.min(TC) };
        let along = if INNER == 1 { 8 } else { 4 };
        let cycles = (shuffles + 5) / (U * U) + (along * (1 + 16 / run) + (12 - along) * 16 / U) / 8;
        1e9 / (rows * cols * cycles)
    },
    verify(reference = "transpose_naive", rtol = 0),
    budget(evaluations = 48, seconds = 15),
)]
pub fn transpose(
    #[len(cols * rows)] out: &mut [f32],
    #[len(rows * cols)] input: &[f32],
    rows: u32,
    cols: u32,
) -> bico::Result<()>;
