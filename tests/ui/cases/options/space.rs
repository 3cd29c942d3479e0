#[bico::tunable(source = "kernels/fill.c", space(), problem(n = 64))]
fn empty(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(
        TILE in 4,
        UNROLL = [1, 2, 4],
        const WIDTH = 8,
        PREFETCH,
        LANES in,
        STEP: 2,
        DEPTH(3),
        SPLIT in [],
    ),
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
