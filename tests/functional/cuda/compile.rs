//! `cargo bico compile`, with the host driver's NVRTC.

use super::kernel::{MAIN, TYPES, tunable, work};

#[test]
#[ignore = "slow: .ci/run runs it"]
fn one_kernel_of_several() {
    let package = work("compiled");
    let text = format!(
        "{TYPES}{}{}{MAIN}",
        tunable("work", ""),
        tunable("other", "")
    );
    package.file("src/main.rs", &text);
    let compile = |more: &[&str]| {
        let all = [&["compile", "--arch", "80", "--configs", "1"], more].concat();
        package.command(&all).run()
    };
    let compiled = |more: &[&str]| {
        let said = compile(more).ok().stdout;
        let heads = said.lines().filter(|line| line.contains("), NVRTC "));
        let names: Vec<String> = heads
            .filter_map(|line| Some(line.split_once(' ')?.0.to_string()))
            .collect();
        names
    };
    assert_eq!(compiled(&[]), ["work", "other"]);
    assert_eq!(compiled(&["--only", "other"]), ["other"]);
    compile(&["--only", "othr"])
        .fails()
        .says("error: there is no CUDA kernel `othr`; did you mean `other`?");
}
