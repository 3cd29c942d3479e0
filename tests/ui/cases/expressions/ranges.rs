#[bico::tunable(
    source = "kernels/fill.c",
    space(
        A in 1..,
        B in 4..=1,
        C in 4..4,
        D in 0.5..=1.5,
        E in 8..=128.step_by(8),
        F in (8..=128).step_by(0),
        G in (8..=128).step_by(),
        H in [1, 2].step_by(2),
        I in powers_of_two(4),
        J in powers_of_two(4, 8),
    ),
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
