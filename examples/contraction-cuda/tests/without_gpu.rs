//! What the example says where there is nothing to run on.

use std::process::Command;

#[test]
fn it_says_what_it_needs() {
    let output = Command::new(env!("CARGO_BIN_EXE_contraction-cuda"))
        // Where there are GPUs, they are hidden.
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!(output.status.code(), Some(1), "{stdout}{stderr}");
    assert!(stderr.contains("no GPU for CUDA kernels"), "{stderr}");
}
