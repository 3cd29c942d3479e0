#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn nothing(#[len(n)] out: &mut [f32], n: u32);

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn number(#[len(n)] out: &mut [f32], n: u32) -> f32;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn other(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<u32>;

fn main() -> bico::Result<()> {
    nothing(&mut [0.0], 1)?;
    number(&mut [0.0], 1)?;
    other(&mut [0.0], 1)?;
    Ok(())
}
