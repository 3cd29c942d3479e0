#[bico::tunable(
    source = "kernels/fill.c",
    space(
        A in [1, 2, 1],
        B in [[1, 2], [3]],
        C in [1, 0.5],
        D in ["float", true],
        E in if A == 1 { [1, 2] } else { 3 },
        F in if A == 1 { [1, 2] } else { ["a"] },
        G in [0; 3],
    ),
    require(A == [1, 2], match [1, 2] { _ => true }),
    score = [1, 2],
    problem(n = 64),
)]
fn fill(#[len(n)] out: &mut [f32], n: u32) -> bico::Result<()>;

fn main() {}
