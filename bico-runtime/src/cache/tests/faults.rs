//! Files that nobody should have written.

use super::*;

/// A good file's text, and where it stood.
fn good() -> (tempfile::TempDir, PathBuf, String) {
    logger::start();
    let folder = tempfile::tempdir().unwrap();
    let (memory, _) = open(folder.path(), &on(gpu()));
    assert!(memory.save(&record(6, Some(0), &[arm(32, 40, -9.0, 0.01)])));
    assert!(memory.save(&record(7, None, &[arm(64, 3, -8.5, 0.0)])));
    let path = only_file(folder.path());
    let text = std::fs::read_to_string(&path).unwrap();
    (folder, path, text)
}

/// What is read of a faulty file, and the log lines about it. Afterwards the file is as good as new.
fn read(folder: &Path, path: &Path) -> (usize, Vec<String>) {
    let (memory, records) = open(folder, &on(gpu()));
    crate::cache::files(folder);
    let added = record(9, None, &[arm(64, 3, -8.5, 0.0)]);
    assert!(memory.save(&added));
    let (_, later) = open(folder, &on(gpu()));
    assert_eq!(later.len(), records.len() + 1);
    assert_eq!(later.last(), Some(&added));
    (records.len(), logger::lines(path.to_str().unwrap()))
}

fn faulty(content: impl AsRef<[u8]>) -> (usize, String) {
    let (folder, path, _) = good();
    std::fs::write(&path, content).unwrap();
    let (records, lines) = read(folder.path(), &path);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("WARN "), "{}", lines[0]);
    assert!(lines[0].len() < 600, "{}", lines[0]);
    (records, lines[0].clone())
}

#[test]
fn a_good_file_is_read_without_a_word() {
    let (folder, path, _) = good();
    assert_eq!(read(folder.path(), &path), (2, Vec::new()));
}

#[test]
fn damaged_files_are_ignored_with_one_line() {
    let (_, _, text) = good();
    for at in [1, text.len() / 3, text.len() - 3] {
        let (records, line) = faulty(&text[..at]);
        assert_eq!(records, 0, "{at}");
        assert!(line.contains("ignored: line "), "{line}");
        assert!(line.contains("the file ends in the middle"), "{line}");
    }
    let (_, line) = faulty("");
    assert!(line.contains("ignored: the file is empty"), "{line}");
    let (_, line) = faulty(b"\x00\xff\xfe garbage");
    assert!(line.contains("ignored: not valid UTF-8"), "{line}");
    let (_, line) = faulty("garbage: 7");
    assert!(
        line.contains("ignored: line 1: this is not JSON: "),
        "{line}"
    );
    let (_, line) = faulty("[1, 2]");
    assert!(
        line.contains("ignored: line 1: the file must be an object, not a list"),
        "{line}"
    );
}

#[test]
fn deep_and_huge_files_are_not_worked_through() {
    for deep in ["[".repeat(1 << 20), "{\"a\":".repeat(1 << 20)] {
        let (records, line) = faulty(deep);
        assert_eq!(records, 0);
        assert!(line.contains("maximum nesting depth exceeded"), "{line}");
    }
    let (_, _, mut text) = good();
    text.push_str(&" ".repeat(17 << 20));
    let (records, line) = faulty(text);
    assert_eq!(records, 0);
    assert!(line.contains("ignored: larger than 16 MiB"), "{line}");
}

#[test]
fn other_versions_and_subjects_are_foreign() {
    let (_, _, text) = good();
    for (from, to, says) in [
        ("\"version\": 1", "\"version\": 2", "version 2 is not known"),
        (
            "\"version\": 1",
            "\"version\": \"1\"",
            "`version` must be a whole number, not a string",
        ),
        (
            "12080",
            "13000",
            "by its content it is about `gemm` on a GPU (sm_90)",
        ),
        (
            "\"gemm\"",
            "\"g\\u0007\"",
            "`tunable` holds the control character",
        ),
        (
            "\"subject\"",
            "\"object\"",
            "the field `subject` of the file is missing",
        ),
        (
            "\"facts\": {",
            "\"facts\": 7, \"f\": {",
            "`facts` must be an object, not a number",
        ),
    ] {
        assert!(text.contains(from));
        let (records, line) = faulty(text.replace(from, to));
        assert_eq!(records, 0, "{to}");
        assert!(line.contains(says), "{line}");
    }
}

