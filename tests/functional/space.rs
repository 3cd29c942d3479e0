//! `cargo bico space` and `cargo bico devices`: what a space holds before anything is measured.

use crate::harness::Package;

/// Two parameters of which one follows, two conditions, a score.
fn package(name: &str) -> Package {
    let package = Package::work(name);
    package.edit(
        "src/main.rs",
        "space(SPIN in [400000, 0, 20000]),",
        "space(SPIN in [0, 1, 2, 3], TWICE = 2 * SPIN, WIDE in [false, true]),\n    \
         require(SPIN % 2 == 0 || WIDE, SPIN < n / 100), score = SPIN + WIDE as i64,",
    );
    package
}

/// What is printed, with the machine's own device replaced.
fn printed(package: &Package, args: &[&str]) -> String {
    let output = package.command(args).run().ok();
    let text = output
        .stdout
        .lines()
        .map(|line| match line.split_once(" on ") {
            Some((before, _)) => format!("{before} on DEVICE\n"),
            None => format!("{line}\n"),
        });
    text.collect()
}

const SHOWN: &str = "\
work on DEVICE
n=256: 3 configs of 8 combinations

parameter  values
SPIN       0, 1, 2, 3
TWICE      = 2 * SPIN: 0, 2
WIDE       false, true

alone  in order  left  only it  condition
    2         2     6        1  SPIN % 2 == 0 || WIDE
    4         3     3        3  SPIN < n / 100

rank  score   config
1     2.0000  SPIN=1 TWICE=2 WIDE=true
2     1.0000  SPIN=0 TWICE=0 WIDE=true
of 3; `--csv` has all
";

const CSV: &str = "\
problem,device,rank,config,score,SPIN,TWICE,WIDE
n=256,DEVICE,1,2,2,1,2,true
n=256,DEVICE,2,1,1,0,0,true
n=256,DEVICE,3,0,0,0,0,false
";

#[test]
fn a_space_is_shown_counted_and_listed() {
    let package = package("shown");
    assert_eq!(
        printed(&package, &["space", "work", "--why", "--top", "2"]),
        SHOWN
    );
    // Nothing is measured or written.
    assert!(!package.has_lock() && !package.measured());
    assert_eq!(
        printed(&package, &["space", "--count", "--problem", "n=1_000"]),
        "6 work (n=1000) on DEVICE\n"
    );
    let csv = package
        .command(&["space", "work", "--csv"])
        .run()
        .ok()
        .stdout;
    // The device names this machine's processor.
    let count = package.command(&["space", "--count"]).run().ok().stdout;
    let device = count.trim_end().split_once(" on ").unwrap().1;
    let csv = csv
        .replace(&format!("\"{device}\""), "DEVICE")
        .replace(device, "DEVICE");
    assert_eq!(csv, CSV);
    let json = package
        .command(&["space", "work", "--json"])
        .run()
        .ok()
        .stdout;
    let views: serde_json::Value = serde_json::from_str(&json).unwrap();
    let view = &views[0];
    assert_eq!(
        (&view["configs"], &view["combinations"]),
        (&3.into(), &8.into())
    );
    assert_eq!(view["parameters"][1]["follows"], "= 2 * SPIN");
    assert_eq!(view["top"][0]["config"]["WIDE"], true);
    assert_eq!(view["ranked_by"], "score");
}

#[test]
fn an_empty_space_says_why() {
    let package = package("empty");
    let shown = printed(&package, &["space", "--problem", "n=0"]);
    let said = "there is no config: no config meets every `require`; `SPIN < n / 100` turned most of them away";
    assert!(
        shown.contains("n=0: 0 configs of 8 combinations") && shown.contains(said),
        "{shown}"
    );
    assert_eq!(
        printed(&package, &["space", "--count", "--problem", "n=0"]),
        "0 work (n=0) on DEVICE\n"
    );
}

#[test]
fn mistakes_are_told() {
    let package = package("told");
    let fails = |args: &[&str]| package.command(args).run().fails();
    fails(&["space", "wrok"])
        .says("error: the package has no tunable `wrok`; did you mean `work`?");
    fails(&["space", "--problem", "n=many"]).says("`n=many`: `n` takes values like 256");
    fails(&["space", "--problem", "k=1"])
        .says("no tunable has all arguments that `--problem` names");
    fails(&["space", "--csv", "--count"]).says("cannot be used with");
    fails(&["space", "--device", "H100"])
        .says("NVIDIA H100 80GB HBM3 (sm_90) is a GPU, but none of these kernels is a CUDA kernel");
    fails(&["space", "--device", "H101"])
        .says("error: no GPU `H101` is known; the nearest are `NVIDIA H100 80GB HBM3`")
        .says("= help: `cargo bico devices` lists them");
    fails(&["space", "--device", "facts.json"])
        .says("error: cannot read facts.json")
        .says("--facts");
    package.file("facts.json", "{\"kind\": \"cpu\",\n \"brand\": 3}");
    fails(&["space", "--device", "facts.json"]).says("facts.json:");
    package.edit("src/main.rs", "SPIN < n / 100", "SPIN < n / SPIN");
    fails(&["space"])
        .says("division by zero")
        .says("src/main.rs:");
    package.file("large.json", &" ".repeat((1 << 20) + 1));
    fails(&["space", "--device", "large.json"])
        .says("error: large.json is too large for a file of facts");
    // Of two tunables a CSV would have two heads.
    package.edit("src/main.rs", "SPIN < n / SPIN", "SPIN < n");
    let second = crate::harness::tunable("other", "name = \"other\",");
    package.file("src/main.rs", &(package.read("src/main.rs") + &second));
    fails(&["space", "--csv"]).says("a CSV holds one kernel's configs: name one of work, other");
    assert_eq!(printed(&package, &["space", "--count"]).lines().count(), 2);
    package.file("src/main.rs", "fn main() {}\n");
    fails(&["space"]).says("error: there is no tunable in this package");
}

#[test]
fn known_devices_are_listed_with_their_sources() {
    let package = package("devices");
    let output = package.command(&["devices"]).run().ok();
    let head = "device  multiprocessors  L2 KiB  memory GB/s  clock MHz  source";
    let words: Vec<&str> = output
        .stdout
        .lines()
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(
        words.join(" "),
        head.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    for line in output.stdout.lines().skip(1) {
        assert!(line.contains("(sm_") && line.contains("NVIDIA"), "{line}");
    }
    let facts = package
        .command(&["devices", "--facts", "NVIDIA H100"])
        .run()
        .ok();
    facts.says("note: `NVIDIA H100` is taken for `NVIDIA H100 80GB HBM3`; there are also `NVIDIA H100 PCIe`");
    let facts = package
        .command(&["devices", "--facts", "NVIDIA L4"])
        .run()
        .ok();
    assert!(facts.stderr.is_empty());
    let facts: serde_json::Value = serde_json::from_str(&facts.stdout).unwrap();
    assert_eq!(facts["multiprocessors"], 58);
    assert_eq!(facts["memory_bytes_per_second"], 300_000_000_000_u64);
    assert_eq!(facts["compute_capability"], 89);
}
