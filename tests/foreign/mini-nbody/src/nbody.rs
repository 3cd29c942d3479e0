//! An array of bodies.

/// A body.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// Where it is.
    pub at: [f32; 3],
    /// How fast it is.
    pub speed: [f32; 3],
}

/// What all bodies do to the speed of each in a time of `dt`.
#[bico::tunable(
    source = "../sources/mini-nbody/nbody.c",
    entry = "bodyForce",
    args(bodies, dt, n),
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        COST in ["very-cheap", "dynamic", "unlimited"],
        LOOPS in ["no-unroll-loops", "unroll-loops"],
        SUMS in ["no-associative-math", "associative-math"],
    ),
    require(device.has(ISA)),
    flags = [
        "-fopenmp",
        "-DSHMOO",
        "-march={ISA}",
        "-fvect-cost-model={COST}",
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
    verify(reference = "c/nbody.c", rtol = 1e-3),
    budget(evaluations = 12, seconds = 60),
)]
pub fn nbody(
    #[len(n)]
    #[init(uniform(-1, 1))]
    bodies: &mut [Body],
    dt: f32,
    n: i32,
) -> bico::Result<()>;
