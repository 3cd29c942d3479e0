//! A step so small that the usual tolerance does not see it.

use crate::harness::Package;

const KERNEL: &str = r#"
void step(float *next, const float *now, int n)
{
    for (int i = 0; i < n; i += UNROLL)
        for (int j = i; j < n && j < i + UNROLL; j++)
            next[j] = now[j] + 1e-4f * (now[j > 0 ? j - 1 : j] - now[j]);
}

void plain(float *next, const float *now, int n)
{
    for (int i = 0; i < n; i++)
        next[i] = now[i] + 1e-4f * (i > 0 ? now[i - 1] - now[i] : 0);
}
"#;

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/step.c",
    space(UNROLL in [1, 4]),
    problem(n = 1000),
    verify(reference = "plain"),
    budget(evaluations = 2, seconds = 20),
)]
fn step(
    #[len(n)] next: &mut [f32],
    #[len(n)]
    #[init(uniform(320, 340))]
    now: &[f32],
    n: i32,
) -> bico::Result<()>;

fn main() {
    step(&mut [0.0; 2], &[1.0, 1.0], 2).unwrap();
}
"#;

#[test]
fn a_tolerance_wider_than_the_step() {
    let said = "the reference `plain` gives `now` again in `next`, within the tolerance, at n = 1000: a config that only copies it would pass";
    let package = Package::new("faint");
    package.file("kernels/step.c", KERNEL);
    package.file("src/main.rs", MAIN);
    package.build("tune").ok().says(said);

    package.edit("src/main.rs", "\"plain\"", "\"plain\", rtol = 1e-7");
    package
        .build("tune")
        .ok()
        .says_nothing_of("within the tolerance");

    // In place, and a copy that is meant.
    package.edit("src/main.rs", "rtol = 1e-7", "rtol = 1e-4");
    package.edit(
        "src/main.rs",
        "#[len(n)] next",
        "#[len(n)] #[init(uniform(320, 340))] next",
    );
    package.edit("kernels/step.c", "next[i] = now[i] +", "next[i] +=");
    package.edit("kernels/step.c", "next[j] = now[j] +", "next[j] +=");
    let said = "the reference `plain` leaves `next` as it was, within the tolerance";
    package.build("tune").ok().says(said);
    package.edit("kernels/step.c", "next[i] += 1e-4f", "next[i] = now[i] + 0");
    package.edit("kernels/step.c", "next[j] += 1e-4f", "next[j] = now[j] + 0");
    package
        .build("tune")
        .ok()
        .says_nothing_of("within the tolerance");
}
