//! Rust functions that ship as they were measured.

use crate::harness::Package;

const SHIPPED: &str = r#"#![forbid(unsafe_code)]
#![deny(warnings)]

/// Twice the sum of neighbours.
#[bico::tunable(
    space(ISA in ["x86-64-v2", "x86-64-v3"], BLOCK in [64, 256]),
    require(device.has(ISA)),
    flags = ["-Ctarget-cpu={ISA}"],
    ship = measured,
    problem(n = 4096, scale = 2.0),
    verify(reference = "plain"),
    budget(evaluations = 4, seconds = 60),
)]
pub fn sums<const BLOCK: usize>(
    #[len(n)] out: &mut [f32],
    #[len(n + 1)] x: &[f32],
    n: usize,
    scale: f64,
) {
    let wide: usize = if cfg!(target_feature = "avx2") { 8 } else { 4 };
    assert!(n != 77, "not with {n} elements, {wide} at once");
    let blocks = out.chunks_mut(BLOCK).enumerate();
    blocks.for_each(|(at, out)| plain(out, &x[at * BLOCK..], out.len(), scale));
}

fn plain(out: &mut [f32], x: &[f32], n: usize, scale: f64) {
    let kept: Vec<f32> = x[..=n].to_vec();
    for i in 0..n {
        out[i] = (kept[i] + kept[i + 1]) * scale as f32;
    }
}

fn main() -> bico::Result<()> {
    let x: Vec<f32> = (0..=5000).map(|i| i as f32).collect();
    let mut out = vec![0.0; 5000];
    for n in [1, 63, 64, 65, 4096] {
        sums(&mut out, &x, n, 2.0)?;
        assert_eq!((out[n - 1], out[n]), (4.0 * n as f32 - 2.0, 0.0));
    }
    println!("{}", bico::config_of(sums_tunable(), &[4096])?);
    if std::env::var_os("PANICS").is_some() {
        let _ = std::panic::catch_unwind(|| sums(&mut [0.0; 77], &[0.0; 78], 77, 2.0));
        println!("went on");
    }
    Ok(())
}
"#;

/// `ship = measured`: the program is linked with the object, whatever its profile, and flags are parameters.
#[test]
#[cfg(target_arch = "x86_64")]
fn what_ships_may_be_what_was_measured() {
    let package = Package::new("rust-measured");
    package.file("src/main.rs", SHIPPED);
    // No profile is asked for.
    package.build("tune").ok().says_nothing_of("was measured");
    let entry = &package.entries("sums")["n=4096, scale=2.0"];
    let toolchain = entry["toolchain"].to_string();
    assert!(!toolchain.contains("compiled anew"), "{entry:#}");
    let printed = package.run();
    assert!(printed.contains("(tuned on "), "{printed}");
    // What a config needs of a CPU is known by its flags.
    let folder = package.out_dir("sums");
    let data = std::fs::read_to_string(folder.join("sums.rs")).unwrap();
    let mut candidates = data
        .lines()
        .filter(|line| line.contains("__private::Candidate {"));
    let is_told = |line: &str| {
        let of = |level: &str| {
            line.contains(&format!("Str(\"{level}\")"))
                && line.contains(&format!("needs: &[\"{level}\"]"))
        };
        of("x86-64-v2") || of("x86-64-v3")
    };
    assert!(candidates.all(is_told), "{data}");
    // Nobody unwinds what cannot be unwound.
    let said = package.start().env("RUST_BACKTRACE", "0");
    let mut said = said.env("PANICS", "1").run().fails();
    assert!(!said.stdout.contains("went on"), "{said}");
    said = said.says("panicked at src/main.rs:21:5");
    said.says("not with 77 elements");

    // From the lock it is built by any profile, and only once.
    package
        .cargo(&["build", "--release"])
        .env("BICO", "locked")
        .run()
        .ok();
    let again = package.cargo(&["build", "--release"]).env("BICO", "locked");
    again.run().ok().says_nothing_of("Compiling");
    let lto = package.cargo(&["build", "--release"]).env("BICO", "locked");
    lto.env("CARGO_PROFILE_RELEASE_LTO", "fat")
        .run()
        .fails()
        .says("`sums` ships as it was measured, and such code cannot be linked with `lto = fat`")
        .says("src/main.rs:14:8")
        .says("leave `lto` out of `[profile.release]`");
    // What is measured and what ships are one code: another flag is another search.
    package.edit(
        "src/main.rs",
        "flags = [",
        "flags = [\"-Cllvm-args=-unroll-count=2\", ",
    );
    package.build("locked").fails().says("flags").says("sums");
}
