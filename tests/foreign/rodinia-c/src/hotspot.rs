//! Heat in a plate, a step of it.
//!
//! In blocks at the border of the plate what lies on no border gets what the element before it got: those elements, which
//! the kernel computes wrong, are left out by the judge. It also takes columns for rows, so plates are square.

/// `to` is what `from` becomes.
#[bico::tunable(
    source = ["../sources/rodinia/openmp/hotspot/hotspot_openmp.cpp", "c/hotspot_call.cpp"],
    entry = "call",
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        COST in ["very-cheap", "dynamic", "unlimited"],
        LOOPS in ["no-unroll-loops", "unroll-loops"],
        WORKERS in [1, 2],
    ),
    require(device.has(ISA), WORKERS <= device.cores, n % 16 == 0),
    flags = ["-fopenmp", "-march={ISA}", "-fvect-cost-model={COST}", "-f{LOOPS}"],
    link = ["gomp"],
    threads = 2,
    problem(n = 512, cap = 0.1, rx = 1.0, ry = 0.75, rz = 0.5),
    work(flops = 12 * n * n, bytes = 12 * n * n),
    verify(reference = "c/hotspot.c", judge(file = "c/hotspot_judge.c", entry = "judge")),
    budget(evaluations = 12, seconds = 60),
)]
pub fn hotspot(
    #[len(n * n)] to: &mut [f32],
    #[len(n * n)]
    #[init(uniform(300, 350))]
    from: &[f32],
    #[len(n * n)]
    #[init(uniform(0, 10))]
    power: &[f32],
    n: i32,
    cap: f32,
    rx: f32,
    ry: f32,
    rz: f32,
) -> bico::Result<()>;
