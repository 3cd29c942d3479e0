#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    require(
        device > 1,
        device.l2 > 1,
        device.warp_size > 1,
        device.supports("avx2"),
        device.has(avx2),
        device.has(3),
        device.has(),
    ),
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
