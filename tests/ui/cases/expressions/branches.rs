#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], TENSOR in [true, false]),
    require(
        if TILE == 4 { true },
        if TILE { true } else { false },
        if TILE == 4 { true } else { 1 },
        match TILE { 4 => true },
        match TILE { 4 if TENSOR => true, _ => false },
        match TILE { tile => true },
        match TILE { 1..4 => true, _ => false },
        match TILE { 8..=4 => true, "4" => true, _ => false },
        match TILE { 4 => true, _ => 1 },
        { let x = TILE; },
        { TILE; true },
        { let (a, b) = TILE; true },
    ),
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
