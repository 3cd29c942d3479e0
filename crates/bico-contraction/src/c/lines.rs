//! Lines of at most 80 columns.

const WIDTH: usize = 80;

/// `first` and what follows, broken after `, ` and ` + ` where a line would be too long, if it begins
/// at `column`; what is broken goes on below the end of `first`.
pub(super) fn wrapped(first: &str, rest: &str, column: usize) -> String {
    let indent = " ".repeat(first.chars().count());
    let width = WIDTH.saturating_sub(column);
    let mut out = String::new();
    let mut line = first.to_string();
    let pieces = rest.replace(", ", ", \n").replace(" + ", " + \n");
    for piece in pieces.split('\n') {
        let fits = line.chars().count() + piece.trim_end().chars().count() <= width;
        if !fits && line.trim() != first.trim() {
            out += line.trim_end();
            out.push('\n');
            line.clone_from(&indent);
        }
        line += piece;
    }
    out + line.trim_end()
}

/// A text with two more blanks before every line but those of the preprocessor, `depth` times.
pub(super) fn indented(text: &str, depth: usize) -> String {
    text.lines()
        .map(|line| match line.is_empty() || line.starts_with('#') {
            true => format!("{line}\n"),
            false => format!("{}{line}\n", "  ".repeat(depth)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_after_commas_and_sums() {
        let parts: Vec<String> = (0..12).map(|i| format!("part {i} + more")).collect();
        let text = wrapped("void f(", &(parts.join(", ") + ") {"), 8);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH - 8));
        assert!(text.lines().count() > 2);
        let joined: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(joined.join(" "), format!("void f({}) {{", parts.join(", ")));
        assert_eq!(wrapped("f(", "a, b)", 0), "f(a, b)");
    }
}
