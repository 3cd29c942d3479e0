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
        assert!(what.contains(outcome) && text.contains(says), "{kind}: {row:#}");
    }
    assert_eq!(package.winner("work")["KIND"], "r");
    assert!(package.run().contains("KIND=r, SLOW=true (tuned on "));
    assert_eq!(trail.iter().filter(|row| row["kind"] != "final").count(), 8);
}
