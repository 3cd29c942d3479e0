//! C, C++ and CUDA C++ as tokens, with the preprocessor's lines apart.

/// A piece of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a keyword.
    Word(String),
    /// A number, a string or a character, as written.
    Literal(String),
    /// An operator or a bracket: `+=`, `->`, `(`.
    Sign(&'static str),
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        match self {
            Token::Word(word) => word == text,
            Token::Sign(sign) => *sign == text,
            Token::Literal(_) => false,
        }
    }

    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    /// The value of a whole number.
    pub(super) fn integer(&self) -> Option<i64> {
        match self {
            Token::Literal(text) => integer(text),
            _ => None,
        }
    }
}

/// `16`, `0x10`, `16u`, `16UL`.
pub(super) fn integer(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// Operators of several characters, longest first. What is not listed is read sign by sign.
const LONG: [&str; 23] = [
    "<<=", ">>=", "...", "<<<", ">>>", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "==", "!=", "<=", ">=", "&&", "||", "::",
];
const SHORT: [&str; 25] = [
    "(", ")", "[", "]", "{", "}", "<", ">", "+", "-", "*", "/", "%", "=", "&", "|", "^", "!", "~",
    "?", ":", ";", ",", ".", "#",
];

/// Tokens and directives of a text, `#define TILE 16` as `define TILE 16`.
pub(super) fn lex(text: &str) -> (Vec<Token>, Vec<String>) {
    let text = without_comments(&text.replace("\\\r\n", " ").replace("\\\n", " "));
    let (mut tokens, mut directives) = (Vec::new(), Vec::new());
    for line in text.lines() {
        match line.trim_start().strip_prefix('#') {
            Some(directive) => directives.push(directive.trim().to_string()),
            None => tokens.extend(line_tokens(line)),
        }
    }
    (tokens, directives)
}

/// The tokens of one line without comments.
pub(super) fn line_tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let (length, token) = if first.is_ascii_digit() {
            let end = rest
                .find(|c: char| !is_name(c) && c != '.')
                .unwrap_or(rest.len());
            (end, Some(Token::Literal(rest[..end].to_string())))
        } else if is_name(first) {
            let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            (end, Some(Token::Word(rest[..end].to_string())))
        } else if first == '"' || first == '\'' {
            let end = end_of_string(rest, first);
            (end, Some(Token::Literal(rest[..end].to_string())))
        } else {
            let signs = LONG.iter().chain(&SHORT);
            let sign = signs.copied().find(|sign| rest.starts_with(sign));
            let length = sign.map_or(first.len_utf8(), str::len);
            (length, sign.map(Token::Sign))
        };
        tokens.extend(token);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The length of the string that a text begins with.
fn end_of_string(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            // Lines stay lines: a directive ends with its own.
            let lines = rest[..end].matches('\n').count();
            out.push(' ');
            out.push_str(&"\n".repeat(lines));
            rest = &rest[end..];
        } else if let Some(quote) = rest.chars().next().filter(|c| *c != '/') {
            // A lone quote, as in `#error don't`, ends with its line.
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            let end = end_of_string(line, quote);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else {
            out.push('/');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_directives_are_set_apart() {
        let text = "#define A 1 // \"x\n/* #define B\n*/ a[i]+=0x1F*\"/* no */\"; # define \\\n C 2\n# define D don't\n'\\''";
        let (tokens, directives) = lex(text);
        assert_eq!(directives, ["define A 1", "define D don't"]);
        let shown: Vec<String> = tokens.iter().map(|token| format!("{token:?}")).collect();
        assert!(shown.contains(&"Sign(\"+=\")".to_string()), "{shown:?}");
        assert!(
            shown.contains(&"Literal(\"\\\"/* no */\\\"\")".to_string()),
            "{shown:?}"
        );
        assert_eq!(integer("0x1F"), Some(31));
        assert_eq!(integer("16UL"), Some(16));
        assert_eq!(integer("1.5f"), None);
    }
}
