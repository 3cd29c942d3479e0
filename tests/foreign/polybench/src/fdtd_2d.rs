//! Electric and magnetic fields of a plane in turns, with a pulse from one side.

/// `tmax` steps.
#[bico::tunable(
    source = ["../sources/polybench/stencils/fdtd-2d/fdtd-2d.c", "../sources/polybench/utilities/polybench.c"],
    include = ["../sources/polybench/utilities"],
    entry = "kernel_fdtd_2d",
    args(tmax, nx, ny, ex, ey, hz, pulse),
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        COST in ["very-cheap", "dynamic", "unlimited"],
        LOOPS in ["no-unroll-loops", "unroll-loops"],
        SUMS in ["no-associative-math", "associative-math"],
    ),
    require(device.has(ISA), nx >= 1),
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
    problem(tmax = 10, nx = 200, ny = 240),
    work(flops = 11 * tmax * nx * ny, bytes = 48 * nx * ny),
    verify(reference = "c/fdtd_2d.c"),
    budget(evaluations = 12, seconds = 60),
)]
pub fn fdtd_2d(
    #[len(nx * ny)]
    #[init(uniform(-1, 1))]
    ex: &mut [f64],
    #[len(nx * ny)]
    #[init(uniform(-1, 1))]
    ey: &mut [f64],
    #[len(nx * ny)]
    #[init(uniform(-1, 1))]
    hz: &mut [f64],
    #[len(tmax)]
    #[init(uniform(-1, 1))]
    pulse: &[f64],
    tmax: i32,
    nx: i32,
    ny: i32,
) -> bico::Result<()>;
