//! Tunables without a kernel source.

use crate::harness::Package;

/// A batched product, and a program that compares it with plain loops at several sizes.
const MAIN: &str = r#"
/// Batched matrix products.
#[bico::tunable(
    einsum = "cmk, ckn -> cmn",
    space(M_PRIM in [24, 48], N_PRIM in [64], K_PRIM in [32, 128], NR in [16, 32], KU in [1], PF_A in [0], PF_C in [0]),
    require(MR >= 2),
    problem(c = 2, m = 48, n = 64, k = 72),
    budget(evaluations = 6, seconds = 60),
)]
pub fn contract(a: &[f32], b: &[f32], o: &mut [f32], c: u32, m: usize, n: i64, k: u32) -> bico::Result<()>;

/// A third input, and vectors along M.
#[bico::tunable(
    einsum = "kxm, nk, xnm -> xnm",
    space(M_PRIM in [64], N_PRIM in [24, 48], K_PRIM in [32, 128], KU in [1], PF_A in [0], PF_C in [0]),
    problem(m = 48, n = 64, k = 72, x = 2),
    budget(evaluations = 3, seconds = 60),
)]
pub fn scale(o: &mut [f32], a: &[f32], b: &[f32], d: &[f32], m: u32, n: u32, k: u32, x: u32) -> bico::Result<()>;

fn check_scale(x: usize, m: usize, n: usize, k: usize, values: impl Fn(usize, usize) -> Vec<f32>) -> bico::Result<()> {
    let (a, b, d) = (values(k * x * m, 5), values(n * k, 7), values(x * n * m, 3));
    let mut o = vec![f32::NAN; x * n * m];
    scale(&mut o, &a, &b, &d, m as u32, n as u32, k as u32, x as u32)?;
    for (at, o) in o.into_iter().enumerate() {
        let (i, column, row) = (at / (n * m), at / m % n, at % m);
        let sum: f32 = (0..k).map(|s| a[(s * x + i) * m + row] * b[column * k + s]).sum();
        assert_eq!(o, sum * d[at], "{x} {m} {n} {k}: {i} {column} {row}");
    }
    Ok(())
}

fn main() -> bico::Result<()> {
    for (c, m, n, k) in [(2, 48, 64, 72), (1, 1, 1, 1), (3, 50, 131, 77), (2, 25, 7, 300)] {
        let values = |count: usize, step: usize| -> Vec<f32> {
            (0..count).map(|i| (i * step % 17) as f32 - 8.0).collect()
        };
        check_scale(c, m, n, k, values)?;
        let (a, b) = (values(c * m * k, 5), values(c * k * n, 7));
        let mut o = vec![f32::NAN; c * m * n];
        contract(&a, &b, &mut o, c as u32, m, n as i64, k as u32)?;
        for batch in 0..c {
            for row in 0..m {
                for column in 0..n {
                    let sum: f32 = (0..k)
                        .map(|i| a[(batch * m + row) * k + i] * b[(batch * k + i) * n + column])
                        .sum();
                    assert_eq!(o[(batch * m + row) * n + column], sum, "{c} {m} {n} {k}: {batch} {row} {column}");
                }
            }
        }
    }
    println!("right: {}", bico::config_of(contract_tunable(), &[2, 48, 64, 72])?);
    Ok(())
}
"#;

fn package(name: &str) -> Package {
    let package = Package::new(name);
    package.file("src/main.rs", MAIN);
    package
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn an_einsum_is_tuned_and_runs_at_other_sizes() {
    let mut package = package("einsum");
    package.build("auto").ok();
    let printed = package.run();
    assert!(
        printed.contains("right: ") && printed.contains("(tuned on"),
        "{printed}"
    );
    let lock = package.read("bico.lock");
    let generated = package.trail_file("contract").with_extension("c");
    let text = std::fs::read_to_string(&generated).unwrap();
    assert!(
        text.contains("contract_kernel") && text.contains("cmk, ckn -> cmn"),
        "{text}"
    );
    for row in package
        .trail("contract")
        .iter()
        .filter(|row| row["kind"] != "final")
    {
        assert!(row["failure"].is_null(), "{row:#}");
    }

    // Nothing changed: cargo does not even run the script.
    let again = package.cargo(&["build", "-v"]).run().ok();
    again
        .says("Fresh einsum v0.1.0")
        .says_nothing_of("build-script-build`");

    // A new machine without a target folder, which must not measure.
    for mode in ["locked", "off", "auto"] {
        package.clean();
        package.build(mode).ok().says_nothing_of("warning");
        assert!(!package.trail_file("contract").exists(), "{mode} measured");
        assert_eq!(package.read("bico.lock"), lock, "{mode}");
        assert!(package.run().contains("(tuned on"), "{mode}");
    }

    // Spaces in the einsum say nothing; its letters do.
    package.edit("src/main.rs", "cmk, ckn -> cmn", " cmk,ckn->cmn ");
    package.build("locked").ok();
    package.edit("src/main.rs", " cmk,ckn->cmn ", "cmk, cnk -> cmn");
    package
        .build("locked")
        .fails()
        .says("bico.lock is stale for `contract` (c=2, m=48, n=64, k=72)")
        .says("source")
        .says("BICO=tune cargo build");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn the_commands_know_einsums() {
    let package = package("einsum-commands");
    package
        .command(&["check", "--configs", "3"])
        .run()
        .ok()
        .says("contract");
    assert!(!package.has_lock());
    package.command(&["tune"]).run().ok();
    assert!(package.winner("contract")["M_PRIM"].is_number());
    package.build("locked").ok();
    assert!(package.run().contains("(tuned on"));
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn mistakes_point_at_the_letter() {
    let package = package("einsum-mistakes");
    package.edit("src/main.rs", "cmk, ckn -> cmn", "cmk, ckn -> cmz");
    let column = "    einsum = \"cmk, ckn -> cm".len() + 1;
    // The command reads it itself.
    let place = format!("src/main.rs:4:{}", column - "-> cm".len() - 2);
    package.command(&["tune"]).run().fails().says(&place);
    package
        .build("auto")
        .fails()
        .says("only in the output (C)")
        .says("cmk, ckn -> cmz\n");
}
