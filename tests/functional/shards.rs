//! `cargo bico tune --shard` and `cargo bico merge` of trails: one search that several jobs share.

use crate::harness::Package;
use std::path::PathBuf;

/// Eighteen configs.
fn package(name: &str) -> Package {
    let package = Package::work(name);
    package.edit("kernels/work.c", "spin < SPIN", "spin < SPIN + PAD");
    package.edit(
        "src/main.rs",
        "space(SPIN in [400000, 0, 20000]),",
        "space(SPIN in [400000, 0, 20000], PAD in 0..6),",
    );
    package.edit("src/main.rs", "evaluations = 8", "evaluations = 18");
    package
}

fn part(package: &Package, number: u64) -> PathBuf {
    let name = format!("work.shard-{number}-of-3.jsonl");
    package.trail_file("work").with_file_name(name)
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn parts_of_a_search_become_one() {
    let package = package("shared");
    package
        .command(&["tune", "--shard", "1/3"])
        .run()
        .ok()
        .says("part 1/3 of work (n=256): SPIN=");
    // By the environment, as a build has it.
    for number in [2, 3] {
        package
            .command(&["tune"])
            .env("BICO_SHARD", format!("{number}/3"))
            .run()
            .ok()
            .says("nothing in bico.lock before `cargo bico merge`");
    }
    assert!(!package.has_lock() && !package.trail_file("work").exists());
    let parts = [1, 2, 3].map(|number| part(&package, number));
    let mut configs: Vec<u64> = Vec::new();
    for part in &parts {
        for line in std::fs::read_to_string(part).unwrap().lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(row["kernel"], "work");
            if row["kind"] != "final" {
                configs.push(row["config"].as_u64().unwrap());
            }
        }
    }
    configs.sort_unstable();
    assert_eq!(configs, (0..18).collect::<Vec<_>>());
    let named: Vec<&str> = parts.iter().map(|of| of.to_str().unwrap()).collect();
    let merge = |files: &[&str]| package.command(&[&["merge"], files].concat()).run();

    // Without one part it is said which, and the others are joined.
    merge(&[named[0], named[2]])
        .ok()
        .says("has no part 2/3: of their configs nothing is known");
    package.measured();
    merge(&named)
        .ok()
        .says("18 configs of its parts; the best are measured again");
    assert!(package.measured());
    let entries = package.entries("work");
    assert_eq!(entries["n=256"]["winner"]["config"]["SPIN"], 0);
    let trail = package.trail("work");
    let tried = trail
        .iter()
        .filter(|row| row["kind"] != "final" && row["kind"] != "judged");
    assert_eq!(tried.count(), 18);
    assert!(trail.iter().all(|row| row.get("shard").is_none()));
    // It is a result as any other one.
    package.command(&["status"]).run().ok();
    package.command(&["analyse"]).run().ok();
    package.command(&["report"]).run().ok();
}

#[test]
fn mistakes_of_parts_are_told() {
    let package = package("misshared");
    for (word, why) in [
        ("0/8", "parts are counted from 1"),
        ("9/8", "there are 8"),
        ("a/b", "these are not two whole numbers"),
    ] {
        package
            .command(&["tune", "--shard", word])
            .run()
            .fails()
            .says(&format!("`{word}` is no part of a space: {why}"))
            .says("= help: write the part's number and how many there are, `1/8` to `8/8`");
        package
            .command(&["tune"])
            .env("BICO_SHARD", word)
            .run()
            .fails()
            .says(&format!(
                "BICO_SHARD: `{word}` is no part of a space: {why}"
            ));
    }
    package.command(&["tune", "--shard", "1/3"]).run().ok();
    let (file, copy) = (part(&package, 1), package.root().join("copy.jsonl"));
    let path = file.to_str().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let fails = |text: &str, files: &[&str]| {
        std::fs::write(&copy, text).unwrap();
        package.command(&[&["merge"], files].concat()).run().fails()
    };
    fails(&text, &[path, "copy.jsonl"]).says("error: part 1/3 of work (n=256) on ");
    fails(&text.replace("\"1/3\"", "\"2/4\""), &[path, "copy.jsonl"])
        .says("they share configs, and do not belong together");
    fails(
        &text.replace("\"kernel\":\"work\"", "\"kernel\":\"wrok\""),
        &["copy.jsonl"],
    )
    .says("copy.jsonl is a trail of `wrok`, which the package does not have");
    fails(&text.replace(",\"shard\":\"1/3\"", ""), &["copy.jsonl"])
        .says("copy.jsonl:1: this is no row of a part of a search: it has no `shard`")
        .says("= help: `cargo bico tune --shard 1/8` and so on write such trails");
    fails("", &["copy.jsonl", "bico.lock"]).says("bico.lock is no trail, and the others are");
    fails(&text, &["nowhere.jsonl"]).says("the trail nowhere.jsonl cannot be read");
    // Elsewhere the finals are not held, and that is said.
    let mut other = String::new();
    for line in text.lines() {
        let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["device"] = "AMD EPYC of another lab".into();
        other += &format!("{row}\n");
    }
    std::fs::write(&copy, other).unwrap();
    package.command(&["merge", "copy.jsonl"]).run().ok().says(
        "without finals and without an entry in bico.lock: AMD EPYC of another lab is not here",
    );
    assert!(!package.has_lock() && package.trail_file("work").exists());
    // Another kernel than that which was tuned.
    package.edit("kernels/work.c", "2 * x[i] + 1", "1 + 2 * x[i]");
    fails(&text, &[path])
        .says("is of another state of `work`: its source, space, launch or flags changed since");
}
