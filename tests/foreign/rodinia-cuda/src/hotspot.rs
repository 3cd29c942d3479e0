//! The heat of a chip: each block takes several steps of a tile that overlaps its neighbours'.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// `steps` steps from the temperatures `from`.
#[allow(clippy::too_many_arguments)]
#[bico::tunable(
    source = "../sources/rodinia/cuda/hotspot/hotspot.cu",
    compiler = "nvcc",
    entry = "calculate_temp",
    args(steps, power, from, to, columns, rows, steps, steps, cap, rx, ry, rz, step, 0.0 as f32),
    space(
        RD_WG_SIZE in (8..=32).step_by(4),
        FMAD in ["true", "false"],
        FTZ in ["true", "false"],
        REGISTERS in [32, 48, 64],
    ),
    flags = ["--fmad={FMAD}", "--ftz={FTZ}", "--maxrregcount={REGISTERS}"],
    launch(
        grid = (columns.div_ceil(RD_WG_SIZE - 2 * steps), rows.div_ceil(RD_WG_SIZE - 2 * steps)),
        block = (RD_WG_SIZE, RD_WG_SIZE),
    ),
    problem(columns = 100, rows = 120, steps = 2, cap = 0.5, rx = 2.0, ry = 4.0, rz = 8.0, step = 0.125),
    work(flops = 24 * columns * rows, bytes = 12 * columns * rows),
    verify(reference = "c/hotspot.c"),
    budget(evaluations = 12, seconds = 300),
)]
pub fn hotspot(
    stream: &Arc<CudaStream>,
    #[len(rows * columns)]
    #[init(uniform(0, 10))]
    power: &CudaSlice<f32>,
    #[len(rows * columns)]
    #[init(uniform(20, 120))]
    from: &CudaSlice<f32>,
    #[len(rows * columns)] to: &mut CudaSlice<f32>,
    columns: i32,
    rows: i32,
    #[value(1..=3)] steps: i32,
    cap: f32,
    rx: f32,
    ry: f32,
    rz: f32,
    step: f32,
) -> bico::Result<()>;
