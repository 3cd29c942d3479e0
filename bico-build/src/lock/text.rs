//! Which texts the lock may hold: they come from outside, and end in command lines and messages.

/// The longest text, in characters.
const LONGEST: usize = 256;

/// Whether a character may stand in a text: printable, and none that quotes or escapes.
pub(super) fn is_plain(c: char) -> bool {
    match c {
        '"' | '\\' => false,
        ' ' => true,
        c => c.is_ascii_graphic() || c.is_alphanumeric(),
    }
}

/// What is wrong with a text, if anything is.
pub(super) fn fault(text: &str) -> Option<String> {
    // Nearly every text: bytes are cheaper than characters where nothing is optimised.
    let plain = |byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    if text.len() <= LONGEST && text.bytes().all(plain) {
        return None;
    }
    if let Some(c) = text.chars().find(|c| !is_plain(*c)) {
        return Some(match c {
            '"' | '\\' => format!("the character `{c}`, which bico.lock does not take"),
            c if c.is_control() => format!("the control character {}", c.escape_unicode()),
            c => {
                let c = c.escape_unicode();
                format!("the character {c}, which cannot be seen or is no letter")
            }
        });
    }
    (text.chars().count() > LONGEST).then(|| format!("more than {LONGEST} characters"))
}

/// Whether a text can be the name of a parameter.
pub(super) fn is_identifier(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c == '_' || c.is_alphabetic());
    starts && text.chars().all(|c| c == '_' || c.is_alphanumeric()) && fault(text).is_none()
}

/// Whether a text can be the key of a tunable: identifiers joined by `-`, `.` or `::`. It becomes a file name.
pub(super) fn is_key(text: &str) -> bool {
    let parts = text.replace("::", ".");
    parts.split(['-', '.']).all(is_identifier) && fault(text).is_none()
}

pub(super) const TUNABLE: &str = "the key of a tunable";
pub(super) const DEVICE: &str = "the key of a device";
pub(super) const PROBLEM: &str = "the name of a problem";
pub(super) const HEADER: &str = "the name of a header";
pub(super) const PARAMETER: &str = "the name of a parameter";

/// Whether a text can be `what`; if not, why.
pub(super) fn check(what: &str, text: &str) -> Result<(), String> {
    let (fits, fault) = match what {
        TUNABLE => (is_key(text), None),
        PARAMETER => (is_identifier(text), None),
        _ => (!text.is_empty(), fault(text)),
    };
    let text = text.escape_debug();
    match fault {
        Some(fault) => Err(format!("`{text}` cannot be {what}: it holds {fault}")),
        None if fits => Ok(()),
        None => Err(format!("`{text}` cannot be {what}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_texts() {
        for text in [
            "AMD EPYC (AuthenticAMD family 26 model 2, x86-64-v4)",
            "größe",
            "-march=native",
            "",
            "$(x); `y`",
        ] {
            assert_eq!(fault(text), None, "{text}");
        }
        for (text, word) in [
            ("a\"b", "`\"`"),
            ("a\\b", "`\\`"),
            ("a\nb", "{a}"),
            ("a\u{202e}b", "{202e}"),
        ] {
            assert!(fault(text).unwrap().contains(word), "{text:?}");
        }
        assert_eq!(fault(&"x".repeat(257)).unwrap(), "more than 256 characters");
    }

    #[test]
    fn keys_and_names() {
        for key in ["gemm", "f32.gemm", "conv-2d_x", "größe"].map(|key| key.replace("-2", "-x2"))
        {
            assert!(is_key(&key), "{key}");
        }
        for key in ["", "../gemm", "a/b", ".a", "a..b", "1a", "a b", "a-"] {
            assert!(!is_key(key), "{key}");
        }
        assert!(is_identifier("TILE_M") && !is_identifier("TILE-M") && !is_identifier("2M"));
    }
}
