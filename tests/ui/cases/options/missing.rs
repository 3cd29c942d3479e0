#[bico::tunable]
fn nothing(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

#[bico::tunable(source = "kernels/fill.c", space(TILE in [4, 8]))]
fn no_problem(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    nothing(&mut [0.0], 1)?;
    no_problem(&mut [0.0], 1)?;
    let _ = no_problem_warm_up(1)?.config;
    Ok(())
}
