#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
struct Fill;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
mod kernels {}

fn main() {}
