//! A line for people that stays.

use std::io::{IsTerminal, Write};

/// Says a line on the controlling terminal, where there is one: cargo shows nothing of a build
/// script that succeeds. It goes to stderr too, which cargo keeps beside OUT_DIR and shows with `-vv`.
pub fn say(line: &str) {
    let shown_anyway = std::io::stderr().is_terminal();
    if !shown_anyway {
        eprintln!("{line}");
    }
    if let Some(mut terminal) = crate::os::terminal() {
        // A terminal that went away is no reason to stop. The line may meet cargo's progress bar, so
        // what is left of that is cleared.
        let _ = write!(terminal, "\r{line}\x1b[K\r\n");
    } else if shown_anyway {
        eprintln!("{line}");
    }
}
