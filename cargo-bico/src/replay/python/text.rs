//! Pieces of our own text: what they yield and how strongly they bind.

use bico_core::Value;

/// Conditions that stand in one row without brackets.
const GROUP: usize = 16;

/// What an expression of ours yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Float,
    Bool,
    Str,
}

/// How strongly operators of ours bind.
pub(super) mod strength {
    pub(in super::super) const WEAKEST: u8 = 0;
    pub(in super::super) const OR: u8 = 1;
    pub(in super::super) const AND: u8 = 2;
    pub(in super::super) const COMPARISON: u8 = 3;
    pub(in super::super) const SUM: u8 = 4;
    pub(in super::super) const PRODUCT: u8 = 5;
    pub(in super::super) const PREFIX: u8 = 7;
    pub(in super::super) const POSTFIX: u8 = 8;
}
use strength::{COMPARISON, POSTFIX, PREFIX, SUM};

/// A piece of our text.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) kind: Kind,
    pub(super) strength: u8,
}

impl Text {
    pub(super) fn new(text: impl Into<String>, kind: Kind, strength: u8) -> Text {
        Text {
            text: text.into(),
            kind,
            strength,
        }
    }

    /// The text as an operand of what binds with `least`.
    pub(super) fn at(&self, least: u8) -> String {
        if self.strength < least {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }

    pub(super) fn cast(self, kind: Kind) -> Result<Text, String> {
        match (self.kind, kind) {
            (own, wanted) if own == wanted => Ok(self),
            (Kind::Int | Kind::Bool, Kind::Float) => Ok(Text::new(
                format!("({} as f64)", self.at(PREFIX)),
                kind,
                POSTFIX,
            )),
            (Kind::Bool | Kind::Float, Kind::Int) => Ok(Text::new(
                format!("({} as i64)", self.at(PREFIX)),
                kind,
                POSTFIX,
            )),
            _ => Err(format!("`{}` is used as a number", self.text)),
        }
    }

    /// Whether Python takes it for true.
    pub(super) fn truth(self) -> Text {
        let zero = match self.kind {
            Kind::Bool => return self,
            Kind::Int => "0",
            Kind::Float => "0.0",
            Kind::Str => "\"\"",
        };
        Text::new(
            format!("{} != {zero}", self.at(SUM)),
            Kind::Bool,
            COMPARISON,
        )
    }
}

pub(super) fn literal(value: Value) -> Text {
    let (kind, negative) = match value {
        Value::Int(value) => (Kind::Int, value < 0),
        Value::Float(value) => (Kind::Float, value.is_sign_negative()),
        Value::Bool(_) => (Kind::Bool, false),
        Value::Str(_) => (Kind::Str, false),
    };
    Text::new(
        value.to_string(),
        kind,
        if negative { PREFIX } else { POSTFIX },
    )
}

pub(super) fn no_bool(text: Text) -> Result<Text, String> {
    if text.kind == Kind::Bool {
        text.cast(Kind::Int)
    } else {
        Ok(text)
    }
}

/// Both of the kind that holds either of them.
pub(super) fn same_kind(a: Text, b: Text) -> Result<(Text, Text), String> {
    if a.kind == b.kind {
        return Ok((a, b));
    }
    let kind = if [a.kind, b.kind].contains(&Kind::Float) {
        Kind::Float
    } else {
        Kind::Int
    };
    Ok((a.cast(kind)?, b.cast(kind)?))
}

/// Conditions joined by one operator; many of them in groups, so that the tree stays flat.
pub(super) fn joined(mut parts: Vec<Text>, sign: &str, strength: u8) -> Text {
    while parts.len() > GROUP {
        let groups = parts.chunks(GROUP);
        parts = groups
            .map(|group| joined(group.to_vec(), sign, strength))
            .collect();
    }
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            let texts: Vec<String> = parts.iter().map(|part| part.at(strength + 1)).collect();
            Text::new(texts.join(sign), Kind::Bool, strength)
        }
    }
}
