//! Names that a user gives, held against those that there are.

use crate::Error;
use bico_syntax::nearest;
use std::collections::BTreeSet;

/// Where names of locks stand, also those that no source has any more.
pub(crate) const LOCKED: &str = "bico.lock and the sources have";

/// Whether each wanted name is one of those that there are, all of which are a `what`; `place` has them.
///
/// # Errors
///
/// One is not: the message has them all, and the nearest.
pub(crate) fn known<'a>(
    place: &str,
    what: &str,
    wanted: &[String],
    there: impl IntoIterator<Item = &'a str>,
) -> Result<(), Error> {
    let there = BTreeSet::from_iter(there);
    let Some(other) = wanted.iter().find(|name| !there.contains(name.as_str())) else {
        return Ok(());
    };
    Err(unknown(place, what, other, &there))
}

/// The one device that is meant by its key or a part of that, in whatever case; `None` where nobody asks.
///
/// # Errors
///
/// There is none, or there are several.
pub(crate) fn device<'a>(
    wanted: Option<&str>,
    there: impl IntoIterator<Item = &'a str>,
) -> Result<Option<&'a str>, Error> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let there = BTreeSet::from_iter(there);
    let part = wanted.to_lowercase();
    let meant = there
        .iter()
        .filter(|key| key.to_lowercase().contains(&part));
    let meant: Vec<&str> = meant.copied().collect();
    match (there.get(wanted), meant.as_slice()) {
        (Some(exact), _) => Ok(Some(exact)),
        (None, [one]) => Ok(Some(one)),
        (None, []) => Err(unknown(LOCKED, "device", wanted, &there)),
        (None, several) => Err(Error::Usage(format!(
            "`{}` is a part of several devices:{}",
            plain(wanted),
            list(several.iter().copied())
        ))),
    }
}

fn unknown(place: &str, what: &str, name: &str, there: &BTreeSet<&str>) -> Error {
    let mut text = format!("{place} no {what} `{}`", plain(name));
    let candidates: Vec<&str> = there.iter().copied().collect();
    if let Some(near) = nearest(name, &candidates) {
        text += &format!("; did you mean `{near}`?");
    }
    match there.is_empty() {
        true => text += ": there is none",
        false => text += &format!("\n  = help: there are:{}", list(there.iter().copied())),
    }
    Error::Usage(text)
}

pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("\n      {name}")).collect()
}

/// A text from outside without control characters, and without what turns the direction of the text around it.
pub(crate) fn plain(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = |c: char| match c.is_control() || turns(c) {
        true => c.escape_default().collect(),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
        match result.unwrap_err() {
            Error::Usage(text) => text,
            other => panic!("no mistake in the arguments: {other}"),
        }
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_and_all() {
        let there = ["gemm", "glu", "gemm"];
        let wanted = |name: &str| known(LOCKED, "tunable", &[name.to_string()], there);
        assert!(wanted("glu").is_ok() && known(LOCKED, "tunable", &[], []).is_ok());
        assert_eq!(
            said(wanted("gemn")),
            "bico.lock and the sources have no tunable `gemn`; did you mean `gemm`?\n  = help: there are:\n      gemm\n      glu"
        );
        let none = said(known(LOCKED, "tunable", &["a\u{1b}[1m".to_string()], []));
        assert_eq!(
            none,
            "bico.lock and the sources have no tunable `a\\u{1b}[1m`: there is none"
        );
    }

    #[test]
    fn a_part_of_a_device_will_do() {
        let there = [
            "NVIDIA A100 (sm_80)",
            "NVIDIA H100 (sm_90)",
            "NVIDIA H100 NVL (sm_90)",
        ];
        let device = |wanted| device(Some(wanted), there);
        assert_eq!(device("a100"), Ok(Some(there[0])));
        // A whole key, although it is a part of no other, and one that several have.
        assert_eq!(device("NVIDIA H100 (sm_90)"), Ok(Some(there[1])));
        assert_eq!(
            said(device("H100")),
            "`H100` is a part of several devices:\n      NVIDIA H100 (sm_90)\n      NVIDIA H100 NVL (sm_90)"
        );
        assert!(
            said(device("B200")).starts_with("bico.lock and the sources have no device `B200`")
        );
        assert_eq!(super::device(None, there), Ok(None));
    }
}
