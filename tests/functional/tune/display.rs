//! What it says: on a terminal, off it, and to machines.

use super::masked;
use crate::harness::Package;
use serde_json::Value;

const GOLDEN: &str = "\
work (n=#) on DEVICE: # of # configs in # at most
  #/#  #  SPIN=#
  #/#  #  SPIN=#
work (n=#): SPIN=#, median # (caches warm), #x as fast as the first config; # of #
tuned # kernel in # (# configs measured): results in bico.lock, trails in TARGET/bico/lines
";

#[test]
fn lines_where_there_is_no_terminal() {
    let package = Package::work("lines");
    let output = package.command(&["tune"]).run().ok();
    assert_eq!(masked(&package, &output), GOLDEN, "{output}");
    assert_eq!(output.stderr, "");
    assert_eq!(package.winner("work")["SPIN"], 0);
    // What is fresh stays; `--force`, or another budget, asks for it.
    let lock = package.read("bico.lock");
    assert!(package.measured());
    let again = package.command(&["tune"]).run().ok();
    again.says("1 result is fresh, and stays; `--force` measures again");
    assert!(!package.measured() && package.read("bico.lock") == lock);
    for args in [&["tune", "--force"][..], &["tune", "work", "--budget", "2"]] {
        package.command(args).run().ok().says("median");
        assert!(package.measured(), "{args:?}");
    }
    assert_eq!(entry(&package)["budget"]["evaluations"], 2);
    package.command(&["tune", "--budget", "2"]).run().ok();
    assert!(!package.measured());
    // What is asked for stands above the attribute, and the lock says so.
    let asked = [
        "tune",
        "--strategy",
        "random",
        "--seconds",
        "7",
        "--budget",
        "3",
    ];
    package.command(&asked).run().ok();
    assert!(package.measured());
    let entry = entry(&package);
    assert_eq!(entry["strategy"], "random");
    assert_eq!(
        (&entry["budget"]["evaluations"], &entry["budget"]["seconds"]),
        (&3.into(), &7.into())
    );
    // Another source is searched anew, not only looked at.
    package.edit(
        "kernels/work.c",
        "2 * x[i] + 1;\n}\n\nvoid work_ref",
        "1 + 2 * x[i];\n}\n\nvoid work_ref",
    );
    let stale = package.command(&["tune"]).run().ok();
    stale.says("of 3 configs in").says_nothing_of("fresh");
}

fn entry(package: &Package) -> Value {
    package
        .entries("work")
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap()
        .clone()
}

#[test]
fn bars_on_a_terminal() {
    let package = Package::work("bars");
    package.edit(
        "src/main.rs",
        "problem(n = 256),",
        "problem(n = 256), problem(n = 300),",
    );
    let output = package.command_seen(&["tune"], "").run().ok();
    let lock = package.lock();
    let device = lock["devices"]
        .as_object()
        .unwrap()
        .keys()
        .next()
        .unwrap()
        .clone();
    // Lines are cut at the terminal's width.
    let head: String = format!("work (n=256) on {device}")
        .chars()
        .take(60)
        .collect();
    for shown in [
        &*head,
        "preparing: ",
        "░",
        "█",
        "best ",
        " left",
        "SPIN=400000",
        "then work (n=300) on ",
    ] {
        assert!(
            output.stdout.contains(shown),
            "`{shown}` is not in {output}"
        );
    }
    // What stays is below the last drawing: nothing of that is left over.
    let (_, end) = output.stdout.rsplit_once("\x1b[2K").unwrap();
    assert!(
        end.contains("tuned 1 kernel in 2 searches") && !end.contains('█'),
        "{end:?}"
    );
    assert!(!output.stdout.contains("\x1b[?25l"), "the cursor is hidden");
}

#[test]
fn an_event_in_a_line() {
    let package = Package::work("events");
    package.edit(
        "src/main.rs",
        "SPIN in [400000, 0, 20000]",
        "SPIN in [400000, 0, 20000, 7]",
    );
    package.edit(
        "kernels/work.c",
        "void work(",
        "#if SPIN == 7\n#error no sevens\n#endif\nvoid work(",
    );
    let events = |args: &[&str]| -> Vec<Value> {
        let output = package.command(args).run().ok();
        let lines = output.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let all = events(&["tune", "--message-format", "json"]);
    let reason = |event: &Value| event["reason"].as_str().unwrap().to_string();
    let mut reasons: Vec<String> = all.iter().map(reason).collect();
    reasons.dedup();
    let expected = [
        "task",
        "search-started",
        "trial",
        "search-finished",
        "message",
        "tune-finished",
    ];
    assert_eq!(reasons, expected);
    for event in all
        .iter()
        .filter(|event| !matches!(&*reason(event), "message" | "tune-finished"))
    {
        assert_eq!(
            (&event["kernel"], &event["problem"]),
            (&"work".into(), &"n=256".into())
        );
        assert!(event["device"].is_string(), "{event:#}");
    }
    let of = |name: &str| all.iter().find(|event| event["reason"] == name).unwrap();
    assert_eq!(of("task")["action"], "search");
    let begun = of("search-started");
    assert_eq!(
        (&begun["configs"], &begun["evaluations"], &begun["resumed"]),
        (&4.into(), &8.into(), &0.into())
    );
    assert_eq!(of("search-finished")["winner"]["SPIN"], 0);
    assert_eq!(of("tune-finished")["success"], true);
    // A trial is a row of the trail.
    let trials: Vec<Value> = all
        .iter()
        .filter(|event| event["reason"] == "trial")
        .cloned()
        .collect();
    let rows = trials.into_iter().map(|mut trial| {
        let fields = trial.as_object_mut().unwrap();
        fields.remove("reason");
        trial
    });
    assert_eq!(rows.collect::<Vec<_>>(), package.trail("work"));
    let fresh = events(&["tune", "--message-format", "json"]);
    assert_eq!((fresh.len(), &fresh[0]["action"]), (2, &"keep".into()));
    // One that fails says so, and why on stderr.
    let refused = package
        .command(&["tune", "--device", "H100", "--message-format", "json"])
        .run()
        .fails();
    assert!(refused.stderr.starts_with("error: no device"), "{refused}");
    let end: Value = serde_json::from_str(refused.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(end["success"], false);
    // The lines count failures by their reasons.
    package
        .command(&["tune", "--force"])
        .run()
        .ok()
        .says("  1 failed: 1 compile");
}
