//! Why a unit has no object.

use std::fmt;

/// Why a unit could not be compiled, or objects not be linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    /// What is wrong, for one line of a report: the compiler's first errors.
    pub summary: String,
    /// All that the compiler said, up to 64 KiB.
    pub stderr: String,
    /// The compiler's exit status; `None` where it was not started, or was stopped.
    pub status: Option<i32>,
    /// Whether it was stopped because those of others take much less time.
    pub(super) is_given_up: bool,
}

impl CompileError {
    /// An error that is not the compiler's.
    pub(crate) fn new(summary: impl Into<String>) -> CompileError {
        CompileError {
            summary: summary.into(),
            stderr: String::new(),
            status: None,
            is_given_up: false,
        }
    }

    /// The error of a compiler that ended with `status` and said `stderr`.
    pub(crate) fn from_output(status: Option<i32>, stderr: String) -> CompileError {
        let errors = bico_host::said::errors(&stderr);
        let summary = match (errors.is_empty(), status) {
            (false, _) => errors,
            (true, Some(status)) => {
                format!("the compiler failed with exit status {status} and said nothing")
            }
            (true, None) => "the compiler was ended by a signal".to_string(),
        };
        CompileError {
            summary,
            stderr,
            status,
            is_given_up: false,
        }
    }
}

impl From<String> for CompileError {
    fn from(summary: String) -> CompileError {
        CompileError::new(summary)
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_the_first_errors() {
        let stderr = "k.c: In function 'f':\nk.c:3:1: error: unknown type name 'foo'\n    3 | foo x;\nk.c:4:1: warning: w\n";
        let error = CompileError::from_output(Some(1), stderr.to_string());
        assert_eq!(error.summary, "k.c:3:1: error: unknown type name 'foo'");
        assert_eq!(error.stderr, stderr);
    }

    #[test]
    fn without_an_error_line_the_first_line_serves() {
        let summary =
            |status, text: &str| CompileError::from_output(status, text.to_string()).summary;
        assert_eq!(summary(Some(1), "\nKilled\nx"), "Killed");
        assert_eq!(
            summary(Some(4), ""),
            "the compiler failed with exit status 4 and said nothing"
        );
        assert_eq!(summary(None, ""), "the compiler was ended by a signal");
    }
}
