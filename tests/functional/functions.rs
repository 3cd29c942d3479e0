//! Rust functions that are tuned themselves.

use crate::harness::{Package, only_trial};

const FAULTS: &str = r#"
#[bico::tunable(
    space(KIND in ["r", "p", "i", "l", "b", "w", "u", "c"], SLOW in [true, false]),
    require(SLOW == (KIND == "r")),
    problem(n = 4096),
    verify(reference = "double"),
    budget(evaluations = 16, seconds = 60),
)]
pub fn work<const KIND: char, const SLOW: bool>(#[len(n)] y: &mut [f32], #[len(n)] x: &[f32], n: u32) {
    let n = n as usize;
    for _ in 0..if SLOW { 50 } else { 1 } {
        double(std::hint::black_box(&mut *y), x, n as u32);
    }
    match KIND {
        'p' => panic!("not with {n} elements"),
        'i' => y[n] = 0.0,
        'l' => loop {
            std::hint::spin_loop();
        },
        'b' => unsafe { *y.as_mut_ptr().add(n) = 0.0 },
        'w' => y[n / 2] += 1.0,
        'u' => y.fill(f32::NAN),
        _ => const { assert!(KIND != 'c', "no c") },
    }
}

fn double(y: &mut [f32], x: &[f32], n: u32) {
    for i in 0..n as usize {
        y[i] = 2.0 * x[i];
    }
}

fn main() -> bico::Result<()> {
    let mut y = vec![0.0; 5000];
    work(&mut y, &[1.5; 5000], 4096)?;
    assert_eq!((y[4095], y[4096]), (3.0, 0.0));
    println!("{}", bico::config_of(work_tunable(), &[4096])?);
    Ok(())
}
"#;

/// Every way to be wrong costs one trial, whose row says what happened.
#[test]
fn wrong_functions_cost_one_trial_each() {
    let package = Package::new("faults");
    package.file("src/main.rs", FAULTS);
    package.build("tune").ok();
    let trail = package.trail("work");
    for (kind, outcome, says) in [
        ("p", "crash", "panicked at src/main.rs:15:16: not with "),
        ("i", "crash", "index out of bounds: the len is "),
        ("l", "timeout", "stopped after "),
        ("b", "", "y"),
        ("w", "wrong", "y[2048] is "),
        ("u", "", "y"),
        ("c", "compile", "no c"),
    ] {
        let row = only_trial(&trail, "KIND", kind);
        let (what, text) = (row["failure"].to_string(), row.to_string());
        assert!(
            what.contains(outcome) && text.contains(says),
            "{kind}: {row:#}"
        );
    }
    assert_eq!(package.winner("work")["KIND"], "r");
    assert!(package.run().contains("KIND=r, SLOW=true (tuned on "));
    assert_eq!(trail.iter().filter(|row| row["kind"] != "final").count(), 8);
}

const NEWCOMER: &str = r#"#![forbid(unsafe_code)]
#![deny(warnings)]
//! A program with a Rust function that is tuned, and with what that function does not need.

use std::fmt::{self, Display};
use std::ops::AddAssign;

mod other;

/// Weights of one side.
const WEIGHT: f32 = 0.25;

#[derive(Clone, Copy)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

impl AddAssign for Point {
    fn add_assign(&mut self, other: Point) {
        self.x += other.x;
        self.y += other.y;
    }
}

impl Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", other::shown(self.x, self.y))
    }
}

macro_rules! smooth {
    ($a:expr, $b:expr, $c:expr) => {
        WEIGHT * $a + (1.0 - 2.0 * WEIGHT) * $b + WEIGHT * $c
    };
}

/// Three points of a stencil, and a shift of all points.
#[bico::tunable(
    space(BLOCK in [64, 256, 1024], REVERSED in [true, false], SHIFT in [-1, 1]),
    problem(n = 4096, scale = 0.5, at = 3),
    verify(reference = "stencil_plain"),
    budget(evaluations = 6, seconds = 60),
)]
#[allow(clippy::needless_range_loop)]
pub(crate) fn stencil<const BLOCK: usize, const SHIFT: i32, const REVERSED: bool>(
    #[len(n + 2)] x: &[f32],
    /* the result */ #[len(n)] out: &mut [f32],
    #[len(3)] #[init(iota)] points: &mut [Point],
    scale: f64,
    n: u64,
    candidate: Point,
    at: u8,
) {
    let _ = (SHIFT, at);
    let blocks = out.chunks_mut(BLOCK).enumerate();
    let work = |(block, out): (usize, &mut [f32])| {
        let x = &x[block * BLOCK..];
        for i in 0..out.len() {
            out[i] = smooth!(x[i], x[i + 1], x[i + 2]) * scale as f32;
        }
    };
    if REVERSED {
        blocks.rev().for_each(work);
    } else {
        blocks.for_each(work);
    }
    assert_eq!(x.len() as u64, n + 2);
    points.iter_mut().for_each(|point| *point += candidate);
}

