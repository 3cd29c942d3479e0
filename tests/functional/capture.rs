//! `BICO_CAPTURE` and `cargo bico capture`: which sizes a program calls with, and what to tune for them.

use crate::harness::{Package, tunable};

/// Calls `work` with many sizes, of some of them often.
const CALLS: &str = r#"
fn main() -> bico::Result<()> {
    for (n, count) in [(256, 10), (4096, 30), (4100, 20), (60_000, 5)] {
        let (x, mut y) = (vec![1.0; n], vec![0.0; n]);
        for _ in 0..count {
            work(&mut y, &x, n as u32)?;
        }
    }
    Ok(())
}
"#;

/// A line of a file of captured calls.
fn line(calls: u64, nanoseconds: u64, rest: &str) -> String {
    format!("{calls:020} {nanoseconds:020} {rest}\n")
}

fn file(lines: &[String]) -> String {
    "bico capture 1\n".to_string() + &lines.concat()
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn what_a_program_calls_is_shown_proposed_and_tuned() {
    let package = Package::work("captured");
    let source = format!("{}{CALLS}", tunable("work", ""));
    package.file("src/main.rs", &source);
    package.build("tune").ok();
    let calls = package.folder().join("calls");
    // Without the feature nothing is captured.
    package.start().env("BICO_CAPTURE", &calls).run().ok();
    assert!(!calls.exists());
    let (plain, capturing) = (
        "features = [\"einsum\"]",
        "features = [\"einsum\", \"capture\"]",
    );
    package.edit("Cargo.toml", plain, capturing);
    package.build("locked").ok();
    package.start().run().ok();
    assert!(!calls.exists());
    for _ in 0..2 {
        package.start().env("BICO_CAPTURE", &calls).run().ok();
    }
    let path = calls.display().to_string();
    let shown = package.command(&["capture", &path]).run().ok();
    shown
        .says("nearest problem")
        .says("n=4096")
        .says("n=60000")
        .says("  60  ")
        .says("  40  ")
        .says("nothing was written: `--write` adds them to the attributes");
    assert_eq!(package.read("src/main.rs"), source);
    package
        .command(&["capture", &path, "--write"])
        .run()
        .ok()
        .says("main.rs");
    let written = package.read("src/main.rs");
    // One of two that are near, and what takes the most time of all.
    assert!(written.contains("    problem(n = 60000), // "), "{written}");
    assert!(
        written.contains("problem(n = 4096)") != written.contains("problem(n = 4100)"),
        "{written}"
    );
    assert!(written.contains("    problem(n = 256),\n"), "{written}");
    package.build("tune").ok();
    let lock = package.lock();
    let mut devices = lock["kernels"]["work"].as_object().unwrap().values();
    assert_eq!(devices.next().unwrap().as_object().unwrap().len(), 3);
    package
        .command(&["capture", &path])
        .run()
        .ok()
        .says("nothing to propose")
        .says("0.0 %");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn what_a_call_reads_is_what_tuning_reads() {
    let package = Package::work("sampled");
    package.edit(
        "Cargo.toml",
        "features = [\"einsum\"]",
        "features = [\"einsum\", \"capture\"]",
    );
    package.build("auto").ok();
    let calls = package.folder().join("calls");
    let call = package.start().env("BICO_CAPTURE", &calls);
    call.env("BICO_CAPTURE_DATA", "1").run().ok();
    let sample = package.folder().join("calls.data/work,n=256,x.npy");
    std::fs::copy(sample, package.root().join("x.npy")).unwrap();
    package.edit(
        "src/main.rs",
        "#[len(n)] x:",
        "#[len(n)] #[init(file = \"x.npy\")] x:",
    );
    package.build("tune").ok();
    assert_eq!(package.winner("work")["SPIN"], 0);
}

#[test]
fn a_hostile_file_changes_nothing() {
    let package = Package::work("hostile");
    let source = package.read("src/main.rs");
    let manifest = package.read("Cargo.toml");
    let lines = [
        line(9, 9_000_000, "other work n=5000"),
        line(9, 9_000_000, "hostile work%1b;[31m n=5000"),
        line(9, 9_000_000, "hostile work m=5000"),
        line(9, 9_000_000, "hostile work n=5000)%20;evil("),
        line(9, 9_000_000, "hostile work n=5000 ACT=evil"),
        line(9, 9_000_000, "hostile work n=-5"),
        line(9, 9_000_000, "hostile work n=0"),
        line(9, 9_000_000, "hostile work n=99999999999999999999999"),
        line(9, 9_000_000, "hostile ../../work n=5000"),
        line(u64::MAX, u64::MAX, "hostile work *"),
        "../../../etc/passwd\n".to_string(),
        "\u{1b}]0;evil\u{7}\n".to_string(),
    ];
    package.file("calls", &file(&lines));
    let said = package.command(&["capture", "calls", "--write"]).run().ok();
    said.says("2 lines are no calls, the first is line 12")
        .says("9 calls left out: they are of the package `other`")
        .says("the package has no tunable `work\\u{1b}[31m`")
        .says("these are no sizes of `work`: it has changed since")
        .says("nothing to propose")
        .says_nothing_of("\u{1b}");
    assert_eq!(package.read("src/main.rs"), source);
    assert_eq!(package.read("Cargo.toml"), manifest);
    assert!(!package.has_lock());
}

#[test]
fn what_is_no_file_of_calls_is_refused() {
    let package = Package::work("refused");
    for text in ["", "bico capture 2\n", "{\"version\": 1}\n"] {
        package.file("calls", text);
        package
            .command(&["capture", "calls"])
            .run()
            .fails()
            .says("calls is no file of captured calls: it does not begin with `bico capture 1`")
            .says("name the file that BICO_CAPTURE named");
    }
    package
        .command(&["capture", "nowhere"])
        .run()
        .fails()
        .says("cannot read nowhere")
        .says("BICO_CAPTURE=FILE cargo run");
    package
        .command(&["capture", "src"])
        .run()
        .fails()
        .says("src is no file");
    package.file("calls", &file(&[]));
    package
        .command(&["capture", "calls"])
        .run()
        .ok()
        .says("no calls of this package's kernels were captured");
    package
        .command(&["capture", "calls", "--only", "wrk"])
        .run()
        .fails()
        .says("did you mean `work`?");
}

#[cfg(target_arch = "x86_64")]
#[test]
#[ignore = "slow: .ci/run runs it"]
fn launches_of_a_gpu_are_counted_when_they_are_through() {
    let package = crate::cuda::kernel::work("launched");
    let (plain, capturing) = (
        "features = [\"cuda\", \"einsum\"] }",
        "features = [\"cuda\", \"einsum\", \"capture\"] }",
    );
    package.edit("Cargo.toml", plain, capturing);
    package.build("auto").ok();
    let calls = package.folder().join("calls");
    let said = package.start().run().ok().stdout;
    for _ in 0..2 {
        let run = package.start().env("BICO_CAPTURE", &calls).run().ok();
        assert_eq!(run.stdout, said);
    }
    // What the launches read, for `#[init(file = ..)]`.
    let sampled = package
        .start()
        .env("BICO_CAPTURE", package.folder().join("other"));
    assert_eq!(
        sampled.env("BICO_CAPTURE_DATA", "1").run().ok().stdout,
        said
    );
    let sample = package.folder().join("other.data/work,n=256,x.npy");
    let bytes = std::fs::read(&sample).unwrap();
    let elements = bytes[bytes.len() - 4 * 256..].as_chunks::<4>().0.iter();
    let elements: Vec<f32> = elements.map(|of| f32::from_le_bytes(*of)).collect();
    let expected: Vec<f32> = (0..256).map(|i| i as f32).collect();
    assert_eq!(elements, expected);
    assert!(!sample.with_file_name("work,n=256,y.npy").exists());
    std::fs::copy(sample, package.root().join("x.npy")).unwrap();
    package.edit(
        "src/main.rs",
        "#[len(n)] x:",
        "#[len(n)] #[init(file = \"x.npy\")] x:",
    );
    package.build("tune").ok();

    let text = std::fs::read_to_string(&calls).unwrap();
    let lines = text
        .lines()
        .filter(|line| line.ends_with(" launched work n=256"));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), 2, "{text}");
    for line in lines {
        assert_eq!(line[..20].parse::<u64>().unwrap(), 1, "{text}");
        assert!(line[21..41].parse::<u64>().unwrap() > 0, "{text}");
    }
    let path = calls.display().to_string();
    let shown = package.command(&["capture", &path]).run().ok();
    shown.says("work    n=256 ");
}
