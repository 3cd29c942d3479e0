//! A list of options: which there are, how each is written, and which were given.

use super::tokens::{Entry, Tokens, Value, entry, split};
use crate::errors::Errors;
use crate::messages;
use proc_macro2::{Group, Span, TokenStream};

/// One option that a list knows.
pub(crate) struct Known {
    pub(crate) name: &'static str,
    /// How it is written; this also says whether `=` or parentheses follow the name.
    pub(crate) example: &'static str,
    pub(crate) repeatable: bool,
}

impl Known {
    pub(crate) const fn once(name: &'static str, example: &'static str) -> Self {
        Known {
            name,
            example,
            repeatable: false,
        }
    }

    pub(crate) const fn many(name: &'static str, example: &'static str) -> Self {
        Known {
            name,
            example,
            repeatable: true,
        }
    }

    /// Whether parentheses follow the name.
    fn is_list(&self) -> bool {
        self.example[self.name.len()..].starts_with('(')
    }
}

/// The options that were given.
pub(crate) struct Options {
    pub(super) list: Vec<(&'static str, Span, Value)>,
    /// Names that were given in a way that could not be read.
    pub(super) broken: Vec<&'static str>,
}

impl Options {
    /// Reads `stream`; `owner` is what the options belong to, for messages.
    pub(crate) fn read(
        stream: TokenStream,
        owner: &str,
        known: &'static [Known],
        errors: &mut Errors,
    ) -> Self {
        let parts = split(stream, errors);
        Self::from_parts(&parts, owner, known, errors)
    }

    pub(crate) fn from_parts(
        parts: &[Tokens],
        owner: &str,
        known: &'static [Known],
        errors: &mut Errors,
    ) -> Self {
        let mut options = Options {
            list: Vec::new(),
            broken: Vec::new(),
        };
        for part in parts {
            let first = part
                .trees
                .first()
                .map(ToString::to_string)
                .unwrap_or_default();
            let example = known
                .iter()
                .find(|option| option.name == first)
                .or(known.first());
            let example = example.map_or("", |option| option.example);
            if let Some(entry) = entry(part, example, errors) {
                options.add(entry, owner, known, errors);
            }
        }
        options
    }

    fn add(&mut self, entry: Entry, owner: &str, known: &'static [Known], errors: &mut Errors) {
        let Some(option) = known
            .iter()
            .find(|option| option.name == entry.name && !entry.constant)
        else {
            let names: Vec<&str> = known.iter().map(|option| option.name).collect();
            errors.report(
                entry.span,
                messages::unsupported_option(&entry.name, owner, &names),
            );
            return;
        };
        if !option.repeatable && self.given(option.name) {
            errors.report(entry.span, messages::repeated_option(&entry.name));
            return;
        }
        match (&entry.value, option.is_list()) {
            (Value::Assigned(_), false) | (Value::Called(_), true) => {
                self.list.push((option.name, entry.span, entry.value));
                return;
            }
            (Value::Broken, _) => {}
            (_, list) => {
                let message = messages::option_form(option.name, list, option.example);
                errors.report(entry.span, message);
            }
        }
        self.broken.push(option.name);
    }

    /// Whether `name` was given, readable or not.
    pub(crate) fn given(&self, name: &str) -> bool {
        self.list.iter().any(|(known, ..)| *known == name) || self.broken.contains(&name)
    }

    /// Where `name` stands.
    pub(crate) fn span(&self, name: &str) -> Option<Span> {
        self.list
            .iter()
            .find(|(known, ..)| *known == name)
            .map(|(_, span, _)| *span)
    }

    /// What was assigned to `name`.
    pub(crate) fn value(&self, name: &str) -> Option<Tokens> {
        self.values(name).into_iter().next()
    }

    /// What was assigned to `name`, each time.
    pub(crate) fn values(&self, name: &str) -> Vec<Tokens> {
        let given = self.list.iter().filter(|(known, ..)| *known == name);
        let values = given.filter_map(|(_, _, value)| match value {
            Value::Assigned(tokens) => Some(tokens.clone()),
            _ => None,
        });
        values.collect()
    }

    /// The parentheses after `name`.
    pub(crate) fn group(&self, name: &str) -> Option<(Span, Group)> {
        self.groups(name).into_iter().next()
    }

    /// The parentheses after `name`, each time it was given, and where it stands.
    pub(crate) fn groups(&self, name: &str) -> Vec<(Span, Group)> {
        let given = self.list.iter().filter(|(known, ..)| *known == name);
        let groups = given.filter_map(|(_, span, value)| match value {
            Value::Called(group) => Some((*span, group.clone())),
            _ => None,
        });
        groups.collect()
    }

    /// Reports `name` at `owner` unless it was given.
    pub(crate) fn require(&self, name: &str, owner: Span, example: &str, errors: &mut Errors) {
        if !self.given(name) {
            errors.report(owner, messages::required_option(name, example));
        }
    }
}
