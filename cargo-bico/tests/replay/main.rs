//! The command `cargo bico replay`, run as users run it.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the command in a folder.
fn bico(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-bico"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Two spaces of one kernel, in a folder of their own, with a sidecar each.
fn spaces() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (gpu, shift) in [("X", 3), ("Y", 5)] {
        let mut csv = String::from("A,B,time_ms,status\n");
        for a in 0..8 {
            for b in [1, 2, 4] {
                csv += &match (a + b) % 5 {
                    0 => format!("{a},{b},,RuntimeFailedConfig\n"),
                    _ => format!("{a},{b},{},ok\n", 1 + (a - shift) * (a - shift) + b),
                };
            }
        }
        let sidecar = format!(
            r#"{{"kernel": "k", "gpu": "{gpu}", "gpu_facts": {{"vendor": "V"}}, "restrictions": [],
                "params": [{{"name": "A", "values": [0, 1, 2, 3, 4, 5, 6, 7]}}, {{"name": "B", "values": [1, 2, 4]}}]}}"#
        );
        std::fs::create_dir_all(folder.path().join("spaces")).unwrap();
        std::fs::write(folder.path().join(format!("spaces/k__{gpu}.csv")), csv).unwrap();
        std::fs::write(folder.path().join(format!("spaces/k__{gpu}.json")), sidecar).unwrap();
    }
    folder
}

#[test]
fn a_table_for_people_and_a_list_for_programs() {
    let folder = spaces();
    let options = [
        "--strategy",
        "random",
        "sequential",
        "--budget",
        "24,5",
        "--seeds",
        "4",
        "--json",
    ];
    let arguments = [&["replay", "spaces"][..], &options].concat();
    let output = bico(folder.path(), &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.contains("\nk__X      random"), "{printed}");
    assert!(printed.contains("\naverage   sequential"), "{printed}");
    assert!(text(&output.stderr).contains("k__X: 24 configs, 20 timed, 4 failed"));
    let rows: Vec<Value> = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    assert_eq!(rows.len(), 2 * 2 * 2);
    let first = &rows[0];
    assert_eq!(
        (&first["space"], &first["strategy"]),
        (&"k__X".into(), &"random".into())
    );
    assert_eq!((&first["budget"], &first["seeds"]), (&5.into(), &4.into()));
    for key in ["mean", "q25", "median", "q75", "ms_per_evaluation"] {
        assert!(first[key].is_f64(), "{key}: {first}");
    }
    // The whole space is searched: everybody is at the optimum.
    assert!(
        rows.iter()
            .filter(|row| row["budget"] == 24)
            .all(|row| row["mean"] == 1.0)
    );

    // As cargo calls it, on another number of threads: the same but for what the clock says.
    let called: Vec<&str> = std::iter::once("bico")
        .chain(arguments)
        .chain(["--threads", "3"])
        .collect();
    let again = text(&bico(folder.path(), &called).stdout);
    let timeless = |text: &str| -> Vec<Value> {
        let mut rows: Vec<Value> = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        rows.iter_mut()
            .for_each(|row| row["ms_per_evaluation"] = Value::Null);
        rows
    };
    assert_eq!(timeless(&again), timeless(&printed));
}

#[test]
fn priors_and_trails() {
    let folder = spaces();
    let all = [
        "--budget",
        "3",
        "--seeds",
        "2",
        "--trail",
        "trails",
        "--strategy",
        "random",
    ];
    for prior in [
        &["--leave-one-out"][..],
        &["--prior", "spaces"],
        &["--prior", "spaces/k__Y.csv", "--prior-trials", "2"],
    ] {
        let arguments = [
            &["replay", "spaces/k__X.json", "spaces/k__Y.csv"][..],
            prior,
            &all,
        ]
        .concat();
        let output = bico(folder.path(), &arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    for name in ["k__X/random-0", "k__X/random-1", "k__Y/random-0"] {
        let trail = folder.path().join(format!("trails/{name}.jsonl"));
        let trail = std::fs::read_to_string(trail).unwrap();
        let rows: Vec<Value> = trail
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(
            rows.len() >= 3 && rows[0]["values"]["B"].is_i64(),
            "{trail}"
        );
    }
}

#[test]
fn mistakes_are_told_apart_by_exit_status() {
    let folder = spaces();
    for (arguments, status, said) in [
        (&["replay"][..], 2, "required arguments"),
        (&["replay", "spaces", "--bugdet", "3"], 2, "--budget"),
        (
            &["replay", "spaces", "--budget", "many"],
            2,
            "invalid value 'many'",
        ),
        (
            &["replay", "spaces", "--budget", "0"],
            2,
            "a budget of 0 evaluations",
        ),
        (
            &["replay", "spaces", "--seeds", "0"],
            2,
            "invalid value '0'",
        ),
        (
            &["replay", "spaces", "--strategy", "gudied"],
            2,
            "unknown strategy `gudied`: use one of ",
        ),
        (&["replay", "none.csv"], 1, "none.csv"),
        (&["replay", "."], 1, "holds no recorded space"),
        (&["tnue"], 2, "unrecognized subcommand"),
    ] {
        let output = bico(folder.path(), arguments);
        let message = text(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{arguments:?}: {message}"
        );
        assert!(message.contains(said), "{arguments:?}: {message}");
    }
    let help = text(&bico(folder.path(), &["bico", "replay", "--help"]).stdout);
    assert!(
        help.contains("Usage: cargo bico replay [OPTIONS] <FILE>..."),
        "{help}"
    );
    assert!(
        help.contains("config 0 is not measured as a baseline"),
        "{help}"
    );
}
