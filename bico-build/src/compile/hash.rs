//! Content hashes: 128 bits, written as 32 hexadecimal digits.

use bico_core::json::{Error, FromJson, Item, Json, ToJson};
use std::fmt;
use xxhash_rust::xxh3::Xxh3;

/// A content hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Hash(pub u128);

impl Hash {
    /// The hash of a text, such as a field of [`bico_syntax::Canonical`].
    pub fn of(content: impl AsRef<[u8]>) -> Hash {
        // The same as in one go, which would be one more function to compile.
        let mut hash = Xxh3::new();
        hash.update(content.as_ref());
        Hash(hash.digest128())
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl ToJson for Hash {
    fn to_json(&self) -> Json {
        Json::Text(self.to_string())
    }
}

/// Exactly what [`Display`](fmt::Display) writes, and nothing else.
impl FromJson for Hash {
    fn from_json(item: Item<'_>) -> Result<Hash, Error> {
        let text = item.text()?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let number = u128::from_str_radix(text, 16).ok();
        let number = number.filter(|_| text.len() == 32 && text.bytes().all(is_digit));
        number.map(Hash).ok_or_else(|| {
            let name = item.name();
            item.error(format!("`{name}` must be 32 digits of 0-9 and a-f"))
        })
    }
}

/// Hashes a sequence of fields. Each is preceded by its length, so that no two splits look alike.
#[derive(Default)]
pub struct Hasher(Xxh3);

impl Hasher {
    /// Nothing hashed yet.
    pub fn new() -> Hasher {
        Hasher::default()
    }

    /// Adds one field.
    pub fn field(&mut self, content: impl AsRef<[u8]>) -> &mut Hasher {
        let content = content.as_ref();
        self.0.update(&(content.len() as u64).to_le_bytes());
        self.0.update(content);
        self
    }

    /// Adds a list of fields, and how many they are.
    pub fn fields<T: AsRef<[u8]>>(
        &mut self,
        contents: impl ExactSizeIterator<Item = T>,
    ) -> &mut Hasher {
        self.0.update(&(contents.len() as u64).to_le_bytes());
        for content in contents {
            self.field(content);
        }
        self
    }

    /// The hash of all fields so far.
    pub fn finish(&self) -> Hash {
        Hash(self.0.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips_and_takes_nothing_else() {
        let read = |text: &str| bico_core::json::read::<Hash>(&format!("\"{text}\""));
        let hash = Hash::of("kernel");
        assert_eq!(read(&hash.to_string()), Ok(hash));
        assert_eq!(Hash(7).to_string(), "00000000000000000000000000000007");
        for wrong in [
            "",
            "7",
            "0000000000000000000000000000000G",
            "+0000000000000000000000000000007",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read(&"A".repeat(32)).is_err());
    }

    #[test]
    fn splits_differ() {
        let hash = |fields: &[&str]| Hasher::new().fields(fields.iter()).finish();
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_ne!(hash(&["ab"]), hash(&["ab", ""]));
        assert_eq!(hash(&["ab", "c"]), hash(&["ab", "c"]));
    }
}
