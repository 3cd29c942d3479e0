//! Every message of the reader.

use super::*;

/// The sample with one replacement, which must be there exactly once or is made at its first place.
fn edited(from: &str, to: &str) -> String {
    assert!(SAMPLE.contains(from), "{from}");
    SAMPLE.replacen(from, to, 1)
}

/// Asserts what the reader says: the message, the line, and what it advises.
fn says(text: &str, message: &str, line: usize, help: &str) {
    let error = read(text).expect_err(message);
    assert_eq!(
        (error.message.as_str(), error.place.line),
        (message, line),
        "{error}"
    );
    assert!(error.help.join(" ").contains(help), "{error}");
    assert!(
        error
            .to_string()
            .starts_with(&format!("error: {message}\n  --> bico.lock")),
        "{error}"
    );
}

#[test]
fn merge_conflicts() {
    for marker in ["<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> theirs"] {
        let text = edited("  \"kernels\"", &format!("{marker}\n  \"kernels\""));
        says(
            &text,
            "the lock holds a merge conflict",
            18,
            "cargo bico merge",
        );
    }
}

#[test]
fn files_that_end_early() {
    says("", "the lock is empty", 0, "delete it to tune again");
    says(" \n", "the lock is empty", 0, "delete it");
    // Wherever it is cut, it is an error with a line, and nearly always this one.
    let end = SAMPLE.trim_end().len();
    for cut in 1..end {
        let error = read(&SAMPLE[..cut]).expect_err("cut off");
        assert!(error.place.line > 0, "{cut}: {error}");
        assert_eq!(error.message, "the lock ends in the middle", "cut at {cut}");
    }
}

#[test]
fn what_json_does_not_know() {
    says(
        &edited("\"cores\": 2,", "\"cores\": 2, // two"),
        "comments do not belong into a lock: they would be lost",
        5,
        "restore",
    );
    says(
        &edited("\"AuthenticAMD\"\n", "\"AuthenticAMD\",\n"),
        "a comma before the end of a list",
        15,
        "restore",
    );
    says(
        &edited("0.001234}", "NaN}"),
        "numbers must be finite",
        36,
        "",
    );
    says(
        &edited("0.001234}", "Infinity}"),
        "numbers must be finite",
        36,
        "",
    );
    says(
        &edited("\"seconds\": 60", "seconds: 60"),
        "this is not JSON: expected string for object property",
        22,
        "",
    );
    says(
        &edited("\"cores\": 2,", "\"cores\": 2"),
        "this is not JSON: expected comma",
        5,
        "",
    );
    says(
        &format!("{SAMPLE}{{}}"),
        "this is not JSON: text cannot contain more than one JSON value",
        47,
        "",
    );
    says(
        &"[".repeat(100_000),
        "this is not JSON: maximum nesting depth exceeded",
        1,
        "",
    );
}

#[test]
fn duplicates() {
    says(
        &edited("\"family\": 26", "\"cores\": 26"),
        "`cores` stands here twice",
        6,
        "the first stands in line 5",
    );
    let gemm = "\"gemm\": {},\n    \"gemm\": {";
    says(
        &edited("\"gemm\": {", gemm),
        "`gemm` stands here twice",
        20,
        "line 19",
    );
    let twice = edited(
        "\"x86-64-v2\", \"TILE_M\": 4}, \"seconds\": 0.00000",
        "\"x86-64-v3\", \"TILE_M\": 8}, \"seconds\": 0.00000",
    );
    says(
        &twice,
        "the config of line 36 stands here again",
        37,
        "delete one",
    );
}

#[test]
fn versions() {
    let newer = "written by a newer bico: format 2, and this one reads formats up to 1";
    says(
        &edited("\"version\": 1", "\"future\": {},\n  \"version\": 2"),
        newer,
        46,
        "update bico-build",
    );
    says(
        &edited("\"version\": 1", "\"version\": 0"),
        "there is no format 0",
        45,
        "",
    );
    says(
        &edited(",\n  \"version\": 1", ""),
        "the field `version` of the lock is missing",
        1,
        "restore",
    );
    let whole = "`version` must be a whole number from 0 to 9223372036854775807";
    says(&edited("\"version\": 1", "\"version\": 1.5"), whole, 45, "");
}

#[test]
fn fields() {
    says(
        &edited("\"strategy\"", "\"strateg\""),
        "the field `strategy` of an entry is missing",
        21,
        "restore",
    );
    says(
        &edited("\"strategy\"", "\"x\": 1, \"strategy\""),
        "unknown field `x` of an entry",
        33,
        "known are budget",
    );
    says(
        &edited("\"cores\": 2,", ""),
        "the field `cores` of a device is missing",
        3,
        "",
    );
    says(
        &edited("\"kind\": \"cpu\"", "\"kind\": \"tpu\""),
        "`kind` is \"cpu\" or \"cuda\", not \"tpu\"",
        8,
        "update",
    );
    says(
        &edited("\"verified\": \"reference\"", "\"verified\": \"maybe\""),
        "`verified` is \"reference\", \"judge\" or \"consensus\", not \"maybe\"",
        39,
        "",
    );
    says(
        &edited(
            "\"verified\": \"reference\"",
            "\"verified\": \"reference, rules 1.5\"",
        ),
        "`verified` is \"reference\", \"judge\" or \"consensus\", not \"reference, rules 1.5\"",
        39,
        "",
    );
}

