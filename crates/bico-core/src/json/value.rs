//! What stands in a text.

use std::borrow::Cow;

/// A value, and at which byte it begins.
#[derive(Debug)]
pub(super) struct Value<'a> {
    pub(super) start: usize,
    pub(super) content: Content<'a>,
}

#[derive(Debug)]
pub(super) enum Content<'a> {
    Null,
    Bool(bool),
    /// As it is written.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Value<'a>>),
    Object(Vec<Property<'a>>),
}

/// A name in an object, at which byte it begins, and what stands there.
#[derive(Debug)]
pub(super) struct Property<'a> {
    pub(super) start: usize,
    pub(super) name: Cow<'a, str>,
    pub(super) value: Value<'a>,
}
