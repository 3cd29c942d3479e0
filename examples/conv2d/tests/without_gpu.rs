//! What the example says where there is nothing to run on, and where it is called wrongly.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_conv2d"))
        .args(arguments)
        // Where there are GPUs, they are hidden.
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, stderr)
}

#[test]
fn it_says_what_it_needs() {
    for arguments in [&[][..], &["--size", "8", "9", "3"]] {
        let (output, stderr) = run(arguments);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("no GPU for CUDA kernels"), "{stderr}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn it_says_how_it_is_called() {
    for arguments in [
        &["--size", "8", "9"][..],
        &["--size", "8", "9", "0"],
        &["--size", "8", "9", "-3"],
        &["--sise", "8", "9", "3"],
    ] {
        let (output, stderr) = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.starts_with("usage: conv2d"), "{stderr}");
    }
}
