//! C, C++ and PTX as texts: what both need that look into one without a compiler.

/// The lines of a text without comments, with the number at which each begins: a line that ends in `\` goes on in
/// the next one.
pub(crate) fn lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = vec![(1, String::new())];
    let (mut number, mut quote) = (1, None);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let (begin, line) = lines.last_mut().expect("there is one");
        if line.trim().is_empty() {
            *begin = number;
        }
        match (c, quote, rest.peek()) {
            ('\\', _, Some('\n')) => {
                rest.next();
                number += 1;
            }
            ('\\', Some(_), Some(_)) => line.extend([c, rest.next().unwrap_or_default()]),
            ('\n', ..) => {
                quote = None;
                number += 1;
                lines.push((number, String::new()));
            }
            ('/', None, Some('/')) => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
            }
            ('/', None, Some('*')) => {
                line.push(' ');
                rest.next();
                let mut before = ' ';
                for c in rest.by_ref() {
                    number += usize::from(c == '\n');
                    if (before, c) == ('*', '/') {
                        break;
                    }
                    before = c;
                }
            }
            ('"' | '\'', ..) => {
                quote = match quote {
                    None => Some(c),
                    Some(open) => Some(open).filter(|open| *open != c),
                };
                line.push(c);
            }
            _ => line.push(c),
        }
    }
    lines
}

/// The name of a directive, and what follows it.
pub(super) fn directive(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim();
    Some(rest.split_at(word(rest).len()))
}

/// The word that a text begins with; empty where it begins with none.
pub(super) fn word(text: &str) -> &str {
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

/// Whether a character can stand in a name.
pub(crate) fn is_part(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_continuations() {
        let text =
            "a // x\nb /* y\n z */ c \\\n d\n\"/*\\\"\" '\\'' /**/ e\n#  define X(a) \\\n 1\n";
        let lines = lines(text);
        let expected = [
            (1, "a "),
            (2, "b   c  d"),
            (5, "\"/*\\\"\" '\\''   e"),
            (6, "#  define X(a)  1"),
            (8, ""),
        ];
        assert_eq!(lines, expected.map(|(at, line)| (at, line.to_string())));
        assert_eq!(directive(&lines[3].1), Some(("define", " X(a)  1")));
        assert_eq!((word("ab_1+c"), word("+")), ("ab_1", ""));
    }
}
