//! The display of a run that measures: bars on a terminal, else lines, or JSON for machines.
//!
//! ```text
//! watched  what is known of the running search
//! bars     drawn on the terminal
//! lines    one for each thing worth saying
//! json     one object for each event
//! width    what fits into a line
//! ```

mod bars;
mod json;
mod lines;
mod watched;
mod width;

use bico_build::report::Listener;
use indicatif::{MultiProgress, ProgressDrawTarget};
use std::io::IsTerminal;

/// How a run is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Bars on a terminal, else lines
    Human,
    /// One JSON object in a line for each event, on stdout
    Json,
}

/// A display for as many runs as there are.
#[derive(Clone)]
pub(crate) struct Display {
    format: Format,
    /// Hidden where there is no terminal.
    bars: MultiProgress,
    drawn: bool,
}

impl Display {
    /// Draws on stderr, where that is a terminal, and says what stays on stdout.
    pub(crate) fn new(format: Format) -> Display {
        let drawn = format == Format::Human && std::io::stderr().is_terminal();
        let target = match drawn {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        Display {
            format,
            bars: MultiProgress::with_draw_target(target),
            drawn,
        }
    }

    /// What hears of one run.
    pub(crate) fn listener(&self) -> Box<dyn Listener> {
        match self.format {
            Format::Json => Box::new(json::Events::default()),
            Format::Human if self.drawn => Box::new(bars::Bars::new(self.bars.clone())),
            Format::Human => Box::new(lines::Lines::default()),
        }
    }

    /// A warning.
    pub(crate) fn warn(&self, text: &str) {
        match self.format {
            Format::Json => json::note("warning", text),
            Format::Human => {
                crate::style::complain(crate::style::WARNING, &format!("warning: {text}"))
            }
        }
    }

    /// It is over.
    pub(crate) fn end(&self, success: bool) {
        if self.format == Format::Json {
            json::end(success);
        }
    }

    /// Takes everything off the terminal that does not stay.
    pub(crate) fn clear(&self) {
        let _ = self.bars.clear();
        self.bars.set_draw_target(ProgressDrawTarget::hidden());
    }
}

/// How many results are left as they are, in a line.
fn kept(count: usize) -> Option<String> {
    let results = match count {
        0 => return None,
        1 => "1 result is fresh, and stays".to_string(),
        _ => format!("{count} results are fresh, and stay"),
    };
    Some(format!("{results}; `--force` measures again"))
}

/// Prints a line. That nobody reads it any more is no reason to stop measuring.
fn put(line: &str) {
    let _ = crate::out::line(line);
}
