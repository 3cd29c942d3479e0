//! What compilers and linkers say: which lines are errors, and which are warnings.
//!
//! `#[inline]`: compiled in builds, and not in programs.

use bico_core::Lists;

/// How many lines are told of a log.
const TOLD: usize = 3;

/// The first errors of the log of a refused program; where none is recognised, its first line.
#[inline]
pub fn errors(log: &str) -> String {
    let errors = log.lines().filter(|line| is_error(line));
    let mut lines: Vec<&str> = errors.take(TOLD).collect_vec();
    if lines.is_empty() {
        lines.extend(log.lines().find(|line| !line.trim().is_empty()));
    }
    lines.join("\n")
}

/// The first warnings of a log, one line each, none twice.
#[inline]
pub fn warnings(log: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in log.lines().filter(|line| is_warning(line)) {
        if found.len() < TOLD && !found.iter().any(|known| known == line) {
            found.push(line.to_string());
        }
    }
    found
}

#[inline]
fn is_error(line: &str) -> bool {
    const LINKERS: [&str; 3] = [
        "undefined reference",
        "undefined symbol",
        "multiple definition",
    ];
    // `k.c:3:1: error: ..`, `k.cu(3): catastrophic error: ..`, `ptxas error   : ..`, `ptxas fatal   : ..`
    let is_said = |word: &str| {
        let behind = line
            .match_indices(word)
            .map(|(at, _)| &line[at + word.len()..]);
        let mut behind = behind.map(str::trim_start);
        behind.any(|rest| rest.starts_with(": "))
    };
    if line.starts_with("error: aborting due to ") {
        return false;
    }
    LINKERS.iter().any(|text| line.contains(text))
        // rustc: `src/lib.rs:3:1: error[E0425]: ..`
        || line.contains(": error[E")
        || (!is_warning(line) && (is_said("error") || is_said("fatal")))
}

/// `k.c:3:1: warning: ..`, `k.cu(3): warning #177-D: ..`, `ptxas warning : ..`
#[inline]
fn is_warning(line: &str) -> bool {
    line.contains(": warning: ")
        || line.contains(": warning #")
        || line.starts_with("ptxas warning")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NVRTC 12.9, shortened.
    const REFUSED: &str = r#"kernels/k.cu(1): warning #47-D: incompatible redefinition of macro "BLOCK"
  #define BLOCK 7
          ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

"#;

    #[test]
    fn errors_come_before_warnings() {
        for error in [
            "ptxas error   : Entry function '_Z3bigPf' uses too much shared data (0x61a80 bytes, 0xc000 max)",
            "ptxas application ptx input, line 63; error   : Not a name of any known instruction: 'nonsense'",
            "kernels/k.cu(3): catastrophic error: cannot open source file \"nope.h\"",
            "k.o:(.bss+0x0): multiple definition of `x'; k2.o:(.bss+0x0): first defined here",
        ] {
            assert_eq!(errors(&format!("{REFUSED}{error}\n")), error);
        }
        let two = "k.c: In function 'f':\nk.c:1:1: warning: an error: none\nk.c:3:1: error: unknown type name 'foo'\n    3 | foo x;\nld: undefined reference to `y'\n";
        assert_eq!(
            errors(two),
            "k.c:3:1: error: unknown type name 'foo'\nld: undefined reference to `y'"
        );
        assert_eq!(errors("\nKilled\nx"), "Killed");
        assert_eq!(errors("\n"), "");
    }

    #[test]
    fn each_warning_is_told_once() {
        let first = REFUSED.lines().next().unwrap();
        let gcc = "k.c:3:9: warning: \"BLOCK\" redefined";
        let log =
            format!("{REFUSED}{first}\n{gcc}\n    3 | #define BLOCK\nptxas info    : 0 bytes\n");
        assert_eq!(warnings(&log), [first, gcc]);
        assert_eq!(warnings("k.c:3:1: error: e"), [""; 0]);
    }
}
