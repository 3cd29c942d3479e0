//! A mistake is reported once, and nothing about those who call what could not be made.

/// Fills `out`, wrongly.
#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(m = 64))]
pub fn bad(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

mod inner {
    #[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]), problem(m = 64))]
    pub(crate) unsafe fn bad(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;
}

fn main() -> bico::Result<()> {
    let mut out = [0.0; 64];
    bad(&mut out, 64)?;
    let choice = bad_warm_up(64)?;
    bad_with(&choice.config, &mut out, 64)?;
    println!("{}", bico::config_of(bad_tunable(), &[64])?);
    let choice = inner::bad_warm_up(64)?;
    unsafe { inner::bad_with(&choice.config, &mut out, 64) }
}
