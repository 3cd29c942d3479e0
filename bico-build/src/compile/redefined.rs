//! Macros that a source defines though the build does: found without a compiler, so that a build under `BICO=locked`
//! knows of them too. Only what is certain counts: a `#define` under a condition that cannot be decided here is none.

use super::source::normal;
use super::text::{directive, lines, word};
use bico_core::Lists;
use std::path::{Path, PathBuf};

/// A `#define` that beats the build's own.
#[derive(Debug, PartialEq)]
pub(crate) struct Redefined {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) name: String,
}

/// The first of these macros that a source defines again. `files` are the source and what it includes.
pub(crate) fn redefined(files: &[PathBuf], names: Vec<String>) -> Option<Redefined> {
    let (source, headers) = files.split_first()?;
    let mut walk = Walk {
        headers: headers.to_vec(),
        names,
    };
    walk.file(source, Some(true))
}

/// Whether a name stands in one of these files, comments aside.
#[cfg(feature = "tune")]
pub(crate) fn mentioned(files: &[PathBuf], name: &str) -> bool {
    files.iter().any(|path| {
        let text = std::fs::read(path).unwrap_or_default();
        let lines = lines(&String::from_utf8_lossy(&text));
        let mut words = lines
            .iter()
            .flat_map(|(_, line)| line.split(|c| !super::text::is_part(c)));
        words.any(|word| word == name)
    })
}

struct Walk {
    /// Not read yet.
    headers: Vec<PathBuf>,
    /// The macros that are the build's still.
    names: Vec<String>,
}

/// What is known of an `#if` up to its `#endif`: of the branch that is read, and of those before it.
struct Branch {
    taken: Option<bool>,
    before: Option<bool>,
}

