#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64, scale = 0.5))]
fn fill(
    x: &[f32],
    #[length(n)] y: &[f32],
    #[len(n)]
    #[init(random)]
    z: &[f32],
    #[len(n)]
    #[align(48)]
    w: &[f32],
    #[len(n)]
    #[init(uniform(1, -1))]
    out: &mut [f32],
    #[len(1)] scale: f64,
    #[init(ones)] n: u32,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    fill(&[0.0], &[0.0], &[0.0], &[0.0], &mut [0.0], 0.5, 1)
}