#[test]
fn kinds() {
    says("[]", "the lock must be an object, not a list", 1, "");
    says(
        &edited("\"TILE_M\": 8", "\"TILE_M\": null"),
        "`TILE_M` must be a number, a string, true or false, not null",
        36,
        "",
    );
    says(
        &edited("\"strategy\": \"guided\"", "\"strategy\": 1"),
        "`strategy` must be a string, not a number",
        33,
        "",
    );
    says(
        &edited("\"evaluations\": 48", "\"evaluations\": \"48\""),
        "`evaluations` must be a whole number, not a string",
        23,
        "",
    );
    says(
        &edited("\"seconds\": 60", "\"seconds\": true"),
        "`seconds` must be a number, not true or false",
        22,
        "",
    );
    says(
        &edited("[\"avx2\", \"x86-64-v4\"]", "{}"),
        "`features` must be a list, not an object",
        7,
        "",
    );
}

#[test]
fn numbers() {
    let big = "9223372036854775808";
    let message = format!("`TILE_M` is {big}, which does not fit 64 bits");
    says(
        &edited("\"TILE_M\": 8", &format!("\"TILE_M\": {big}")),
        &message,
        36,
        "",
    );
    let whole = "`evaluations` must be a whole number from 0 to 9223372036854775807";
    says(
        &edited("\"evaluations\": 48", "\"evaluations\": -1"),
        whole,
        23,
        "",
    );
    says(
        &edited("\"seconds\": 60", "\"seconds\": 1e999"),
        "`seconds` is 1e999, which is too large",
        22,
        "",
    );
    says(
        &edited("\"seconds\": 60", "\"seconds\": -1"),
        "`seconds` must not be negative",
        22,
        "",
    );
    says(
        &edited("\"family\": 26", "\"family\": 4294967296"),
        "`family` must be at most 4294967295",
        6,
        "",
    );
    says(
        &edited("0.001226, 0.00125", "0.1"),
        "`interval_seconds` must hold two times, not 1",
        40,
        "",
    );
    says(
        &edited("0.001226, 0.00125", "2, 1"),
        "`interval_seconds` must begin with the smaller time",
        40,
        "",
    );
    let hash = "`flags` must be 32 digits of 0-9 and a-f";
    says(
        &edited("00000000000000000000000000000005", "5"),
        hash,
        26,
        "",
    );
}

#[test]
fn texts() {
    let isa = |value: &str| edited("\"ISA\": \"x86-64-v3\"", &format!("\"ISA\": \"{value}\""));
    says(
        &isa("a\\u0007"),
        "`ISA` holds the control character \\u{7}",
        36,
        "",
    );
    says(
        &isa("a\u{1b}[2J"),
        "`ISA` holds the control character \\u{1b}",
        36,
        "",
    );
    says(
        &isa("a\\\"b"),
        "`ISA` holds the character `\"`, which bico.lock does not take",
        36,
        "",
    );
    says(
        &isa("a\\\\b"),
        "`ISA` holds the character `\\`, which bico.lock does not take",
        36,
        "",
    );
    says(
        &isa("a\u{202e}b"),
        "`ISA` holds the character \\u{202e}, which cannot be seen or is no letter",
        36,
        "",
    );
    says(
        &isa(&"x".repeat(300)),
        "`ISA` holds more than 256 characters",
        36,
        "",
    );
    assert!(
        read(&isa("$(rm -rf x); `y` @f")).is_ok(),
        "the space decides about values"
    );
}

#[test]
fn names() {
    says(
        &edited("\"TILE_M\": 8", "\"TILE M\": 8"),
        "`TILE M` cannot be the name of a parameter",
        36,
        "",
    );
    says(
        &edited("\"TILE_M\": 8", "\"A=1 -o\": 8"),
        "`A=1 -o` cannot be the name of a parameter",
        36,
        "",
    );
    says(
        &edited("\"gemm\"", "\"../gemm\""),
        "`../gemm` cannot be the key of a tunable",
        19,
        "",
    );
    says(
        &edited("\"k=4096, m=1024\"", "\"k=\\n\""),
        "`k=\\n` cannot be the name of a problem: it holds the control character \\u{a}",
        21,
        "",
    );
    says(
        &edited(DEVICE, ""),
        "`` cannot be the key of a device",
        3,
        "",
    );
    says(
        &edited(DEVICE, "another"),
        &format!("the device `{DEVICE}` does not stand under `devices`"),
        20,
        "restore",
    );
}
