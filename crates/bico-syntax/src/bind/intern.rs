//! Strings that live as long as the program, each stored once.

use std::sync::{Mutex, PoisonError};

/// In order.
static STRINGS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// The text as a `&'static str`, which is what a [`bico_core::Value`] holds.
///
/// Each distinct text is leaked once: a build meets a handful of literals and then ends.
pub fn intern(text: &str) -> &'static str {
    let mut strings = STRINGS.lock().unwrap_or_else(PoisonError::into_inner);
    let at = match strings.binary_search_by(|known| (**known).cmp(text)) {
        Ok(known) => return strings[known],
        Err(at) => at,
    };
    let leaked: &'static str = Box::leak(text.into());
    strings.insert(at, leaked);
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
