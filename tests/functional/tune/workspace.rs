//! Several packages, several problems, some devices.

use crate::harness::{KERNEL, Package, tunable};

#[test]
fn all_packages_that_tune() {
    let package = Package::work("whole");
    let manifest = package.read("Cargo.toml");
    package.file(
        "Cargo.toml",
        &format!("{manifest}\n[workspace]\nmembers = [\"more/*\"]\n"),
    );
    for (name, key) in [("one", "first"), ("two", "second")] {
        let member = manifest.replace("name = \"whole\"", &format!("name = \"{name}\""));
        package.file(&format!("more/{name}/Cargo.toml"), &member);
        package.file(
            &format!("more/{name}/build.rs"),
            "fn main() {\n    bico_build::tune();\n}\n",
        );
        package.file(&format!("more/{name}/kernels/work.c"), KERNEL);
        package.file(&format!("more/{name}/src/lib.rs"), &tunable(key, ""));
    }
    package.file("more/plain/Cargo.toml", "[package]\nname = \"plain\"\n");
    let has = |name: &str| package.root().join(name).exists();
    package
        .command(&["tune", "second", "--workspace"])
        .run()
        .ok()
        .says("second (n=256)");
    assert!(has("more/two/bico.lock") && !has("more/one/bico.lock") && !has("bico.lock"));
    let all = package.command(&["tune", "--workspace"]).run().ok();
    all.says("work (n=256): SPIN=0")
        .says("first (n=256): SPIN=0")
        .says("1 result is fresh");
    assert!(has("more/one/bico.lock") && has("bico.lock") && !has("more/plain/bico.lock"));
    let wrong = package
        .command(&["tune", "thrid", "--workspace"])
        .run()
        .fails();
    wrong
        .says("the workspace has no tunable `thrid`")
        .says("second");
    // One that fails does not keep the others from it.
    package.edit("more/one/src/lib.rs", "space(", "spaec(");
    let partly = package
        .command(&["tune", "--workspace", "--force"])
        .run()
        .fails();
    assert_eq!(partly.code, Some(1));
    partly
        .says("`spaec`")
        .says("work (n=256): SPIN=0")
        .says("second (n=256): SPIN=0");
}

#[test]
fn problems_and_devices_by_name() {
    let package = Package::work("named");
    package.edit(
        "src/main.rs",
        "problem(n = 256),",
        "problem(n = 256), problem(n = 4096),",
    );
    let problems = || {
        package
            .entries("work")
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    package
        .command(&["tune", "--problem", "n=4_096"])
        .run()
        .ok();
    assert_eq!(problems(), ["n=4096"]);
    let rows = |problem: &str| {
        package
            .trail("work")
            .iter()
            .filter(|row| row["problem"] == problem)
            .count()
    };
    let kept = rows("n=4096");
    package
        .command(&["tune", "--device", "CPU"])
        .run()
        .ok()
        .says("1 result is fresh");
    assert_eq!(problems(), ["n=256", "n=4096"]);
    // The trail keeps what the other search wrote.
    assert!(kept > 0 && rows("n=4096") == kept && rows("n=256") > 0);

    let refused = package.command(&["tune", "--problem", "n=7"]).run().fails();
    refused
        .says("error: no problem has `n=7`")
        .says("there are: `n=256` of work, `n=4096` of work");
    for name in ["H100", "gpu"] {
        let refused = package.command(&["tune", "--device", name]).run().fails();
        refused
            .says(&format!(
                "error: no device that these kernels run on is called `{name}`"
            ))
            .says("there are: ");
    }
}

#[test]
fn seconds_stand_above_the_cap() {
    let package = Package::work("capped");
    package.manifest("[package.metadata.bico]\ncap = 0\n");
    let capped = package.command(&["tune"]).run();
    capped.says("the package's cap on tuning is used up");
    assert!(!package.has_lock() && !package.measured());
    package.command(&["tune", "--seconds", "9"]).run().ok();
    let entries = package.entries("work");
    let entry = entries.as_object().unwrap().values().next().unwrap();
    assert_eq!(entry["budget"]["seconds"], 9);
}
