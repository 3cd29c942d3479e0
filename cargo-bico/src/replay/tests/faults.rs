//! What is wrong with a file is said with its place, and nothing that a file holds makes us panic.

use super::{Folder, gzip, rows, sidecar};
use crate::replay::{Recording, locate};
use proptest::prelude::*;

fn message(name: &str, text: &str) -> String {
    let folder = Folder::new();
    let error = folder.read(name, text).unwrap_err();
    let text = error.to_string();
    text.replace(&folder.0.path().display().to_string(), "DIR")
}

#[test]
fn faults_of_a_csv_have_a_place_and_a_way_out() {
    for (text, expected) in [
        (
            "",
            "the file is empty\n  --> DIR/a.csv\n  = help: name a recorded space",
        ),
        (
            "A,B\n1,2\n",
            "has no column `time_ms`\n  --> DIR/a.csv:1\n  = help: a recorded space has a column for each parameter, then time_ms and status",
        ),
        (
            "A,time_ms\n1,2\n1,2,3\n",
            "this row has 3 fields, but the header has 2\n  --> DIR/a.csv:3\n  = help: the file was cut off or edited: fetch it again",
        ),
        (
            "A,time_ms\n1,fast\n",
            "`fast` in column `time_ms` is no number\n  --> DIR/a.csv:2\n  = help: leave the field empty where nothing was measured",
        ),
        (
            "A,time_ms\n",
            "holds no config\n  --> DIR/a.csv\n  = help: a recorded space has one row or entry for each measured config",
        ),
    ] {
        assert_eq!(message("a.csv", text), expected);
    }
}

#[test]
fn faults_of_json_have_a_place_and_a_way_out() {
    for (text, expected) in [
        (
            "{\n\"results\": [\n1",
            "ends in the middle\n  --> DIR/a.json:3\n  = help: the file was cut off: fetch or write it again",
        ),
        (
            "{\"a\": }",
            "is no JSON: expected value at line 1 column 7\n  --> DIR/a.json:1\n  = help: a recorded space is a CSV or a JSON file, plain or gzipped",
        ),
        (
            "[1]",
            "is a list, no recorded space\n  --> DIR/a.json\n  = help: a recorded space in JSON is an object with `cache` or `results`",
        ),
        (
            "{\"a\": 1}",
            "this JSON is no recorded space\n  --> DIR/a.json\n  = help: it has neither `cache` (Kernel Tuner), `results` (T4) nor `params` (the sidecar of a CSV)",
        ),
        (
            "{\"cache\": {}}",
            "has neither `tune_params_keys` nor `tune_params`\n  --> DIR/a.json\n  = help: a Kernel Tuner cache names its parameters there",
        ),
        (
            r#"{"tune_params_keys": ["A"], "cache": {"1": {"B": 1}}}"#,
            "config `1` of `cache`: has no `A`\n  --> DIR/a.json",
        ),
        (
            r#"{"tune_params_keys": ["A"], "tune_params": {"A": [1]}, "cache": {"2": {"A": 2}}}"#,
            "config `2` of `cache`: its `A` is not among the values of `tune_params`\n  --> DIR/a.json",
        ),
        (
            r#"{"results": [{"configuration": {"A": [1]}}]}"#,
            "`results[0]` has a list for `A`, no number, string or truth value\n  --> DIR/a.json",
        ),
        (
            r#"{"results": [{"configuration": {"A": 1}}, {"configuration": {"A": 1, "B": 1}}]}"#,
            "`results[1]` has a parameter `B` that `results[0]` has not\n  --> DIR/a.json",
        ),
        (
            r#"{"params": []}"#,
            "describes a recorded space whose CSV is missing\n  --> DIR/a.json\n  = help: put a.csv.gz beside it",
        ),
    ] {
        assert_eq!(message("a.json", text), expected);
    }
}

