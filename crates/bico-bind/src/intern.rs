//! Strings that live as long as the program, each stored once.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

static STRINGS: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);

/// The text as a `&'static str`, which is what a [`bico_core::Value`] holds.
///
/// Each distinct text is leaked once: a build meets a handful of literals and then ends.
pub fn intern(text: &str) -> &'static str {
    let mut strings = STRINGS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = strings.get(text) {
        return known;
    }
    let leaked: &'static str = Box::leak(text.into());
    strings.insert(leaked);
    leaked
}

#[cfg(test)]
mod tests {
    use super::intern;

    #[test]
    fn equal_texts_share_one_place() {
        let text = String::from("x86-64-v3 of intern");
        assert!(std::ptr::eq(intern(&text), intern(&text.clone())));
        assert_eq!(intern(&text), text);
    }
}
