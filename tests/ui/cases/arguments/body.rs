/// Fills `out`.
#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
pub fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()> {
    out.fill(1.0);
    Ok(())
}

fn main() -> bico::Result<()> {
    fill(&mut [0.0], 1)
}
