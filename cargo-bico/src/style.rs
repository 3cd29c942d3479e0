//! Colours: all that the command prints in colour goes by this, and nothing else decides about it.
//!
//! Whoever prints uses `anstream`'s macros, which leave colours out where nobody sees them, or where `NO_COLOR` or
//! `--color` say so.

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use clap::builder::Styles;
use std::ffi::OsString;

/// What has gone wrong.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What the user should know.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What is fine, and headings.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();

/// Help, in cargo's colours.
pub(crate) const HELP: Styles = Styles::styled()
    .header(GOOD)
    .usage(GOOD)
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default())
    .error(ERROR)
    .valid(AnsiColor::Cyan.on_default().bold())
    .invalid(WARNING);

/// Whether there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum When {
    /// On terminals
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

impl When {
    /// What the arguments ask for, before they are read: help and their own mistakes are coloured, too.
    pub(crate) fn of(arguments: &[OsString]) -> When {
        let mut words = arguments.iter().map(|word| word.to_string_lossy());
        while let Some(word) = words.next() {
            let value = match word.strip_prefix("--color") {
                Some("") => words.next().map(|value| value.into_owned()),
                Some(value) => value.strip_prefix('=').map(str::to_string),
                None => None,
            };
            match value.as_deref() {
                Some("always") => return When::Always,
                Some("never") => return When::Never,
                _ => {}
            }
        }
        When::Auto
    }

    /// From now on it is so; gives what clap is to do.
    pub(crate) fn set(self) -> clap::ColorChoice {
        let (choice, of_clap) = match self {
            When::Auto => (ColorChoice::Auto, clap::ColorChoice::Auto),
            When::Always => (ColorChoice::Always, clap::ColorChoice::Always),
            When::Never => (ColorChoice::Never, clap::ColorChoice::Never),
        };
        choice.write_global();
        of_clap
    }
}

/// Says an error or a warning, whose first word is coloured: `error: ..`, `warning: ..`.
pub(crate) fn complain(style: Style, text: &str) {
    match text.split_once(':') {
        Some((word, rest)) => anstream::eprintln!("{style}{word}{style:#}:{rest}"),
        None => anstream::eprintln!("{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_say_when() {
        let of = |line: &str| When::of(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of("cargo-bico tune"), When::Auto);
        assert_eq!(of("cargo-bico tune --color never"), When::Never);
        assert_eq!(of("cargo-bico --color=always --help"), When::Always);
        // Clap says what is wrong with that.
        assert_eq!(of("cargo-bico --color=pink"), When::Auto);
        assert_eq!(of("cargo-bico tune --color"), When::Auto);
    }
}
