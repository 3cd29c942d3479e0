#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], ISA in ["x86-64-v2", "x86-64-v3"]),
    problem(n = 64),
    flags = ["-O3", 3, "", "-march={ISA", "-D{a b}", "-DN={n}", "-march={ISE}", "-DT=}"],
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    flags = "-O3",
)]
fn single(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
