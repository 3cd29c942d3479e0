//! A matrix as a product of two triangular ones, block by block.

/// In the place of `a`, with ones on the diagonal of the lower one.
#[bico::tunable(
    source = ["c/quiet.h", "../sources/rodinia/openmp/lud/omp/lud_omp.c", "c/lud_workers.c"],
    entry = "lud_omp",
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        COST in ["very-cheap", "dynamic", "unlimited"],
        WORKERS in [1, 2],
    ),
    require(device.has(ISA), WORKERS <= device.cores, n >= 16, n % 16 == 0),
    flags = ["-fopenmp", "-march={ISA}", "-fvect-cost-model={COST}"],
    link = ["gomp"],
    threads = 2,
    problem(n = 384),
    work(flops = 2 * n * n * n / 3, bytes = 8 * n * n),
    inputs(file = "c/lud.c", entry = "fill"),
    verify(reference = "c/lud.c", rtol = 1e-3),
    budget(evaluations = 12, seconds = 60),
)]
pub fn lud(
    #[len(n * n)]
    #[init(uniform(-1, 1))]
    a: &mut [f32],
    n: i32,
) -> bico::Result<()>;
