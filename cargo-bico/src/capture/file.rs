//! A file of captured calls: input from outside, of which only whole and plausible lines count.

use crate::Error;
use bico::captured_files::{HEADER, LARGEST, OTHERS};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Names with their values, in order.
pub(super) type Arguments = Vec<(String, String)>;

/// All calls of a tunable with the same sizes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Calls {
    pub(super) package: String,
    pub(super) key: String,
    /// Arguments by their names, in order, as texts; `None`: calls of sizes that the process did not keep apart.
    pub(super) arguments: Option<Arguments>,
    pub(super) count: u64,
    pub(super) nanoseconds: u64,
}

/// What it says, and how many of its lines say nothing, with the first of them.
pub(super) struct Lines {
    pub(super) calls: Vec<Calls>,
    pub(super) faulty: Option<(usize, usize)>,
}

/// Reads a file.
///
/// # Errors
///
/// It is not there, not made by a program that captures, or too large.
pub(super) fn read(path: &Path) -> Result<Lines, Error> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        Error::Work(format!("cannot read {shown}: {error}"))
            .help("a program with bico-runtime's feature `capture` writes it: `BICO_CAPTURE=FILE cargo run`")
    };
    // A pipe would wait for somebody who writes.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(Error::Work(format!("{shown} is no file")));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    // A line may have been added just before the limit was reached.
    let most = LARGEST + (1 << 20);
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > most {
        let message = format!("{shown} is larger than {} MiB", LARGEST >> 20);
        return Err(Error::Work(message));
    }
    let Some(rest) = bytes.strip_prefix(HEADER.as_bytes()) else {
        let message = format!(
            "{shown} is no file of captured calls: it does not begin with `{}`",
            HEADER.trim()
        );
        return Err(Error::Work(message).help("name the file that BICO_CAPTURE named"));
    };
    Ok(lines(rest))
}

/// The lines behind the first.
fn lines(bytes: &[u8]) -> Lines {
    type Name = (String, String, Option<Arguments>);
    let mut found: BTreeMap<Name, (u64, u64)> = BTreeMap::new();
    let mut faulty = None;
    // What follows the last line break is what a process was killed over.
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    let whole = bytes[..end.unwrap_or(0)].split(|byte| *byte == b'\n');
    for (number, bytes) in whole.enumerate().filter(|(_, line)| !line.is_empty()) {
        let line = std::str::from_utf8(bytes).ok().and_then(line);
        let Some(of) = line else {
            // The header is line 1.
            let (_, count) = faulty.get_or_insert((number + 2, 0));
            *count += 1;
            continue;
        };
        let (count, nanoseconds) = found.entry((of.package, of.key, of.arguments)).or_default();
        *count = count.saturating_add(of.count);
        *nanoseconds = nanoseconds.saturating_add(of.nanoseconds);
    }
    let calls = found.into_iter().filter(|(_, (count, _))| *count > 0);
    let calls = calls.map(|((package, key, arguments), (count, nanoseconds))| Calls {
        package,
        key,
        arguments,
        count,
        nanoseconds,
    });
    Lines {
        calls: calls.collect(),
        faulty,
    }
}

/// `00000000000000000002 00000000000000000640 package key n=64 KIND=wide`.
fn line(line: &str) -> Option<Calls> {
    let mut words = line.split(' ');
    let mut number = || {
        let digits = words.next()?;
        let plain = digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok())?
    };
    let (count, nanoseconds) = (number()?, number()?);
    let package = text(words.next()?)?;
    let key = text(words.next()?)?;
    let rest: Vec<&str> = words.collect();
    let arguments = match rest.as_slice() {
        [OTHERS] => None,
        rest => {
            let pair = |word: &&str| {
                let (name, value) = word.split_once('=')?;
                Some((text(name)?, text(value)?))
            };
            Some(rest.iter().map(pair).collect::<Option<Vec<_>>>()?)
        }
    };
    Some(Calls {
        package,
        key,
        arguments,
        count,
        nanoseconds,
    })
}

/// A word as the program wrote it: `%20;` for a blank.
fn text(word: &str) -> Option<String> {
    let mut parts = word.split('%');
    let mut text = parts.next()?.to_string();
    for part in parts {
        let (code, rest) = part.split_once(';')?;
        text.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
        text += rest;
    }
    (!text.is_empty() || word.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Said = Vec<(u64, String)>;

    fn of(text: &str) -> (Said, Option<(usize, usize)>) {
        let lines = lines(text.as_bytes());
        let calls = lines.calls.into_iter();
        let calls = calls.map(|of| (of.count, format!("{} {:?}", of.key, of.arguments)));
        (calls.collect(), lines.faulty)
    }

    fn counted(count: u64, rest: &str) -> String {
        format!("{count:020} {:020} {rest}", count * 10)
    }

    #[test]
    fn lines_of_processes_are_added_up_and_a_torn_end_is_left_out() {
        let text = [
            counted(3, "p gemm m=4"),
            counted(4, "p gemm m=4"),
            counted(5, "p gemm *"),
        ];
        let torn = text.join("\n") + "\n" + &counted(9, "p gemm m=")[..30];
        let (calls, faulty) = of(&torn);
        assert_eq!(faulty, None);
        assert_eq!(calls[0], (5, "gemm None".to_string()));
        assert_eq!(calls[1], (7, "gemm Some([(\"m\", \"4\")])".to_string()));
        assert_eq!(calls.len(), 2);
    }

    #[test]
    fn what_no_program_writes_is_counted_and_nothing_else() {
        let long = "9".repeat(40);
        let bad = [
            "",
            "x",
            "1 2 p gemm m=4",
            &format!("{long} {long} p gemm m=4"),
            &counted(1, "p"),
            &counted(1, "p gemm m"),
            &counted(1, "p gemm%zz; m=1"),
            &counted(1, "p gemm%d800; m=1"),
            &format!("{}\u{fffd}", "-".repeat(20)),
        ];
        let text = bad.join("\n") + "\n" + &counted(2, "p a%1b;[1m m=1") + "\n";
        let (calls, faulty) = of(&text);
        assert_eq!(faulty, Some((3, 8)));
        assert_eq!(
            calls,
            [(2, "a\u{1b}[1m Some([(\"m\", \"1\")])".to_string())]
        );
        // Counts that no sum holds.
        let full = format!("{} {} p gemm m=1\n", u64::MAX, u64::MAX);
        assert_eq!(of(&full.repeat(2)).0[0].0, u64::MAX);
    }
}
