//! Texts of a page: escaped, whatever trails and locks hold.

use crate::names::plain;
use bico_build::report::time;
use std::fmt::Write;

/// A text from outside for HTML: in an element, or in an attribute between double quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// JSON for a `script` element: nothing in it looks like HTML.
pub(super) fn script(json: &serde_json::Value) -> String {
    let mut out = String::new();
    for c in json.to_string().chars() {
        match c {
            // Outside of strings JSON has none of these.
            '<' | '>' | '&' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            other => out.push(other),
        }
    }
    out
}

/// A text of at most so many characters.
pub(super) fn short(text: &str, most: usize) -> String {
    let text = plain(text);
    match text.chars().count() > most {
        true => text
            .chars()
            .take(most.saturating_sub(1))
            .chain(['…'])
            .collect(),
        false => text,
    }
}

/// `1.5 ms` for what [`time`] would write as `1.50 ms`.
pub(super) fn trimmed_time(seconds: f64) -> String {
    let text = time(seconds);
    let Some((number, unit)) = text
        .split_once(' ')
        .filter(|(number, _)| number.contains('.'))
    else {
        return text;
    };
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number} {unit}")
}

/// `1 config`, `2 configs`.
pub(super) fn counted(count: usize, one: &str) -> String {
    let number = bico_build::report::count(count as u64);
    match count {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_from_outside_becomes_markup() {
        let evil = "</script><b a='1' b=\"2\">&amp;\u{1b}[1m\u{0}\u{202e}\r\n";
        assert_eq!(
            escaped(evil),
            "&lt;/script&gt;&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;amp;\\u{1b}[1m\\u{0}\\u{202e}\\r\\n"
        );
        let text = script(&json!({ "</script>": [evil, "\u{2028}<!--\u{9b}"] }));
        assert!(
            !text.contains(['<', '>', '&', '\u{2028}', '\u{9b}']),
            "{text}"
        );
        let back: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["</script>"], json!([evil, "\u{2028}<!--\u{9b}"]));
    }

    #[test]
    fn short_texts_and_numbers() {
        assert_eq!(
            [short("abcdef", 4), short("abc", 4), short("a\tb", 9)],
            ["abc…", "abc", "a\\tb"]
        );
        assert_eq!(
            [1.5e-3, 1e-3, 0.1, 1234.0].map(trimmed_time),
            ["1.5 ms", "1 ms", "100 ms", "1234 s"]
        );
        assert_eq!(
            [counted(1, "config"), counted(1200, "config")],
            ["1 config", "1,200 configs"]
        );
    }
}
