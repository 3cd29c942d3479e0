#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], KIND in ["float", "half"], TENSOR in [true, false], RATIO in [0.5, 1.0]),
    require(
        TILE,
        KIND,
        RATIO,
        TILE * RATIO > 1.0,
        1 + RATIO > 1.0,
        TILE + TENSOR > 4,
        TILE == "4",
        KIND < "half",
        !TILE == 1,
        -KIND == 1,
        TILE && TENSOR,
        TILE > 4.0,
        RATIO > 1,
        RATIO.div_ceil(2) > 1,
        (RATIO + 0.5).div_ceil(2) > 1,
        KIND.is_power_of_two(),
        KIND as i64 > 1,
    ),
    work(flops = TENSOR, bytes = KIND),
    score = KIND,
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
