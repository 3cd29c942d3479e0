//! Which dimension a step means.

use super::{ContractionError, Result, Schedule};
use bico_syntax::nearest;

/// A dimension, by its place in the schedule or by its name. Made of either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dim<'a> {
    /// Its place, 0 is the outermost.
    Index(usize),
    /// Its name.
    Name(&'a str),
}

impl From<usize> for Dim<'_> {
    fn from(index: usize) -> Self {
        Dim::Index(index)
    }
}

impl<'a> From<&'a str> for Dim<'a> {
    fn from(name: &'a str) -> Self {
        Dim::Name(name)
    }
}

impl<'a> From<&'a String> for Dim<'a> {
    fn from(name: &'a String) -> Self {
        Dim::Name(name)
    }
}

/// What [`Schedule::split_dim`] makes: a size, with a name if one likes. Made of `64` or `("m_prim", 64)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    /// At least 1.
    pub size: u64,
    /// The name of the new dimension; else the old one's with a digit.
    pub name: Option<&'a str>,
}

impl From<u64> for Part<'_> {
    fn from(size: u64) -> Self {
        Part { size, name: None }
    }
}

impl<'a> From<(&'a str, u64)> for Part<'a> {
    fn from((name, size): (&'a str, u64)) -> Self {
        Part {
            size,
            name: Some(name),
        }
    }
}

impl std::fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name {
            Some(name) => write!(f, "(\"{name}\", {})", self.size),
            None => write!(f, "{}", self.size),
        }
    }
}

impl Schedule {
    /// The place of a dimension.
    ///
    /// # Errors
    ///
    /// There is no such dimension: names those there are.
    pub fn dim<'a>(&self, dim: impl Into<Dim<'a>>) -> Result<usize> {
        let (found, asked, near) = match dim.into() {
            Dim::Index(index) => (
                (index < self.names.len()).then_some(index),
                index.to_string(),
                None,
            ),
            Dim::Name(name) => (
                self.names.iter().position(|own| own == name),
                format!("`{}`", name.escape_debug()),
                nearest(
                    name,
                    &self.names.iter().map(String::as_str).collect::<Vec<_>>(),
                ),
            ),
        };
        found.ok_or_else(|| {
            let near = near.map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
            let names = self.names.iter().enumerate();
            let names: Vec<String> = names.map(|(dim, name)| format!("{dim} `{name}`")).collect();
            ContractionError::new(format!(
                "there is no dimension {asked}: they are {}.{near}",
                names.join(", ")
            ))
        })
    }

    /// `m_prim` of type M, as messages say it.
    pub(super) fn called(&self, dim: usize) -> String {
        format!("`{}` ({})", self.names[dim], self.dim_types[dim])
    }
}

/// Whether C would take it for a name: it becomes part of generated code.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What is said of a name that C would not take.
pub(super) fn no_name(name: &str, what: &str) -> String {
    let name = name.escape_debug();
    format!("`{name}` is no name of a {what}: use letters, digits and `_`, no digit first")
}
