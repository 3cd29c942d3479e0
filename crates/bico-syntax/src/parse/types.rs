//! The types that values have.

use crate::spec::Element;

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    Int,
    Float,
    /// Either, in real arithmetic, where there is no difference.
    Number,
    Bool,
    Str,
    /// A domain.
    List(Box<Type>),
    /// A `const` of the file, or something that has been reported already.
    Unknown,
}

impl Type {
    /// The type that both are, if there is one.
    pub(crate) fn unify(&self, other: &Type) -> Option<Type> {
        match (self, other) {
            (Type::Unknown, known) | (known, Type::Unknown) => Some(known.clone()),
            (Type::List(a), Type::List(b)) => Some(Type::List(Box::new(a.unify(b)?))),
            (a, b) if a == b => Some(a.clone()),
            _ => None,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Float | Type::Number | Type::Unknown)
    }
}

/// How a message calls it.
impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Type::Int => "an integer",
            Type::Float => "a float",
            Type::Number => "a number",
            Type::Bool => "a boolean",
            Type::Str => "a string",
            Type::List(element) => match **element {
                Type::Int => "a list of integers",
                Type::Float => "a list of floats",
                Type::Bool => "a list of booleans",
                Type::Str => "a list of strings",
                _ => "a list",
            },
            Type::Unknown => "unknown",
        })
    }
}

impl From<Element> for Type {
    fn from(element: Element) -> Self {
        match element {
            Element::Bool => Type::Bool,
            Element::Str => Type::Str,
            element if element.is_float() => Type::Float,
            _ => Type::Int,
        }
    }
}