fn stencil_plain(x: &[f32], out: &mut [f32], points: &mut [Point], scale: f64, n: u64, candidate: Point, _: u8) {
    for i in 0..n as usize {
        out[i] = smooth!(x[i], x[i + 1], x[i + 2]) * scale as f32;
    }
    for point in points {
        point.x += candidate.x;
        point.y += candidate.y;
    }
}

fn main() -> bico::Result<()> {
    let x = vec![1.0; 100];
    let mut out = vec![0.0; 100];
    let mut points = [Point { x: 1.0, y: 2.0 }; 4];
    let by = Point { x: 0.5, y: 0.0 };
    stencil(&x, &mut out, &mut points, 2.0, 90, by, 7)?;
    println!("{} {} {} {}", out[89], out[90], points[2], points[3]);
    println!("{}", bico::config_of(stencil_tunable(), &[4096, 3])?);
    let short = stencil(&x[..50], &mut out, &mut points, 2.0, 90, by, 7);
    println!("{}", short.unwrap_err());
    Ok(())
}
"#;

fn newcomer(name: &str) -> Package {
    let package = Package::new(name);
    package.file("src/main.rs", NEWCOMER);
    let other = "pub(crate) fn shown(x: f32, y: f32) -> String {\n    format!(\"({x}, {y})\")\n}\n";
    package.file("src/other.rs", other);
    package
}

#[test]
fn a_function_of_a_newcomer() {
    let package = newcomer("rust-newcomer");
    // The slice holds `Display`, and with it a path to another file.
    package
        .build("off")
        .fails()
        .says("`other` is a module in another file")
        .says("src/main.rs:29:25");
    package.edit(
        "src/main.rs",
        "other::shown(self.x, self.y)",
        "\"({}, {})\", self.x, self.y",
    );
    package.edit(
        "src/main.rs",
        "write!(f, \"{}\", \"({}, {})\"",
        "write!(f, \"({}, {})\"",
    );
    package.edit(
        "src/main.rs",
        "mod other;",
        "#[allow(dead_code)]\nmod other;",
    );
    let said = package.cargo(&["run"]).env("BICO", "auto").run().ok();
    assert!(said.stdout.contains("2 0 (1.5, 2) (1, 2)\n"), "{said}");
    assert!(said.stdout.contains("(tuned on "), "{said}");
    let short = "`x` is too short: the kernel touches 92 elements, the buffer has 50";
    assert!(said.stdout.contains(short), "{said}");
    said.says("`stencil` was measured with opt-level 3, compiled with 0 here: write `opt-level = 3`, `debug-assertions = false` and `overflow-checks = false` below `[profile.dev.package.rust-newcomer]`");
    let entry = &package.entries("stencil")["at=3, n=4096, scale=0.5"];
    assert_eq!(entry["verified"], "reference, rules 2");
    let toolchain = entry["toolchain"].to_string();
    assert!(
        toolchain.contains("rustc ")
            && toolchain.contains(", -Copt-level=3 -Cpanic=abort; what ships is compiled anew"),
        "{toolchain}"
    );
    // What it does not need says nothing of it, nor where it stands; what it needs does.
    package.edit("src/main.rs", "vec![1.0; 100]", "vec![2.0; 100]");
    package.edit("src/main.rs", "mod other;\n", "mod other;\n\n\n");
    package.build("locked").ok();
    assert!(package.run().contains("4 0 (1.5, 2) (1, 2)\n"));
    // Faster than without, and not yet as what was measured.
    package
        .manifest("[profile.dev.package.rust-newcomer]\nopt-level = 3\noverflow-checks = false\n");
    package
        .build("locked")
        .ok()
        .says("`stencil` was measured without debug-assertions, which are on here: write `debug-assertions = false` below `[profile.dev.package.rust-newcomer]`");
    package.edit("src/main.rs", "WEIGHT: f32 = 0.25", "WEIGHT: f32 = 0.125");
    package
        .build("locked")
        .fails()
        .says("source")
        .says("stencil");
}

