//! Generated C against what the contractions are.

mod harness;
mod plans;
mod schedules;

/// Warnings are errors, by the harness.
const CC: &[&str] = &["cc", "-O3"];
/// What a sanitizer sees ends the program.
const SANITIZED: &[&str] = &[
    "cc",
    "-O1",
    "-g",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];
