//! Restrictions written in Python, as expressions of our own with exactly the same meaning.
//!
//! `/` is true division and `//` and `%` round down there; a plain `/` or `%` of ours is used where
//! the parameters' values make it the same. What has no exact counterpart is refused.

mod lexer;
mod parser;
mod text;
mod translate;
mod tried;

#[cfg(test)]
mod tests;

pub(crate) use translate::{expression, translate};