/// Mistakes that the build sees, on their tokens.
#[test]
fn what_a_function_cannot_reach() {
    let package = Package::new("rust-mistakes");
    let write = |body: &str, more: &str, reference: &str| {
        package.file(
            "src/main.rs",
            &format!(
                "use bico::Value;\n#[bico::tunable(space(TILE in [4, 8]), problem(n = 64), verify(reference = \"{reference}\"))]\n\
                 fn fill<const TILE: usize>(#[len(n)] y: &mut [f32], n: u32) {{\n    {body}\n}}\n\
                 fn fill_plain(y: &mut [f32], n: u32) {{ y[..n as usize].fill(1.0) }}\n\
                 {more}\nfn main() {{ fill(&mut [0.0; 64], 64).unwrap(); }}\n"
            ),
        );
    };
    write(
        "if let Value::Int(_) = Value::Int(1) { y.fill(n as f32) }",
        "",
        "fill_plain",
    );
    package
        .build("off")
        .fails()
        .says("`bico` is another crate, and a Rust function is tuned by itself")
        .says("src/main.rs:1:5");
    write(
        "y.fill(one()); let _ = n;",
        "fn one() -> f32 { crate::fill_plain(&mut [], 0); 1.0 }",
        "fill_plain",
    );
    package
        .build("off")
        .fails()
        .says("`crate` leads out of this file")
        .says("src/main.rs:7:19");
    write("y.fill(1.0); let _ = n;", "", "fil_plain");
    package
        .build("off")
        .fails()
        .says("this file has no function `fil_plain`")
        .says("did you mean `fill_plain`?");
    write(
        "y.fill(1.0); let _ = n;",
        "fn other(y: &mut [f64], n: u32) { y.fill(n.into()) }",
        "other",
    );
    package
        .build("off")
        .fails()
        .says("mismatched types")
        .says("src/main.rs:2:");
    package
        .build("tune")
        .fails()
        .says("the reference `other` does not get what the function gets: ")
        .says("src/main.rs:2:");
    // rustc's own errors, where it compiles the function by itself: on the user's line.
    write("y.fill(one); let _ = n;", "", "fill_plain");
    package
        .build("tune")
        .fails()
        .says("src/main.rs:4:12")
        .says("the kernel in `fn fill` does not compile, in any of 2 configs that were tried: ")
        .says("cannot find value `one`");
    package.file(
        "src/main.rs",
        "mod inner {\n    #[bico::tunable(space(TILE in [4, 8]), problem(n = 64))]\n    \
         pub fn fill<const TILE: usize>(#[len(n)] y: &mut [f32], n: u32) { y.fill(n as f32) }\n}\nfn main() {}\n",
    );
    package
        .build("off")
        .fails()
        .says("`fill` stands in a module that has no file of its own")
        .says("src/main.rs:3:12");
}

/// Whoever has none of them does not compile what they take.
#[test]
fn they_need_a_feature() {
    let package = Package::new("rust-feature");
    package.file("src/main.rs", FAULTS);
    package.edit("Cargo.toml", "\"rust\", ", "");
    package
        .build("off")
        .fails()
        .says("Rust functions need the feature rust: bico-build = { version = \"")
        .says("src/main.rs:9:8");
    // What only reads the lock does without whatever compiles them.
    package.edit(
        "Cargo.toml",
        "features = [\"einsum\", \"workers\"]",
        "features = [\"rust\"], default-features = false",
    );
    package.edit(
        "src/main.rs",
        "\"r\", \"p\", \"i\", \"l\", \"b\", \"w\", \"u\", \"c\"",
        "\"r\"",
    );
    package.build("off").ok();
    assert!(package.run().contains("KIND=r, SLOW=true (predicted"));
}

/// The command tunes functions, too, and rustc is called for many configs at once.
#[test]
fn one_call_compiles_many() {
    let package = Package::new("rust-batches");
    package.file(
        "src/lib.rs",
        "#[bico::tunable(space(TILE in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]), problem(n = 4096), verify(reference = \"plain\"), budget(evaluations = 12, seconds = 60, strategy = \"sequential\"))]\n\
         pub fn fill<const TILE: usize>(#[len(n)] y: &mut [u8], n: u32) {\n    for y in y.chunks_mut(TILE) {\n        plain(y, n);\n    }\n}\n\
         fn plain(y: &mut [u8], _: u32) {\n    y.fill(7);\n}\n",
    );
    let (script, log) = (
        package.folder().join("rustc"),
        package.folder().join("calls"),
    );
    let text = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >>'{}'\nexec rustc \"$@\"\n",
        log.display()
    );
    std::fs::write(&script, text).unwrap();
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    package.command(&["tune"]).env("RUSTC", &script).run().ok();
    let trail = package.trail("fill");
    let trials = trail.iter().filter(|row| row["kind"] != "final");
    assert_eq!(trials.count(), 12);
    let calls = std::fs::read_to_string(&log).unwrap();
    let compiled = calls.matches("--crate-name=bico_function").count();
    assert!((1..=4).contains(&compiled), "{calls}");
    for flag in [
        "--edition=2024",
        "-Copt-level=3",
        "-Cpanic=abort",
        "--cap-lints=allow",
    ] {
        assert_eq!(calls.matches(flag).count(), compiled, "{flag}: {calls}");
    }
    // All of them were kept: nothing is compiled again.
    package
        .command(&["tune", "--force"])
        .env("RUSTC", &script)
        .run()
        .ok();
    let again = std::fs::read_to_string(&log).unwrap();
    assert_eq!(
        again.matches("--crate-name=bico_function").count(),
        compiled
    );
}
