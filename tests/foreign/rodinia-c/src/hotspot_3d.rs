//! Heat in a stack of layers.

/// The result is in `to` after an odd number of steps, else in `from`.
#[bico::tunable(
    source = ["c/quiet.h", "../sources/rodinia/openmp/hotspot3D/3D.c"],
    entry = "computeTempOMP",
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        COST in ["very-cheap", "dynamic", "unlimited"],
        LOOPS in ["no-unroll-loops", "unroll-loops"],
        SUMS in ["no-associative-math", "associative-math"],
    ),
    require(device.has(ISA)),
    flags = [
        "-fopenmp",
        "-march={ISA}",
        "-fvect-cost-model={COST}",
        "-f{LOOPS}",
        "-f{SUMS}",
        "-fno-signed-zeros",
        "-fno-trapping-math",
    ],
    link = ["gomp", "m"],
    threads = device.cores,
    problem(nx = 128, ny = 128, nz = 8, capacity = 1.0, rx = 1.5, ry = 1.25, rz = 2.0, dt = 0.1, steps = 3),
    work(flops = 42 * nx * ny * nz, bytes = 12 * nx * ny * nz),
    verify(reference = "computeTempCPU"),
    budget(evaluations = 12, seconds = 60),
)]
pub fn hotspot_3d(
    #[len(nx * ny * nz)] power: &[f32],
    #[len(nx * ny * nz)]
    #[init(uniform(300, 350))]
    from: &mut [f32],
    #[len(nx * ny * nz)]
    #[init(zeros)]
    to: &mut [f32],
    nx: i32,
    ny: i32,
    nz: i32,
    capacity: f32,
    rx: f32,
    ry: f32,
    rz: f32,
    dt: f32,
    #[value(1..=4)] steps: i32,
) -> bico::Result<()>;
