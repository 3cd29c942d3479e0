//! Bodies by coordinates, a tile of them at a time.

/// What all bodies do to the speed of each in a time of `dt`.
#[bico::tunable(
    source = ["../sources/mini-nbody/mic/nbody-block.c", "c/call.c"],
    include = ["../sources/mini-nbody"],
    entry = "call",
    args(x, y, z, vx, vy, vz, dt, n, TILE as i32),
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        TILE in [256, 512, 1024, 2048, 4096],
        LOOPS in ["no-unroll-loops", "unroll-loops"],
        SUMS in ["no-associative-math", "associative-math"],
    ),
    require(device.has(ISA)),
    flags = [
        "-fopenmp",
        "-DSHMOO",
        "-march={ISA}",
        "-f{LOOPS}",
        "-f{SUMS}",
        "-fno-signed-zeros",
        "-fno-trapping-math",
        "-fno-math-errno",
    ],
    link = ["gomp", "m"],
    threads = device.cores,
    problem(dt = 0.01, n = 1500),
    work(flops = 20 * n * n, bytes = 24 * n),
    verify(reference = "c/blocked.c", rtol = 1e-3),
    budget(evaluations = 12, seconds = 60),
)]
pub fn blocked(
    #[len(n)]
    #[init(uniform(-1, 1))]
    vx: &mut [f32],
    #[len(n)]
    #[init(uniform(-1, 1))]
    vy: &mut [f32],
    #[len(n)]
    #[init(uniform(-1, 1))]
    vz: &mut [f32],
    #[len(n)]
    #[init(uniform(-1, 1))]
    x: &[f32],
    #[len(n)]
    #[init(uniform(-1, 1))]
    y: &[f32],
    #[len(n)]
    #[init(uniform(-1, 1))]
    z: &[f32],
    dt: f32,
    n: i32,
) -> bico::Result<()>;
