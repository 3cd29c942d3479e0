//! What kernels are fed with. Each has a config that is faster, and right with the numbers that buffers usually hold.

use crate::harness::Package;
use std::fs;

const KERNELS: &str = r#"
#include <stdint.h>

static void spin(void)
{
    for (volatile int i = 0; i < (RIGHT ? 100000 : 0); i++) {
    }
}

/* Wrong for indices beyond 15. */
void gather(float *y, const float *x, const uint32_t *at, uint32_t n, uint32_t m)
{
    spin();
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[RIGHT ? at[i] : at[i] % 16];
}

void gather_plain(float *y, const float *x, const uint32_t *at, uint32_t n, uint32_t m)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[at[i]];
}

/* Wrong for what only the file holds. */
void squares(uint32_t *y, const uint32_t *x, uint32_t n)
{
    spin();
    for (uint32_t i = 0; i < n; i++)
        y[i] = (RIGHT ? x[i] : x[i] & 15) * x[i];
}

void squares_plain(uint32_t *y, const uint32_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        y[i] = x[i] * x[i];
}
"#;

const PROGRAM: &str = r#"
const HALF: u32 = 2;

#[bico::tunable(
    source = "kernels/inputs.c",
    space(RIGHT in [true, false]),
    problem(n = 2048, m = 1000),
    verify(reference = "gather_plain"),
    budget(evaluations = 4, seconds = 20),
)]
fn gather(
    #[len(n)] y: &mut [f32],
    #[len(m)]
    #[init(normal(0, 1.0 / m))]
    x: &[f32],
    #[len(n)]
    #[init(uniform(m / HALF, m))]
    at: &[u32],
    n: u32,
    m: u32,
) -> bico::Result<()>;

#[bico::tunable(
    source = "kernels/inputs.c",
    space(RIGHT in [true, false]),
    problem(n = 300),
    verify(reference = "squares_plain"),
    budget(evaluations = 4, seconds = 20),
)]
fn squares(
    #[len(n)] y: &mut [u32],
    #[len(n)]
    #[init(file = "data/x.npy")]
    x: &[u32],
    n: u32,
) -> bico::Result<()>;

fn main() -> bico::Result<()> {
    let mut y = [0.0; 2];
    gather(&mut y, &[1.0, 2.0, 3.0], &[2, 0], 2, 3)?;
    let mut squared = [0];
    squares(&mut squared, &[20], 1)?;
    println!("{y:?} {squared:?}");
    Ok(())
}
"#;

/// Writes an array of integers, as NumPy does.
fn write_array(package: &Package, values: &[u32]) {
    let header = format!(
        "{{'descr': '<u4', 'fortran_order': False, 'shape': ({},), }}\n",
        values.len()
    );
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    fs::create_dir_all(package.root().join("data")).unwrap();
    fs::write(package.root().join("data/x.npy"), bytes).unwrap();
}

/// The row of the config that is wrong.
fn wrong(package: &Package, key: &str) -> String {
    let trail = package.trail(key);
    let row = trail.iter().find(|row| row["values"]["RIGHT"] == false);
    assert_eq!(row.unwrap()["failure"], "wrong", "{key}");
    row.unwrap()["detail"].to_string()
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn numbers_that_follow_the_sizes_and_files() {
    let package = Package::new("inputs");
    package.file("kernels/inputs.c", KERNELS);
    package.file("src/main.rs", PROGRAM);
    let values: Vec<u32> = (0..300).map(|at| 40 * at).collect();
    write_array(&package, &values[1..]);
    package
        .build("auto")
        .fails()
        .says("`data/x.npy` has 299 elements, `x` has 300 (n=300)")
        .says("src/main.rs:33:19");
    write_array(&package, &values);
    package.build("auto").ok().says_nothing_of("never used");
    for key in ["gather", "squares"] {
        assert_eq!(package.winner(key)["RIGHT"], true, "{key}");
    }
    assert!(wrong(&package, "squares").contains("n = 300"));
    wrong(&package, "gather");
    assert!(package.run().contains("[3.0, 1.0] [400]"));

    // Whoever has not got the file builds from the lock; another one is another input.
    let file = package.root().join("data/x.npy");
    fs::rename(&file, package.folder().join("x.npy")).unwrap();
    package.build("locked").ok();
    write_array(&package, &vec![7; 300]);
    package
        .build("locked")
        .fails()
        .says("headers changed since it was tuned");
    fs::rename(package.folder().join("x.npy"), &file).unwrap();
    package.edit(
        "src/main.rs",
        "uniform(m / HALF, m)",
        "uniform(m, 10 * HALF)",
    );
    package
        .build("locked")
        .fails()
        .says("there is no number from `m` to `10 * HALF` (m=1000, n=2048)");
}