/// What stands in a record, what makes it faulty, and what is said of it.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "\"mean\": -9.0",
        "\"mean\": \"NaN\"",
        "`mean` must be a number, not a string",
    ),
    (
        "\"mean\": -9.0",
        "\"mean\": null",
        "`mean` must be a number, not null",
    ),
    ("\"mean\": -9.0", "\"mean\": 1e300", "a mean of 1"),
    (
        "\"variance\": 0.01",
        "\"variance\": -0.01",
        "a variance of -0.01",
    ),
    ("\"pulls\": 40", "\"pulls\": 0", "0 pulls"),
    (
        "\"pulls\": 40",
        "\"pulls\": -4",
        "`pulls` must be a whole number",
    ),
    (
        "\"pulls\": 40",
        "\"pulls\": 4.5",
        "`pulls` must be a whole number",
    ),
    (
        "\"pulls\": 40",
        "\"pulls\": 18446744073709551615",
        "18446744073709551615 pulls",
    ),
    (
        "\"seconds\": 0.1234",
        "\"seconds\": -0.1234",
        "a time of -0.1234",
    ),
    (
        "\"settled\": 0",
        "\"settled\": 1",
        "`settled` is none of the arms",
    ),
    (
        "\"settled\": 0",
        "\"settled\": -1",
        "`settled` is none of the arms",
    ),
    (
        "\"settled\": 0",
        "\"settled\": \"0\"",
        "`settled` is none of the arms",
    ),
    (
        "\"TILE\": 32",
        "\"TILE\": [32]",
        "`TILE` must be a number, a string, true or false, not a list",
    ),
    ("\"TILE\": 32", "\"TI LE\": 32", "`TI LE` is no name"),
    (
        "\"TILE\": 32",
        "\"TILE\": 9223372036854775808",
        "`TILE` is 9223372036854775808, which does not fit 64 bits",
    ),
    (
        "\"TILE\": 32",
        "\"TILE\": \"a\\nb\"",
        "`TILE` holds the control character",
    ),
    ("\"n\": 64", "\"n\": 6.4", "`n` must be a whole number"),
    (
        "\"n\": 64",
        "\"n\": 64, \"m\": 1",
        "a bucket of 1 for 2 sizes",
    ),
    (
        "\"consts\": {}",
        "\"consts\": []",
        "`consts` must be an object, not a list",
    ),
    (
        "\"bucket\": [",
        "\"bucket\": [null,",
        "`bucket` must be a whole number, not null",
    ),
];

#[test]
fn a_faulty_record_goes_and_the_others_stay() {
    let (_, _, text) = good();
    // Each fault is in the first of two records.
    for (from, to, says) in FAULTS {
        // Its time is made one that can be found.
        let start = text.find("\"seconds\": ").unwrap();
        let end = start + text[start..].find(',').unwrap();
        let text = format!("{}\"seconds\": 0.1234{}", &text[..start], &text[end..]);
        assert!(text.contains(from), "{from}");
        let (records, line) = faulty(text.replacen(from, to, 1));
        assert_eq!(records, 1, "{to}");
        assert!(line.contains("ignored: line "), "{line}");
        assert!(line.contains(says), "{line}");
    }
}

#[test]
fn a_number_that_is_none_and_a_bucket_that_stands_there_twice() {
    let (_, _, text) = good();
    let number = text.replacen("\"mean\": -9.0", "\"mean\": NaN", 1);
    assert_eq!(faulty(number).0, 0);
    let number = text.replacen("\"mean\": -9.0", "\"mean\": 1e999", 1);
    let (records, line) = faulty(number);
    assert_eq!(records, 1);
    assert!(
        line.contains("`mean` is 1e999, which is too large"),
        "{line}"
    );
    let twice = text.replacen("        6\n", "        7\n", 1);
    let (records, line) = faulty(twice);
    assert_eq!(records, 1);
    assert!(line.contains(": its bucket stands there twice"), "{line}");
    let all = text.replace("\"variance\"", "\"spread\"");
    let (records, line) = faulty(all);
    assert_eq!(records, 0);
    assert!(
        line.ends_with("the field `variance` of an arm is missing, and 1 more"),
        "{line}"
    );
}

#[test]
fn what_is_no_file_is_not_opened() {
    let (folder, path, _) = good();
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let (memory, records) = open(folder.path(), &on(gpu()));
    assert_eq!(records, []);
    // It cannot be replaced either: nothing to be tried again.
    assert!(memory.save(&record(6, None, &[arm(32, 40, -9.0, 0.01)])));
}

#[test]
fn a_copy_is_no_second_memory() {
    let (folder, path, text) = good();
    let copy = folder.path().join("gemm (copy).json");
    std::fs::write(&copy, text).unwrap();
    std::fs::write(folder.path().join(".hidden.json"), "{").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "{").unwrap();
    let found = crate::cache::files(folder.path());
    let paths: Vec<&Path> = found.iter().map(|file| file.path.as_path()).collect();
    assert_eq!(paths, [path.as_path()]);
    assert_eq!(logger::lines(copy.to_str().unwrap()).len(), 1);
    let lines = logger::lines(folder.path().to_str().unwrap());
    assert_eq!(lines.len(), 1, "{lines:?}");
}
