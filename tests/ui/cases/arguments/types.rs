#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn fill(
    #[len(n)] x: Vec<f32>,
    #[len(n)] y: &Vec<f32>,
    #[len(n)] z: &[String],
    #[len(4)] w: [f32; 4],
    #[len(n)] p: *const f32,
    #[len(n)] out: &mut [f32],
    label: String,
    wide: u128,
    count: &u32,
    n: u32,
) -> bico::Result<()>;

#[bico::tunable(space(TILE in [4, 8]), problem(n = 64))]
fn for_any_device(#[len(n)] out: &mut [f32], option: Option<f32>, n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn absent(#[len(n)] out: &mut [f32], #[len(n)] mask: Option<&[f32]>, n: u32) -> bico::Result<()>;

#[derive(Clone, Copy)]
#[repr(C)]
struct Particle {
    mass: f32,
}

#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8]),
    problem(n = 64),
    verify(live = true),
)]
fn structures(
    #[len(n)] out: &mut [Particle],
    #[len(n)]
    #[init(file = "particles.npy")]
    from: &[Particle],
    #[len(n)] pairs: &[[Particle; 2]],
    #[len(n)] boxed: &[Box<Particle>],
    n: u32,
) -> bico::Result<()>;

fn main() {}
