//! The example runs to its end and says what it should, on any CPU.

use std::process::Command;

fn run(mode: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_new-device"))
        .args(["--calls", "40"])
        .env("BICO_RUNTIME", mode)
        .env("BICO_CACHE", "off")
        .output()
        .expect("the example starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether or not the lock knows the CPU that runs the tests.
#[test]
fn shows_what_calls_teach() {
    let said = run("anew");
    assert!(said.contains("  33 to 40 "), "{said}");
    assert!(said.contains("gemm at m=512, n=512, k=512\non "), "{said}");
    assert!(said.contains("exploring cost "), "{said}");
    assert!(
        said.contains("the oracle: every candidate timed 21 times"),
        "{said}"
    );
    assert!(said.contains(" 40 calls took "), "{said}");
    assert!(said.contains("  these calls  "), "{said}");
    let choice = said.lines().filter(|line| line.contains("bico's choice"));
    assert_eq!(choice.count(), 1, "{said}");
}
