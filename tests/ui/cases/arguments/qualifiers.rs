#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
const fn constant(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
async fn later(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
pub extern "C" fn foreign(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn generic<T>(#[len(n)] out: &mut [T], n: u32) -> bico::Result<()>
where
    T: Copy;

fn main() -> bico::Result<()> {
    constant(&mut [0.0], 1)?;
    generic(&mut [0.0], 1)
}
