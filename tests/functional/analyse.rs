//! `cargo bico analyse`: what searches teach of a space.

use crate::harness::Package;

/// Eighteen configs, all of which a search tries: two values of SPIN are far from the best, and PAD does next to nothing.
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

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_search_is_read_and_its_narrower_space_can_be_pasted() {
    let package = package("analysed");
    package
        .command(&["analyse"])
        .run()
        .fails()
        .says("error: there is no trail of `work` in ")
        .says("= help: `cargo bico tune work --force` searches, and leaves one there; `--trail FILE` names that of another machine");
    package.command(&["tune"]).run().ok();
    let (lock, measured) = (package.read("bico.lock"), package.measured());
    let said = package.command(&["analyse", "work"]).run().ok().stdout;
    for part in [
        ": 18 of 18 configs tried, 0 failed, best ",
        "within 1 % of its winner after ",
        "what matters (ω²): SPIN ",
        "never within 10 %",
        // What PAD does is noise, and on a busy machine noise is twice the time of a call.
        "values:\n\n    space(\n        SPIN in [0],\n        PAD in ",
        "loses",
        "0.0 %",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    assert!(measured && !package.measured() && package.read("bico.lock") == lock);

    let json = package.command(&["analyse", "--json"]).run().ok().stdout;
    let views: serde_json::Value = serde_json::from_str(&json).unwrap();
    let view = &views[0];
    assert_eq!(view["searches"][0]["space"], 18);
    assert_eq!(view["searches"][0]["loss"], 0.0);
    let without = view["narrower"]["without"].as_array().unwrap();
    let gone: Vec<&str> = without
        .iter()
        .filter_map(|of| of["value"].as_str())
        .collect();
    assert!(
        gone.contains(&"400000") && gone.contains(&"20000"),
        "{gone:?}"
    );
    let narrower = view["searches"][0]["narrower_space"].as_u64().unwrap();
    // Pasted, it is a space of that size, and the search's own winner is in it.
    let text = view["narrower"]["attribute"].as_str().unwrap();
    package.edit(
        "src/main.rs",
        "space(SPIN in [400000, 0, 20000], PAD in 0..6),",
        text,
    );
    let count = package.command(&["space", "--count"]).run().ok().stdout;
    assert!(count.starts_with(&format!("{narrower} work ")), "{count}");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn trails_of_others_count_and_mistakes_are_told() {
    let package = package("others");
    package.command(&["tune"]).run().ok();
    let trail = package.trail_file("work");
    let text = std::fs::read_to_string(&trail).unwrap();
    // The same search on a device that is not here: what it found far here is the best there.
    let device = package.lock()["devices"]
        .as_object()
        .unwrap()
        .keys()
        .next()
        .unwrap()
        .clone();
    let mut other = String::new();
    for line in text.lines() {
        let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["device"] = "AMD EPYC of another lab".into();
        if row["values"]["SPIN"] == 20000 {
            row["seconds"] = 1e-9.into();
        }
        other += &format!("{row}\n");
    }
    assert!(text.contains(&device));
    let path = package.root().join("work.theirs.jsonl");
    std::fs::write(&path, other).unwrap();
    let both = |more: &[&str]| {
        let args = [&["analyse", "work", "--trail", "work.theirs.jsonl"], more].concat();
        package.command(&args).run().ok().stdout
    };
    let said = both(&[]);
    // Nobody here knows how many configs there are on that device, so that six tries of 400000 prove nothing.
    for part in [
        "on AMD EPYC of another lab: 18 configs tried",
        "SPIN=400000     12",
        "tried too seldom to tell: stays",
        "no value is known to be far from the best",
        "note: only 18 configs of n=256 on AMD EPYC of another lab were tried",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let own = both(&["--device", &device]);
    assert!(own.contains("SPIN in [0],"), "{own}");
    package
        .command(&["analyse", "wrok"])
        .run()
        .fails()
        .says("error: the package has no tunable `wrok`; did you mean `work`?");
    package
        .command(&["analyse", "--trail", "nowhere.jsonl"])
        .run()
        .fails()
        .says("error: there is no trail nowhere.jsonl");
    package
        .command(&["analyse", "--device", "H100"])
        .run()
        .fails()
        .says("error: there is no trail of `work` on \"H100\" in ")
        .says("help: there are:\n      n=256 on ");
    std::fs::write(&path, format!("{text}no row\n")).unwrap();
    package
        .command(&["analyse", "--trail", "work.theirs.jsonl"])
        .run()
        .fails()
        .says("work.theirs.jsonl:");
}
