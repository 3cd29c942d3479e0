//! What fits into a terminal's line.

use std::io::{stderr, stdout};
use terminal_size::terminal_size_of;

/// Columns of the terminal that is drawn on.
pub(super) fn drawn() -> usize {
    terminal_size_of(stderr()).map_or(80, |(columns, _)| columns.0.into())
}

/// A line that stays, with breaks between words where stdout is a terminal that it is too long for.
pub(super) fn fitting(line: &str) -> String {
    match terminal_size_of(stdout()) {
        Some((columns, _)) => wrapped(line, columns.0.into()),
        None => line.to_string(),
    }
}

/// The words of a line in lines of so many columns, all but the first of them indented. A word that is longer stays whole.
fn wrapped(line: &str, columns: usize) -> String {
    let (mut out, mut used) = (String::new(), 0);
    for (at, word) in line.split(' ').enumerate() {
        let length = word.chars().count();
        if used > 2 && used + 1 + length > columns {
            out += "\n  ";
            used = 2;
        } else if at > 0 {
            out.push(' ');
            used += 1;
        }
        out += word;
        used += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn words_stay_whole() {
        for (columns, expected) in [
            (80, "tuned 1 kernel: trails in /a/long/path"),
            (38, "tuned 1 kernel: trails in /a/long/path"),
            (37, "tuned 1 kernel: trails in\n  /a/long/path"),
            (14, "tuned 1\n  kernel:\n  trails in\n  /a/long/path"),
            (3, "tuned\n  1\n  kernel:\n  trails\n  in\n  /a/long/path"),
        ] {
            let seen = wrapped("tuned 1 kernel: trails in /a/long/path", columns);
            assert_eq!(seen, expected);
        }
        assert_eq!(wrapped("  1/24  425 ns", 80), "  1/24  425 ns");
        assert_eq!(wrapped("", 80), "");
    }
}
