//! Needleman and Wunsch's alignment, by diagonals of blocks.

/// `items` holds the first row and column, and gets the others.
#[bico::tunable(
    source = ["c/quiet.h", "../sources/rodinia/openmp/nw/needle.cpp", "c/nw_call.cpp"],
    entry = "call",
    args(items, reference, n + 1 as i32, penalty),
    space(
        ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
        COST in ["very-cheap", "dynamic"],
        LOOPS in ["no-unroll-loops", "unroll-loops"],
        INLINE in ["no-inline", "inline"],
    ),
    require(device.has(ISA), n % 16 == 0),
    flags = ["-fopenmp", "-march={ISA}", "-fvect-cost-model={COST}", "-f{LOOPS}", "-f{INLINE}"],
    link = ["gomp"],
    threads = device.cores,
    problem(n = 1008, penalty = 10),
    work(bytes = 12 * n * n),
    verify(reference = "c/nw.c"),
    budget(evaluations = 12, seconds = 60),
)]
pub fn nw(
    #[len((n + 1) * (n + 1))]
    #[init(uniform(-100, 100))]
    items: &mut [i32],
    #[len((n + 1) * (n + 1))]
    #[init(uniform(-4, 12))]
    reference: &[i32],
    n: i32,
    #[value(1..=20)] penalty: i32,
) -> bico::Result<()>;
