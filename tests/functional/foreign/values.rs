//! Numbers that are no sizes: each has a wrong config that is right, and faster, with the problem's value alone.

use crate::harness::Package;

const KERNELS: &str = r#"
#include <stdint.h>

static void spin(void)
{
    for (volatile int i = 0; i < (RIGHT ? 100000 : 0); i++) {
    }
}

/* Wrong where there is something to go on from. */
void checksum(uint32_t *out, const uint32_t *x, uint32_t n, uint32_t previous)
{
    spin();
    uint32_t sum = RIGHT ? previous : 0;
    for (uint32_t i = 0; i < n; i++)
        sum = 31 * sum + x[i];
    *out = sum;
}

/* Wrong where the offset lies beyond the middle. */
void scaled(float *y, const float *x, uint32_t n, int64_t first, float scale, _Bool negated)
{
    spin();
    float factor = negated ? -scale : scale;
    for (uint32_t i = 0; i < n; i++)
        y[i] = factor * x[i + (RIGHT || first < 2 ? first : 2)];
}

void checksum_plain(uint32_t *out, const uint32_t *x, uint32_t n, uint32_t previous)
{
    for (uint32_t i = 0; i < n; i++)
        previous = 31 * previous + x[i];
    *out = previous;
}

void scaled_plain(float *y, const float *x, uint32_t n, int64_t first, float scale, _Bool negated)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = (negated ? -scale : scale) * x[i + first];
}
"#;

const PROGRAM: &str = r#"
#[bico::tunable(
    source = "kernels/values.c",
    space(RIGHT in [true, false]),
    problem(n = 1024, previous = 0),
    verify(reference = "checksum_plain"),
    budget(evaluations = 4, seconds = 20),
)]
fn checksum(#[len(1)] out: &mut [u32], #[len(n)] x: &[u32], n: u32, #[value] previous: u32) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/values.c",
    space(RIGHT in [true, false]),
    problem(n = 1024, scale = 0.5, negated = false),
    budget(evaluations = 4, seconds = 20),
    verify(reference = "scaled_plain"),
)]
fn scaled(
    #[len(n)] y: &mut [f32],
    #[len(n + first)] x: &[f32],
    n: u32,
    #[value(0..=4)] first: i64,
    #[value] scale: f32,
    #[value] negated: bool,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    println!("{}", checksum_warm_up(1024)?);
    let x: Vec<u32> = (0..1024).collect();
    let (mut once, mut twice) = ([0], [0]);
    checksum(&mut once, &x, 1024, 7)?;
    checksum(&mut twice, &x[..512], 512, 7)?;
    let half = twice[0];
    checksum(&mut twice, &x[512..], 512, half)?;
    println!("equal: {}", once == twice);
    println!("{}", bico::config_of(checksum_tunable(), &[1024])?);

    let x: Vec<f32> = (0..1028).map(|i| i as f32).collect();
    let mut y = vec![0.0; 1024];
    scaled(&mut y, &x, 1024, 4, 3.0, true)?;
    println!("y[1] = {}", y[1]);
    println!("{}", scaled(&mut y, &x, 1024, 5, 3.0, true).unwrap_err());
    println!("{}", bico::status(checksum_tunable()).len());
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn what_is_no_size() {
    let package = Package::new("values");
    package.file("kernels/values.c", KERNELS);
    package.file("src/main.rs", PROGRAM);
    package.build("auto").ok();
    for key in ["checksum", "scaled"] {
        assert_eq!(package.winner(key)["RIGHT"], true, "{key}");
        let problems = package.entries(key);
        let problems: Vec<&String> = problems.as_object().unwrap().keys().collect();
        assert_eq!(problems, ["n=1024"]);
        let trail = package.trail(key);
        let row = trail.iter().find(|row| row["values"]["RIGHT"] == false);
        assert_eq!(row.unwrap()["failure"], "wrong");
        let why = row.unwrap()["detail"].to_string();
        let named = match key {
            "checksum" => "previous = ",
            _ => "first = ",
        };
        assert!(why.contains(named), "{why}");
    }
    let said = package.run();
    for text in ["RIGHT=true", "equal: true", "y[1] = -15", "1029"] {
        assert!(said.contains(text), "{text}: {said}");
    }

    // Another value is no other problem, and none that its range has not.
    let lock = package.read("bico.lock");
    package.edit("src/main.rs", "previous = 0)", "previous = 5)");
    package.build("locked").ok().says_nothing_of("warning");
    assert_eq!(package.read("bico.lock"), lock);
    package.edit("src/main.rs", "scale = 0.5,", "scale = 0.5, first = n - 1,");
    package
        .build("locked")
        .fails()
        .says("`first = 1023` is outside of its range, 0 to 4")
        .says("src/main.rs:14:5");
}
