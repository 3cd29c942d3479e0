//! Attributes for the self-test: small problems and budgets, which a processor plays through in seconds.

use std::fmt::Write;

/// Configs that a search of the self-test measures.
const EVALUATIONS: u32 = 2;
/// Problems of a tunable that are kept: compiling is what takes time, and each has kernels of its own.
const PROBLEMS: usize = 1;
/// Sizes up to this stay: they may be filters and the like.
const SMALL: u64 = 16;

/// A source with the first `problem(..)` of each attribute made small, the others left out, and a budget of a few
/// evaluations.
pub(crate) fn source(text: &str) -> String {
    const HEAD: &str = "#[bico::tunable(";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(HEAD) {
        let open = at + HEAD.len() - 1;
        let Some(len) = closing(&rest[open..]) else {
            break;
        };
        out.push_str(&rest[..open + 1]);
        out.push_str(&attribute(&rest[open + 1..open + len - 1]));
        out.push(')');
        rest = &rest[open + len..];
    }
    out + rest
}

/// What stands between an attribute's parentheses.
fn attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let (mut problems, mut budgets) = (0, 0);
    while let Some((at, name)) = next(rest) {
        let open = at + name.len();
        let Some(len) = closing(&rest[open..]) else {
            break;
        };
        let inner = &rest[open + 1..open + len - 1];
        out.push_str(&rest[..at]);
        rest = &rest[open + len..];
        if name == "budget" {
            budgets += 1;
            let _ = write!(out, "budget({})", budget(inner));
        } else if problems < PROBLEMS {
            problems += 1;
            let _ = write!(out, "problem({})", sizes(inner));
        } else {
            rest = rest.strip_prefix(',').unwrap_or(rest);
        }
    }
    out.push_str(rest);
    if budgets == 0 {
        let end = out.trim_end().trim_end_matches(',').len();
        let _ = write!(
            out,
            "{} budget({})",
            if end < out.trim_end().len() { "" } else { "," },
            budget("evaluations")
        );
    }
    out
}

/// The next `problem(` or `budget(` that is a word of its own.
fn next(text: &str) -> Option<(usize, &'static str)> {
    let found = ["problem", "budget"].into_iter().filter_map(|name| {
        let call = format!("{name}(");
        let mut places = text.match_indices(&call);
        let place = places.find(|(at, _)| {
            let before = text[..*at].chars().next_back();
            let line = text[..*at].rsplit('\n').next().unwrap_or("");
            let is_comment = line.trim_start().starts_with("//");
            !is_comment && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        });
        place.map(|(at, _)| (at, name))
    });
    found.min()
}

/// Bytes from the opening parenthesis at the start to behind the one that closes it. Those in comments and strings
/// do not count.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    let (mut in_comment, mut in_string) = (false, false);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '\n' => in_comment = false,
            _ if in_comment => {}
            '"' if before != '\\' => in_string = !in_string,
            _ if in_string => {}
            '/' if before == '/' => in_comment = true,
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        before = c;
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Whole numbers made small, but for those of constants, which code is written for.
fn sizes(inner: &str) -> String {
    let parts = inner
        .split(',')
        .map(|part| match part.trim_start().starts_with("const ") {
            true => part.to_string(),
            false => numbers(part),
        });
    parts.collect::<Vec<String>>().join(",")
}

fn numbers(inner: &str) -> String {
    let mut out = String::new();
    let mut digits = String::new();
    let mut before = ' ';
    for c in inner.chars().chain([' ']) {
        let continues = !digits.is_empty() && (c.is_ascii_digit() || c == '_');
        let begins = digits.is_empty()
            && c.is_ascii_digit()
            && !(before.is_alphanumeric() || before == '_' || before == '.');
        if continues || begins {
            digits.push(c);
        } else {
            if !digits.is_empty() {
                let number = digits.replace('_', "").parse::<u64>();
                match number {
                    // 1.0 is no size.
                    Ok(number) if c != '.' => out.push_str(&small(number).to_string()),
                    _ => out.push_str(&digits),
                }
                digits.clear();
            }
            out.push(c);
        }
        before = c;
    }
    out.pop();
    out
}

/// Sizes that differ by a quarter of an octave remain different.
fn small(size: u64) -> u64 {
    if size <= SMALL {
        return size;
    }
    let octave = u64::from(size.ilog2());
    4 * octave + (size >> (octave - 2) & 3)
}

fn budget(inner: &str) -> String {
    let parts = inner.split(',').filter(|part| !part.trim().is_empty());
    let parts: Vec<String> = parts
        .map(|part| match part.split('=').next().map(str::trim) {
            Some("evaluations") => format!("evaluations = {EVALUATIONS}"),
            _ => part.trim().to_string(),
        })
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_and_budgets_are_small() {
        let text = "/// budget(evaluations = 9)\n#[bico::tunable(\n\
            // Some (of many\n\
            problem(m = 4096, n = 12_288, alpha = 1.5, const ACT = \"si(lu\"), problem(m = 8192, n = 15),\n\
            problem(m = 7, n = 7),\n    budget(evaluations = 60, seconds = 20, strategy = \"random\"),\n)]\n\
            fn a(problem(n = 64));\n";
        let expected = "/// budget(evaluations = 9)\n#[bico::tunable(\n\
            // Some (of many\n\
            problem(m = 48, n = 54, alpha = 1.5, const ACT = \"si(lu\"), \n\
            \n    budget(evaluations = 2, seconds = 20, strategy = \"random\"),\n)]\n\
            fn a(problem(n = 64));\n";
        assert_eq!(source(text), expected);
        assert_eq!(
            source("#[bico::tunable(problem(m = 3"),
            "#[bico::tunable(problem(m = 3"
        );
    }

    #[test]
    fn an_attribute_without_a_budget_gets_one() {
        let small = |inner: &str| source(&format!("#[bico::tunable({inner})]"));
        let expected =
            "#[bico::tunable(problem(n = 24, f = 15, k = SIZE2048), budget(evaluations = 2))]";
        assert_eq!(small("problem(n = 64, f = 15, k = SIZE2048)"), expected);
        let lines =
            "#[bico::tunable(\n    problem(n = 24, budget_scale = 24),\n budget(evaluations = 2))]";
        assert_eq!(small("\n    problem(n = 64, budget_scale = 64),\n"), lines);
    }

    #[test]
    fn an_einsum_stays_and_its_sizes_are_small() {
        let text = "#[bico::tunable(\n    einsum = \"cmk, ckn -> cmn\",\n    space(M_L2 in [1]),\n    \
            problem(c = 4, m = 4096, n = 4096, k = 4096),\n    budget(evaluations = 96, seconds = 90)\n)]";
        let expected = text
            .replace("4096", "48")
            .replace("evaluations = 96", "evaluations = 2");
        assert_eq!(source(text), expected);
    }

    #[test]
    fn different_sizes_stay_different() {
        let sizes = [1, 15, 32, 64, 96, 100, 1000, 1024, 4096, 8192, 12288, 16384];
        let small: Vec<u64> = sizes.into_iter().map(small).collect();
        assert!(small.is_sorted_by(|a, b| a <= b), "{small:?}");
        assert!(small[6..].is_sorted_by(|a, b| a < b), "{small:?}");
    }
}
