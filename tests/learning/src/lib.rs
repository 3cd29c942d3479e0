//! CPU kernels whose candidates take as long as `COST` says: see `build.rs` and `data`.

/// out = 3 * in. Tuned on somebody else's CPU; the ranking prefers the slowest.
#[bico::tunable(
    source = "kernels/spin.c",
    space(COST in [60, 1, 120, 30, 45]),
    problem(n = 16384),
    work(bytes = 8 * n),
    score = COST,
)]
pub fn spin(#[len(n)] out: &mut [u32], #[len(n)] input: &[u32], n: u32) -> bico::Result<()>;

/// The same kernel. Tuned on this CPU, where the winner is said to be `COST=30`.
#[bico::tunable(
    source = "kernels/spin.c",
    entry = "spin",
    space(COST in [60, 1, 120, 30, 45]),
    problem(n = 16384),
    work(bytes = 8 * n),
    score = COST,
)]
pub fn known(#[len(n)] out: &mut [u32], #[len(n)] input: &[u32], n: u32) -> bico::Result<()>;

/// As `spin`, with scratch memory: such wrappers have no short way for settled calls.
#[bico::tunable(
    source = "kernels/roomy.c",
    space(COST in [60, 1, 120, 30, 45]),
    problem(n = 16384),
    work(bytes = 8 * n),
    score = COST,
    scratch(ROOM: u32, len = n),
)]
pub fn roomy(#[len(n)] out: &mut [u32], #[len(n)] input: &[u32], n: u32) -> bico::Result<()>;

/// Nobody has verified any candidate: the first call of each is compared with another's.
#[bico::tunable(
    source = "kernels/liar.c",
    space(COST in [60, 1, 120, 30, 45]),
    problem(n = 16384),
    work(bytes = 8 * n),
    score = COST,
    verify(live = true),
)]
pub fn liar(#[len(n)] out: &mut [u32], #[len(n)] input: &[u32], n: u32) -> bico::Result<()>;

/// Nobody has verified any candidate, and nobody asks for it.
#[bico::tunable(
    source = "kernels/liar.c",
    entry = "liar",
    space(COST in [60, 1, 120, 30, 45]),
    problem(n = 16384),
    work(bytes = 8 * n),
    score = COST,
)]
pub fn guess(#[len(n)] out: &mut [u32], #[len(n)] input: &[u32], n: u32) -> bico::Result<()>;

/// As `spin`; the slower a candidate, the longer the buffer that it asks for.
#[bico::tunable(
    source = "kernels/spin.c",
    entry = "spin",
    space(COST in [60, 1, 120, 30, 45]),
    problem(n = 16384),
    work(bytes = 8 * n),
    score = COST,
)]
pub fn padded(
    #[len(n)] out: &mut [u32],
    #[len(n + COST - 1)] input: &[u32],
    n: u32,
) -> bico::Result<()>;
