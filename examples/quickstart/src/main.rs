//! The smallest user of bico: one kernel, two parameters.

/// Dot product of `x` and `y`.
#[bico::tunable(
    source = "kernels/dot.c",
    space(ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"], LANES in powers_of_two(1..=128)),
    require(device.has(ISA)),
    flags = ["-march={ISA}"],
    problem(n = 4096),
    work(flops = 2 * n, bytes = 8 * n),
    verify(reference = "dot_reference", rtol = 1e-4, atol = 1e-3),
    budget(seconds = 5),
)]
fn dot(
    #[len(1)] out: &mut [f32],
    #[len(n)] x: &[f32],
    #[len(n)] y: &[f32],
    n: u32,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    let x: Vec<f32> = (0..4096).map(|i| (i % 7) as f32).collect();
    let y = vec![0.5; 4096];
    let mut out = [0.0];
    dot(&mut out, &x, &y, 4096)?;
    println!("x . y = {}", out[0]);
    println!("{}", bico::config_of(dot_tunable(), &[4096])?);
    Ok(())
}
