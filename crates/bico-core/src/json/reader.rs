//! Reads a text by the grammar of JSON (RFC 8259). One thing is left to whoever takes a string: it may hold control
//! characters as they are.

use super::value::{Content, Property, Value};
use std::borrow::Cow;

/// Lists and objects in each other.
const DEEPEST: usize = 512;

pub(super) struct Reader<'a> {
    /// How messages speak of the text.
    name: &'a str,
    text: &'a str,
    /// The next byte.
    at: usize,
}

/// What is wrong, and at which byte: that of the text's end, if it ends too early.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
}

impl<'a> Reader<'a> {
    pub(super) fn new(name: &'a str, text: &'a str) -> Reader<'a> {
        Reader { name, text, at: 0 }
    }

    /// The one value that the text is.
    pub(super) fn read(mut self) -> Result<Value<'a>, Fault> {
        let value = self.value(0)?;
        self.skip_space();
        match self.next() {
            None => Ok(value),
            Some(_) => Err(self.unexpected("text cannot contain more than one JSON value")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value<'a>, Fault> {
        self.skip_space();
        let start = self.at;
        if depth > DEEPEST {
            return Err(not_json(start, "maximum nesting depth exceeded"));
        }
        let content = match self.next() {
            Some(b'{') => Content::Object(self.object(depth)?),
            Some(b'[') => Content::List(self.list(depth)?),
            Some(b'"') => Content::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => Content::Number(self.number()?),
            Some(b't') => self.word("true", Content::Bool(true))?,
            Some(b'f') => self.word("false", Content::Bool(false))?,
            Some(b'n') => self.word("null", Content::Null)?,
            _ => return Err(self.unexpected("expected a value")),
        };
        Ok(Value { start, content })
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Property<'a>>, Fault> {
        let mut properties = Vec::new();
        let mut more = self.opens(b'}');
        while more {
            let start = self.at;
            if self.next() != Some(b'"') {
                return Err(self.unexpected("expected string for object property"));
            }
            let name = self.string()?;
            self.skip_space();
            if self.next() != Some(b':') {
                return Err(self.unexpected("expected colon after the name of an object property"));
            }
            self.at += 1;
            let value = self.value(depth + 1)?;
            properties.push(Property { start, name, value });
            more = self.goes_on(b'}')?;
        }
        Ok(properties)
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Value<'a>>, Fault> {
        let mut values = Vec::new();
        let mut more = self.opens(b']');
        while more {
            values.push(self.value(depth + 1)?);
            more = self.goes_on(b']')?;
        }
        Ok(values)
    }

    /// At an opening bracket: whether anything stands before the closing one.
    fn opens(&mut self, close: u8) -> bool {
        self.at += 1;
        self.skip_space();
        let empty = self.next() == Some(close);
        self.at += usize::from(empty);
        !empty
    }

    /// Behind an element: whether another one follows.
    fn goes_on(&mut self, close: u8) -> Result<bool, Fault> {
        let after = self.at;
        self.skip_space();
        match self.next() {
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.skip_space();
                match self.next() == Some(close) {
                    true => Err(Fault {
                        at: comma,
                        message: "a comma before the end of a list".to_string(),
                    }),
                    false => Ok(true),
                }
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            None | Some(b'/') => Err(self.unexpected("expected comma")),
            // The comma is missing there, not lines further down.
            Some(_) => Err(not_json(after, "expected comma")),
        }
    }

    fn word(&mut self, word: &str, content: Content<'a>) -> Result<Content<'a>, Fault> {
        let start = self.at;
        for byte in word.bytes() {
            match self.next() {
                Some(next) if next == byte => self.at += 1,
                None => return Err(self.unexpected("unexpected word")),
                Some(_) => return Err(not_json(start, "unexpected word")),
            }
        }
        Ok(content)
    }

    fn number(&mut self) -> Result<&'a str, Fault> {
        let start = self.at;
        self.at += usize::from(self.next() == Some(b'-'));
        match self.next() {
            Some(b'0') => self.at += 1,
            Some(b'I' | b'N') => {
                self.at = start;
                return Err(self.unexpected("expected digit"));
            }
            _ => self.digits()?,
        }
        if self.next() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.next() {
            self.at += 1;
            self.at += usize::from(matches!(self.next(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    /// At least one.
    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.next() {
            self.at += 1;
        }
        match self.at == start {
            true => Err(self.unexpected("expected digit")),
            false => Ok(()),
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.at += 1;
        let start = self.at;
        let mut decoded = String::new();
        // What is decoded reaches to there.
        let mut from = start;
        loop {
            match self.next() {
                Some(b'"') => {
                    let rest = &self.text[from..self.at];
                    self.at += 1;
                    return Ok(match from == start {
                        true => Cow::Borrowed(rest),
                        false => Cow::Owned(decoded + rest),
                    });
                }
                Some(b'\\') => {
                    decoded.push_str(&self.text[from..self.at]);
                    decoded.push(self.escape()?);
                    from = self.at;
                }
                Some(_) => self.at += 1,
                None => return Err(self.unexpected("unterminated string literal")),
            }
        }
    }

    /// The character that a backslash stands for.
    fn escape(&mut self) -> Result<char, Fault> {
        let start = self.at;
        self.at += 1;
        let plain = match self.next() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(start),
            None => return Err(self.unexpected("invalid escape")),
            Some(_) => return Err(not_json(start, "invalid escape")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// `u` and four digits; characters of the upper planes are two such escapes.
    fn unicode(&mut self, start: usize) -> Result<char, Fault> {
        let mut code = self.four_digits()?;
        if let 0xD800..0xDC00 = code
            && self.text[self.at..].starts_with("\\u")
        {
            self.at += 1;
            let low = self.four_digits()?;
            // Of another low half than there can be, no character is made.
            code = match low {
                0xDC00..0xE000 => 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00),
                _ => code,
            };
        }
        char::from_u32(code).ok_or_else(|| not_json(start, "half of a character's escape"))
    }

    fn four_digits(&mut self) -> Result<u32, Fault> {
        let mut code = 0;
        self.at += 1;
        for _ in 0..4 {
            let digit = self.next().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected("expected four hex digits"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.next() {
            self.at += 1;
        }
    }

    /// What follows cannot stand there.
    fn unexpected(&self, what: &str) -> Fault {
        let rest = &self.text[self.at..];
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        let message = if rest.starts_with("//") || rest.starts_with("/*") {
            let name = self.name;
            format!("comments do not belong into a {name}: they would be lost")
        } else if unsigned.starts_with("NaN") || unsigned.starts_with("Infinity") {
            "numbers must be finite".to_string()
        } else {
            return not_json(self.at, what);
        };
        Fault {
            at: self.at,
            message,
        }
    }
}

fn not_json(at: usize, what: &str) -> Fault {
    Fault {
        at,
        message: format!("this is not JSON: {what}"),
    }
}
