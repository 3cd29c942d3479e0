#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    scratch(),
    scratch(PARTIAL: f32),
    scratch(PARTIAL = f32, len = n),
    scratch(LINES: String, len = n as f64),
    scratch(TILE: f32, len = n),
    scratch(fn: f32, len = n),
    scratch(LOCKS: u32, len = n, zero),
    scratch(FLAGS: u32, len = n, zeroed = true),
    scratch(TURNS: u32, zeroed, len = n, zeroed),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
