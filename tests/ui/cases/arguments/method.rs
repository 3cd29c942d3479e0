struct Filler;

impl Filler {
    #[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
    fn fill(&self, #[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;
}

fn main() -> bico::Result<()> {
    Filler.fill(&mut [0.0], 1)
}
