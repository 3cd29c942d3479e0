#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8u32], LANES in [4, 9223372036854775808]),
    require(
        TILE as usize > 1,
        0.5f32 * (TILE as f64) > 1.0,
        TILE as f64 < 1e999,
        (TILE as f64) < 1e999,
        TILE < b'x',
    ),
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
