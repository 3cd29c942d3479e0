#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn unseen(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    unseen(&mut [0.0], 1)
}
