#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn fill(
    #[len(n * 0.5)] x: &[f32],
    #[len(device.cores * n)] y: &[f32],
    #[len(x.len())] z: &[f32],
    #[len(size)] w: &[f32],
    #[len(n == 1)] out: &mut [f32],
    n: u32,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&[0.0], &[0.0], &[0.0], &[0.0], &mut [0.0], 1)
}