impl Walk {
    /// Reads a file; `taken` says whether it is included for certain.
    fn file(&mut self, path: &Path, taken: Option<bool>) -> Option<Redefined> {
        let text = std::fs::read(path).ok()?;
        let lines = lines(&String::from_utf8_lossy(&text));
        let parts = lines.iter();
        let parts = parts
            .filter_map(|(at, line)| directive(line).map(|(name, rest)| (*at, name, rest.trim())));
        let parts: Vec<(usize, &str, &str)> = parts.collect_vec();
        let mut open = vec![Branch {
            taken,
            before: taken,
        }];
        let guarded = parts.first().is_some_and(|of| !self.is_ours(word(of.2)));
        let inner = without_guard(&parts).filter(|_| guarded);
        for (at, name, rest) in inner.unwrap_or(&parts) {
            let certain = open.iter().all(|branch| branch.taken == Some(true));
            let possible = open.iter().all(|branch| branch.taken != Some(false));
            match *name {
                "if" | "ifdef" | "ifndef" => {
                    let taken = self.condition(name, rest);
                    open.push(Branch {
                        taken,
                        before: taken,
                    });
                }
                "elif" | "elifdef" | "elifndef" | "else" => {
                    let holds = match *name {
                        "else" => Some(true),
                        _ => self.condition(&name[2..], rest),
                    };
                    let branch = open.last_mut()?;
                    (branch.taken, branch.before) = match (branch.before, holds) {
                        (Some(true), _) => (Some(false), Some(true)),
                        (Some(false), _) => (holds, holds),
                        (None, Some(false)) => (Some(false), None),
                        (None, _) => (None, None),
                    };
                }
                "endif" => drop(open.pop()),
                "define" if certain && self.is_ours(word(rest)) => {
                    return Some(Redefined {
                        file: path.to_path_buf(),
                        line: *at,
                        name: word(rest).to_string(),
                    });
                }
                // Who takes it back knows of it.
                "undef" if possible => self.names.retain(|name| name != word(rest)),
                "include" if possible => {
                    let header = self.header(path, rest);
                    let taken = certain.then_some(true);
                    if let Some(found) = header.and_then(|header| self.file(&header, taken)) {
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn is_ours(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Whether a condition holds, where that can be told.
    fn condition(&self, kind: &str, text: &str) -> Option<bool> {
        let defined = |name: &str| self.is_ours(name).then_some(true);
        match kind {
            "ifdef" => defined(word(text)),
            "ifndef" => defined(word(text)).map(|is| !is),
            _ => {
                let (text, negated) = match text.strip_prefix('!') {
                    Some(rest) => (rest.trim(), true),
                    None => (text, false),
                };
                let known = match text.strip_prefix("defined") {
                    _ if text == "0" || text == "1" => Some(text == "1"),
                    Some(rest) => {
                        let name = rest.trim().trim_start_matches('(').trim();
                        let behind = name[word(name).len()..].trim();
                        defined(word(name)).filter(|_| behind.is_empty() || behind == ")")
                    }
                    None => None,
                };
                known.map(|is| is != negated)
            }
        }
    }

    /// The header that an `#include` names, if it is among those that were found.
    fn header(&mut self, from: &Path, text: &str) -> Option<PathBuf> {
        let name = text.get(1..)?.split(['"', '>']).next()?;
        let beside = normal(&from.parent()?.join(name));
        let known = self.headers.iter().position(|of| *of == beside);
        let known = known.or_else(|| self.headers.iter().position(|of| of.ends_with(name)))?;
        Some(self.headers.remove(known))
    }
}

/// The directives of a file without the guard around all of it, which holds where it is read first.
fn without_guard<'a, 'b>(
    parts: &'b [(usize, &'a str, &'a str)],
) -> Option<&'b [(usize, &'a str, &'a str)]> {
    if let [
        (_, "ifndef", guard),
        (_, "define", name),
        inner @ ..,
        (_, "endif", _),
    ] = parts
        && word(name) == word(guard)
        && word(name) == name.trim_end()
    {
        let mut depth = 1;
        let whole = inner.iter().all(|(_, name, _)| {
            depth += i32::from(name.starts_with("if")) - i32::from(*name == "endif");
            depth > 0 && !(depth == 1 && name.starts_with("el"))
        });
        return Some(inner).filter(|_| whole && depth == 1);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::source::tests::package;

    /// Where these files define T again, in the first of them.
    fn found(files: &[(&str, &str)]) -> Option<(String, usize)> {
        let dir = package(files);
        let paths: Vec<PathBuf> = files
            .iter()
            .map(|(name, _)| dir.path().join(name))
            .collect();
        let found = redefined(&paths, vec!["T".into(), "U".into()])?;
        assert_eq!(found.name, "T");
        let file = found.file.strip_prefix(dir.path()).unwrap();
        Some((file.display().to_string(), found.line))
    }

    fn line(text: &str) -> Option<usize> {
        found(&[("k.c", text)]).map(|(_, line)| line)
    }

    #[test]
    fn what_beats_the_build_is_found() {
        assert_eq!(line("int x;\n# define T 4\n"), Some(2));
        assert_eq!(line("/*\n*/#define \\\n T(x) 4\n"), Some(2));
        assert_eq!(line("#if 1\n#define T\n#endif"), Some(2));
        assert_eq!(line("#ifdef T\n#define T 4\n#endif"), Some(2));
        assert_eq!(line("#ifndef U\n#else\n#define T 4\n#endif"), Some(3));
        assert_eq!(
            line("#if !defined(T)\n#elif defined U\n#define T 4\n#endif"),
            Some(3)
        );
        assert_eq!(
            line("#if X\n#endif\n#if 0\n#else\n#define T 4\n#endif"),
            Some(5)
        );
    }

    #[test]
    fn what_may_not_be_is_not() {
        for text in [
            "#ifndef T\n#define T 4\n#endif\n",
            "#if !defined(T)\n#define T 4\n#endif\n",
            "#ifdef T\n#else\n#define T 4\n#endif\n",
            "#undef T\n#define T 4\n",
            "#ifdef SOMETHING\n#undef T\n#endif\n#define T 4\n",
            "#if X > 2\n#define T 4\n#else\n#define T 5\n#endif\n",
            "#if X\n#elif 1\n#define T 5\n#endif\n",
            "#if defined(T) && X\n#define T 5\n#endif\n",
            "#if 1\n#elif 1\n#define T 5\n#endif\n",
            "#if 0\n#define T 5\n#endif\n",
            "// #define T\n/*\n#define T\n*/\n",
            "#define X \\\n#define T 3\n",
            "#define TT T\n#pragma define T\nconst char *s = \"\\\n#define T\";\n",
            "#ifndef GUARD\n#define GUARD\n#else\n#define T 4\n#endif\n",
            "#ifndef U\n#define U\n#define T 4\n#endif\n",
            "#ifndef X\n#define X 3\n#define T 4\n#endif\n#ifdef Y\n#endif\n",
        ] {
            assert_eq!(line(text), None, "{text}");
        }
    }

    #[test]
    fn headers_count_where_they_are_included_for_certain() {
        let header = (
            "h/b.h",
            "#ifndef B_H\n#define B_H\n#if X\n#endif\n#define T 4\n#endif\n",
        );
        let here = Some(("h/b.h".to_string(), 5));
        assert_eq!(found(&[("k.c", "#include \"h/b.h\"\n"), header]), here);
        assert_eq!(found(&[("k.c", "#include <b.h>\n"), header]), here);
        let again = "#undef T\n#include \"h/b.h\"\n";
        assert_eq!(found(&[("k.c", again), header]), None);
        let taken_back = ("u.h", "#undef T\n");
        let maybe = "#ifdef OTHER\n#include \"u.h\"\n#endif\n#define T 4\n";
        assert_eq!(found(&[("k.c", maybe), taken_back]), None);
        let maybe = "#ifdef OTHER\n#include \"h/b.h\"\n#endif\n";
        assert_eq!(found(&[("k.c", maybe), header]), None);
        assert_eq!(found(&[("k.c", "#include \"c.h\"\n"), header]), None);
    }
}
