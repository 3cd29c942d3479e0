//! Tokens of Python expressions.

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Int(i64),
    Float(f64),
    Text(String),
    /// A name or a keyword.
    Word(String),
    /// An operator or bracket.
    Sign(&'static str),
}

/// Longer ones first.
const SIGNS: [&str; 22] = [
    "**", "//", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{",
    "}", ",", ".", ":",
];

/// Tokens of one restriction at most: real ones have some dozens.
const MOST: usize = 1000;

/// Splits a text into tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if tokens.len() == MOST {
            return Err(format!("it has more than {MOST} tokens"));
        }
        let (token, length) = if first.is_ascii_digit() || starts_fraction(rest) {
            number(rest)?
        } else if first == '_' || first.is_alphabetic() {
            let word = take(rest, |c| c == '_' || c.is_alphanumeric());
            if rest[word.len()..].starts_with(['"', '\'']) {
                return Err(format!("a string with a prefix, `{word}`"));
            }
            (Token::Word(word.into()), word.len())
        } else if first == '"' || first == '\'' {
            string(rest, first)?
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            return Err(format!("`{first}` is not translated"));
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn take(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belongs(c)).unwrap_or(text.len())]
}

fn starts_fraction(text: &str) -> bool {
    text.strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn number(text: &str) -> Result<(Token, usize), String> {
    let whole = take(text, |c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    let mut length = whole.len();
    // `1e-3`
    let signed =
        whole.ends_with(['e', 'E']) && !whole.starts_with("0x") && !whole.starts_with("0X");
    if signed && text[length..].starts_with(['+', '-']) {
        length += 1 + take(&text[length + 1..], |c| c.is_ascii_digit()).len();
    }
    let written = &text[..length];
    let plain = written.replace('_', "");
    let lower = plain.to_ascii_lowercase();
    let based = [("0x", 16), ("0o", 8), ("0b", 2)]
        .iter()
        .find_map(|(prefix, base)| i64::from_str_radix(lower.strip_prefix(prefix)?, *base).ok());
    let is_whole = plain.bytes().all(|byte| byte.is_ascii_digit());
    let token = if let Some(value) = based {
        Token::Int(value)
    } else if is_whole {
        match plain.parse() {
            Ok(value) => Token::Int(value),
            Err(_) => return Err(format!("`{written}` does not fit into 64 bits")),
        }
    } else {
        match plain.parse::<f64>() {
            Ok(value) if value.is_finite() => Token::Float(value),
            _ => return Err(format!("`{written}` is no number")),
        }
    };
    Ok((token, length))
}

fn string(text: &str, quote: char) -> Result<(Token, usize), String> {
    let body = &text[1..];
    let Some(end) = body.find(quote) else {
        return Err("a string has no end".into());
    };
    if body[..end].contains('\\') {
        return Err("a string with a backslash".into());
    }
    Ok((Token::Text(body[..end].into()), end + 2))
}
