//! `family(..)`: one function per element type.

#[bico::tunable(source = "kernels/k.c", family(T = "float"), space(TILE in [1, 2]), problem(n = 1))]
fn form<T>(#[len(n)] y: &mut [T], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/k.c", family(T in [f32]), space(TILE in [1, 2]), problem(n = 1))]
fn unnamed<T>(#[len(n)] y: &mut [T], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/k.c", family(T in [f32 = "float", f32 = "real"]), space(TILE in [1, 2]), problem(n = 1))]
fn twice<T>(#[len(n)] y: &mut [T], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/k.c", family(T in [f32 = "float"]), family(U in [f32 = "float"]), space(TILE in [1, 2]), problem(n = 1))]
fn two<T>(#[len(n)] y: &mut [T], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/k.c", family(T in [f32 = "float"]), space(TILE in [1, 2]), problem(n = 1))]
fn plain(#[len(n)] y: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/k.c", family(T in [f32 = "float", f64 = "double"]), space(T in [1, 2]), problem(n = 1))]
fn taken<T>(#[len(n)] y: &mut [T], n: u32) -> bico::Result<()>;

fn main() {}
