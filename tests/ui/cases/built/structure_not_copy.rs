#[repr(C)]
pub struct Particle {
    mass: f32,
}

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
)]
fn structure_not_copy(#[len(n)] out: &mut [Particle], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    structure_not_copy(&mut [], 0)
}
