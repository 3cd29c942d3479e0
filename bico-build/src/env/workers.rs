//! Who measures, where that is more than one: `BICO_WORKERS`, else a file of the user's own. What a package holds has no say in
//! this, for whoever builds a clone must not have the build reach for hosts.

use super::{get, words};
use bico_core::Lists;
use std::path::PathBuf;

/// The variable.
const NAME: &str = "BICO_WORKERS";

/// Workers that are started alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workers {
    /// How many; all devices of this machine that are alike, where there is no command.
    pub count: usize,
    /// The command that is put before each; none: they run on this machine.
    pub runner: Vec<String>,
    /// They see no file of this machine.
    pub sends: bool,
}

impl Workers {
    /// This machine's own.
    pub const LOCAL: Workers = Workers {
        count: 1,
        runner: Vec::new(),
        sends: false,
    };

    /// Reads a list: `4 x srun -n1 ; send ssh gpu7 ; local`, or a line for each.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<Vec<Workers>, String> {
        let parts = parts(text).into_iter();
        let lists = parts.map(|part| Workers::part(&part).map(Vec::from_iter));
        Ok(lists.try_collect_vec()?.concat())
    }

    fn part(text: &str) -> Result<Option<Workers>, String> {
        let mut runner = words(text).map_err(|why| format!("`{}`: {why}", text.trim()))?;
        let sends = runner.first().is_some_and(|word| word == "send");
        runner.drain(..usize::from(sends));
        let mut count = 1;
        if let [number, x, ..] = runner.as_slice()
            && x == "x"
        {
            let read = number.parse().ok().filter(|of| (1..=4096).contains(of));
            let wrong = || format!("`{number} x` is no number of workers, from 1 to 4096");
            count = read.ok_or_else(wrong)?;
            runner.drain(..2);
        }
        match runner.as_slice() {
            [] if sends || text.contains('x') => Err(format!("`{}` names no command", text.trim())),
            [] => Ok(None),
            [local] if local == "local" => Ok(Some(Workers::LOCAL)),
            _ => Ok(Some(Workers {
                count,
                runner,
                sends,
            })),
        }
    }
}

/// The parts between line ends and semicolons that stand in no quotes; comments are left out.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut quote, mut escaped) = (vec![String::new()], None, false);
    let mut is_comment = false;
    for c in text.chars() {
        let ends_word = parts
            .last()
            .is_none_or(|part| !part.ends_with(|c: char| !c.is_whitespace()));
        is_comment = c != '\n' && (is_comment || (c == '#' && quote.is_none() && ends_word));
        match c {
            _ if is_comment => continue,
            '\n' | ';' if quote.is_none() && !escaped => {
                parts.push(String::new());
                continue;
            }
            '\'' | '"' if !escaped && quote.is_none_or(|of| of == c) => {
                quote = if quote.is_some() { None } else { Some(c) };
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped && quote != Some('\'');
        parts
            .iter_mut()
            .last()
            .into_iter()
            .for_each(|part| part.push(c));
    }
    parts
}

/// The user's workers. `in_build`: what cargo's files may have set does not count. Gives a word on what was left out, too.
pub fn workers(in_build: bool) -> Result<(Vec<Workers>, Option<String>), String> {
    let own = in_build.then(environment_of_cargo);
    let is_own = |name: &str, value: &str| {
        let entry = format!("{name}={value}");
        let own = own.as_ref();
        own.is_none_or(|all| all.split('\0').any(|of| of == entry))
    };
    let own = |name: &str| get(name).filter(|value| is_own(name, value));
    if let Some(text) = own(NAME) {
        let workers = Workers::read(&text).map_err(|why| format!("{NAME}: {why}"))?;
        return Ok((workers, None));
    }
    let refused = get(NAME).map(|_| {
        format!("{NAME} is left alone: a file of cargo's sets it, and no package is to have a build reach for hosts; set it in your own environment")
    });
    let folder = own("XDG_CONFIG_HOME").map(PathBuf::from);
    let home = || Some(PathBuf::from(own("HOME")?).join(".config"));
    let file = folder
        .or_else(home)
        .map(|folder| folder.join("bico/workers"));
    let (Some(file), None) = (file, get("BICO_RUNNER")) else {
        return Ok((Vec::new(), refused));
    };
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let workers = Workers::read(&text).map_err(|why| format!("{}: {why}", file.display()))?;
    Ok((workers, refused))
}

/// What cargo itself was started with.
#[cfg(unix)]
fn environment_of_cargo() -> String {
    let parent = std::os::unix::process::parent_id();
    let read = std::fs::read(format!("/proc/{parent}/environ"));
    String::from_utf8_lossy(&read.unwrap_or_default()).into_owned()
}

/// Not visible here.
#[cfg(not(unix))]
fn environment_of_cargo() -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workers(count: usize, words: &[&str], sends: bool) -> Workers {
        Workers {
            count,
            runner: words.iter().map(|word| word.to_string()).collect_vec(),
            sends,
        }
    }

    #[test]
    fn a_list_is_read() {
        let read = |text| Workers::read(text).unwrap();
        assert_eq!(read(""), []);
        assert_eq!(read(" ; \n# nothing; here\n"), []);
        assert_eq!(
            read("4 x srun -n1 --exact ; send ssh gpu7; local"),
            [
                workers(4, &["srun", "-n1", "--exact"], false),
                workers(1, &["ssh", "gpu7"], true),
                Workers::LOCAL
            ]
        );
        assert_eq!(
            read("# mine\nsend 2 x ssh gpu7 # it's there\n\nssh a\n"),
            [
                workers(2, &["ssh", "gpu7"], true),
                workers(1, &["ssh", "a"], false)
            ]
        );
        assert_eq!(
            read("sh -c 'a; b' \"c'd;\" e\\;f"),
            [workers(1, &["sh", "-c", "a; b", "c'd;", "e;f"], false)]
        );
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text| Workers::read(text).unwrap_err();
        assert!(error("0 x ssh a").contains("`0 x` is no number of workers"));
        assert!(error("two x ssh a").contains("`two x`"));
        assert!(error("ssh 'a").contains("a quote is not closed"));
        assert!(error("2 x").contains("`2 x` names no command"));
        assert!(error("send").contains("`send` names no command"));
    }
}
