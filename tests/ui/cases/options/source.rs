#[bico::tunable(source = "kernels/fill.rs", space(TILE in [4, 8]), problem(n = 64))]
fn language(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "/home/me/fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn absolute(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels\\fill.c", space(TILE in [4, 8]), problem(n = 64))]
fn backslash(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill\n.c", space(TILE in [4, 8]), problem(n = 64))]
fn control(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = concat!("fill", ".c"), space(TILE in [4, 8]), problem(n = 64))]
fn computed(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = ["kernels/fill.h", "kernels/fill.c", "kernels/fill.cu"], space(TILE in [4, 8]), problem(n = 64))]
fn languages(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", include = ["/usr/include"], space(TILE in [4, 8]), problem(n = 64))]
fn include(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    language(&mut [0.0], 1)
}
