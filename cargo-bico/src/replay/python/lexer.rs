//! Tokens of Python expressions.

use bico_core::Value;
use bico_syntax::bind::intern;

/// A token.
#[derive(Clone)]
pub(super) enum Token {
    /// A number or a string.
    Value(Value),
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
            string(&rest[1..], first)?
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

fn take(text: &str, belongs: fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belongs(c)).unwrap_or(text.len())]
}

fn starts_fraction(text: &str) -> bool {
    let fraction = text.strip_prefix('.');
    fraction.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
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
    let value = if let Some(value) = based {
        Value::Int(value)
    } else if plain.bytes().all(|byte| byte.is_ascii_digit()) {
        let value = plain.parse().ok().map(Value::Int);
        value.ok_or_else(|| format!("`{written}` does not fit into 64 bits"))?
    } else {
        let value = plain.parse().ok().filter(|value: &f64| value.is_finite());
        Value::Float(value.ok_or_else(|| format!("`{written}` is no number"))?)
    };
    Ok((Token::Value(value), length))
}

/// A string whose opening quote has been read.
fn string(body: &str, quote: char) -> Result<(Token, usize), String> {
    let (text, _) = body.split_once(quote).ok_or("a string has no end")?;
    match text.contains('\\') {
        true => Err("a string with a backslash".into()),
        false => Ok((Token::Value(Value::Str(intern(text))), text.len() + 2)),
    }
}
