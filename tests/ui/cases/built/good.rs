//! About a good tunable, rustc has nothing to say: not even a lint, all of which run to find the
//! unused variable at the end.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all)]

/// The widest tile.
const WIDTH: u32 = 8;

/// Fills `out`.
#[bico::tunable(
    source = "kernels/fill.c",
    space(TILE in [4, 8], ISA in ["x86-64-v2", "x86-64-v3"], FAST = TILE == 8),
    require(TILE <= WIDTH, n >= TILE, device.has(ISA)),
    flags = ["-march={ISA}"],
    problem(n = 64, const ACT = "silu"),
    problem(n = 4096, const ACT = "relu"),
    scratch(PARTIAL: f32, len = n / TILE),
    work(flops = 2 * n, bytes = 4.0 * n as f64),
)]
pub fn good(#[len(n)] out: &mut [f32], n: u32, act: &str) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    let mut out = [0.0; 64];
    good(&mut out, 64, "silu")?;
    let choice = good_warm_up(64, "relu")?;
    good_with(&choice.config, &mut out, 64, "relu")?;
    println!("{}", bico::config_of(good_tunable(), &[64])?);
    let last = out[63];
    Ok(())
}
