#[bico::tunable(
    source = "kernels/fill.c",
    space(
        TILE in [4, 8],
        TILE in [16],
        n in [1, 2],
        ACT in ["silu"],
        match in [1, 2],
        device in [1, 2],
    ),
    require(
        { let TILE = 1; TILE > 1 },
        { let n = 1; n > 1 },
        { let WIDE = 1; WIDE > 1 },
    ),
    problem(n = 64, const ACT = "silu"),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
