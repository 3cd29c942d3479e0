//! A list of options: which there are, how each is written, and which were given.

use super::check::Type;
use super::names::{Context, Place};
use super::tokens::{Entry, Tokens, Value, entry, split};
use crate::Lists;
use crate::errors::Errors;
use crate::expr::Expr;
use crate::messages;
use crate::spec::Name;
use proc_macro2::{Group, Span, TokenStream};

/// One option that a list knows, by an example: its name, then `=` or parentheses.
pub(crate) type Known = &'static str;

/// Options that may be given more than once.
const REPEATABLE: [&str; 4] = ["problem", "scratch", "pass", "variant"];

/// Options that are given for all outputs with `=`, for some of them with parentheses, or both.
const EITHER: [&str; 2] = ["rtol", "atol"];

/// The name of an option.
pub(crate) fn name(option: Known) -> &'static str {
    option.split([' ', '(']).next().unwrap_or(option)
}

/// The option of this name.
pub(crate) fn find(known: &[Known], wanted: &str) -> Option<Known> {
    known.iter().copied().find(|option| name(option) == wanted)
}

/// The options that were given, readable or not.
pub(crate) struct Options {
    pub(super) list: Vec<(&'static str, Span, Value)>,
}

impl Options {
    /// Reads `stream`; `owner` is what the options belong to, for messages.
    pub(crate) fn read(
        stream: TokenStream,
        owner: &str,
        known: &[Known],
        errors: &mut Errors,
    ) -> Self {
        let parts = split(stream, errors);
        Self::from_parts(&parts, owner, known, errors)
    }

    pub(crate) fn from_parts(
        parts: &[Tokens],
        owner: &str,
        known: &[Known],
        errors: &mut Errors,
    ) -> Self {
        let mut options = Options { list: Vec::new() };
        for part in parts {
            let example = find(known, &part.trees[0].to_string()).unwrap_or(known[0]);
            if let Some(entry) = entry(part, example, errors) {
                options.add(entry, owner, known, errors);
            }
        }
        options
    }

    fn add(&mut self, entry: Entry, owner: &str, known: &[Known], errors: &mut Errors) {
        let Name { text, span } = entry.name;
        let Some(option) = find(known, &text).filter(|_| !entry.constant) else {
            let names: Vec<&str> = known.iter().map(|option| name(option)).collect_vec();
            return errors.report(span, messages::unsupported_option(&text, owner, &names));
        };
        let name = name(option);
        let mut list = option[name.len()..].starts_with('(');
        let is_called = |value: &Value| matches!(value, Value::Called(_));
        let either = EITHER.contains(&name);
        if either {
            list = is_called(&entry.value);
        }
        let mut given = self.list.iter().filter(|(known, ..)| *known == name);
        let again = given.any(|(.., value)| !either || is_called(value) == list);
        if again && !REPEATABLE.contains(&name) {
            return errors.report(span, messages::repeated_option(name));
        }
        let value = match (entry.value, list) {
            (value @ Value::Assigned(_), false) | (value @ Value::Called(_), true) => value,
            (Value::Broken, _) => Value::Broken,
            _ => {
                errors.report(span, messages::option_form(name, list, option));
                Value::Broken
            }
        };
        self.list.push((name, span, value));
    }

    /// Whether `name` was given, readable or not.
    pub(crate) fn given(&self, name: &str) -> bool {
        self.list.iter().any(|(known, ..)| *known == name)
    }

    /// Forgets `name`.
    pub(crate) fn remove(&mut self, name: &str) {
        self.list.retain(|(known, ..)| *known != name);
    }

    /// Where and what was given as `name`, each time.
    fn all(&self, name: &str) -> std::vec::IntoIter<(Span, &Value)> {
        let mut given = Vec::new();
        for (known, span, value) in &self.list {
            if *known == name {
                given.push((*span, value));
            }
        }
        given.into_iter()
    }

    /// Where `name` stands, if it could be read.
    pub(crate) fn span(&self, name: &str) -> Option<Span> {
        let mut given = self.all(name);
        let found = given.find(|(_, value)| !matches!(value, Value::Broken));
        found.map(|(span, _)| span)
    }

    /// What was assigned to `name`, each time.
    pub(crate) fn values(&self, name: &str) -> Vec<Tokens> {
        let values = self.all(name).filter_map(|(_, value)| match value {
            Value::Assigned(tokens) => Some(tokens.clone()),
            _ => None,
        });
        values.collect_vec()
    }

    /// What was assigned to `name`.
    pub(crate) fn value(&self, name: &str) -> Option<Tokens> {
        self.values(name).into_iter().next()
    }

    /// The string that was assigned to `name`.
    pub(crate) fn string(&self, name: &str, context: &mut Context) -> Option<Name> {
        context.string(&self.value(name)?)
    }

    /// The expression of type `want` that was assigned to `name`.
    pub(crate) fn typed(
        &self,
        name: &str,
        place: &Place,
        want: Type,
        context: &mut Context,
    ) -> Option<Expr> {
        let tokens = self.value(name)?;
        Some(context.typed(&tokens, place, want))
    }

    /// The parentheses after `name`, each time it was given, and where it stands.
    pub(crate) fn groups(&self, name: &str) -> Vec<(Span, Group)> {
        let groups = self.all(name).filter_map(|(span, value)| match value {
            Value::Called(group) => Some((span, group.clone())),
            _ => None,
        });
        groups.collect_vec()
    }

    /// The parentheses after `name`, and where it stands.
    pub(crate) fn group(&self, name: &str) -> Option<(Span, Group)> {
        self.groups(name).into_iter().next()
    }

    /// The options in the parentheses after `name`; none where it was not given.
    pub(crate) fn inner(&self, name: &str, known: &[Known], context: &mut Context) -> Options {
        let group = self.group(name);
        let stream = group.map(|(_, group)| group.stream()).unwrap_or_default();
        Options::read(stream, name, known, &mut context.errors)
    }

    /// Reports `name` at `owner` unless it was given.
    pub(crate) fn require(&self, name: &str, owner: Span, example: &str, errors: &mut Errors) {
        if !self.given(name) {
            errors.report(owner, messages::required_option(name, example));
        }
    }
}