#[test]
fn faults_of_a_sidecar_are_its_own() {
    let folder = Folder::new();
    let said = |sidecar: &str| {
        folder.write("k.json", sidecar);
        folder
            .read("k.csv", rows(&[(1, 1, 1.0)]))
            .unwrap_err()
            .message
    };
    assert_eq!(said("{}"), "has no `params`");
    assert_eq!(
        said(r#"{"params": 1}"#),
        "`params` is a number, but a list is wanted"
    );
    assert_eq!(
        said(r#"{"params": [{"name": "A"}]}"#),
        "`params[0]` has no `name` or no `values`"
    );
    assert_eq!(
        said(r#"{"params": [{"name": "A", "values": [null]}]}"#),
        "the values of parameter `A` are no numbers, strings or truth values"
    );
    assert_eq!(
        said(r#"{"params": [{"name": "A", "values": [1]}, {"name": "A", "values": [1]}]}"#),
        "parameter `A` stands in `params` twice"
    );
    assert_eq!(
        said(&sidecar("3")),
        "`restrictions` is a number, but a list is wanted"
    );
    assert_eq!(
        said(&sidecar("[3]")),
        "`restrictions` holds something that is no string"
    );
    assert_eq!(
        said(r#"{"gpu_facts": {"warp_size": "x"}, "params": []}"#),
        "`gpu_facts` cannot be read: invalid type: string \"x\", expected i64"
    );
    assert_eq!(
        said(r#"{"params": [{"name": "A", "values": [2]}]}"#),
        "`1` is no value of parameter `A`"
    );
}

#[test]
fn what_is_not_there_or_damaged() {
    let folder = Folder::new();
    let missing = Recording::read(&folder.0.path().join("none.csv")).unwrap_err();
    assert!(missing.message.starts_with("cannot be read: "), "{missing}");
    assert!(locate(&folder.0.path().join("none")).is_err());
    let empty = locate(folder.0.path()).unwrap_err();
    assert_eq!(empty.message, "holds no recorded space");
    let packed = gzip(&rows(&[(1, 1, 1.0), (2, 1, 1.0)]));
    let error = folder
        .read("a.csv.gz", &packed[..packed.len() - 9])
        .unwrap_err();
    assert!(
        error
            .message
            .starts_with("is gzipped, but cannot be unpacked"),
        "{error}"
    );
    let error = folder.read("a.csv", b"A,time_ms\n1,\xff\n").unwrap_err();
    assert_eq!(
        (error.message.as_str(), error.line),
        ("is no UTF-8 text", 2)
    );
}

#[test]
fn a_folder_stands_for_the_spaces_in_it() {
    let folder = Folder::new();
    folder.write("b__X.csv", rows(&[(1, 1, 1.0)]));
    folder.write("b__X.json", sidecar("[]"));
    folder.write(
        "a.json.gz",
        gzip(r#"{"tune_params_keys": [], "cache": {}}"#),
    );
    folder.write("a_T4.json.gz", gzip(r#"{"results": []}"#));
    folder.write("c_T4.json.gz", gzip(r#"{"results": []}"#));
    folder.write("damaged.json.gz", [0x1f, 0x8b, 1]);
    folder.write("other.json", r#"{"a": 1}"#);
    folder.write("README.md", "no space");
    let found = locate(folder.0.path()).unwrap();
    let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap()).collect();
    assert_eq!(
        names,
        ["a.json.gz", "b__X.csv", "c_T4.json.gz", "damaged.json.gz"]
    );
}

/// A file of each format, small enough to cut anywhere.
const WHOLE: [&str; 4] = [
    "A,B,time_ms,status,n_runs\n1,x,2.5,ok,3\n2,y,,failed,\n",
    "{\n\"tune_params_keys\": [\"A\"],\n\"tune_params\": {\"A\": [1, 2]},\n\"cache\": {\n\"1\": {\"A\": 1, \"time\": 2.5},\n\"2\": {\"A\": 2, \"time\": \"x\"}}\n}",
    "{\"results\": [{\"configuration\": {\"A\": 1}, \"invalidity\": \"correct\", \"measurements\": [{\"name\": \"time\", \"value\": 1, \"unit\": \"ms\"}]}]}",
    "{\"params\": [{\"name\": \"A\", \"values\": [1, 2]}], \"restrictions\": [\"A % 2 == 0\"], \"gpu_facts\": {\"l2_mb\": 1e300}}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), packed: bool) {
        let folder = Folder::new();
        let bytes = if packed { [vec![0x1f, 0x8b], bytes].concat() } else { bytes };
        let _ = folder.read("a.csv", bytes);
    }

    #[test]
    fn files_cut_or_changed_anywhere_are_read_or_refused(
        which in 0..WHOLE.len(),
        cut in 0usize..300,
        at in 0usize..300,
        new in "[\\PC\\n]{0,3}",
    ) {
        let folder = Folder::new();
        let text: Vec<char> = WHOLE[which].chars().collect();
        let (cut, at) = (cut.min(text.len()), at.min(text.len()));
        let changed: String = text[..at].iter().copied().chain(new.chars()).chain(text[at..].iter().copied().skip(1)).collect();
        let short: String = text[..cut].iter().collect();
        for text in [changed, short] {
            if which == 3 {
                folder.write("a.json", &text);
                let _ = folder.read("a.csv", "A,time_ms\n2,1.5\n");
            } else {
                let _ = folder.read("b.json", &text);
            }
        }
    }
}
