//! Pieces of our own text: what they yield and how strongly they bind.

use bico_core::Value;

/// Conditions that stand in one row without brackets.
const GROUP: usize = 16;

/// What an expression of ours yields.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Int,
    Float,
    Bool,
    Str,
}

impl Kind {
    pub(super) fn of(value: &Value) -> Kind {
        match value {
            Value::Int(_) => Kind::Int,
            Value::Float(_) => Kind::Float,
            Value::Bool(_) => Kind::Bool,
            Value::Str(_) => Kind::Str,
        }
    }
}

/// How strongly operators of ours bind.
pub(super) const WEAKEST: u8 = 0;
pub(super) const COMPARISON: u8 = 3;
pub(super) const SUM: u8 = 4;
pub(super) const PRODUCT: u8 = 5;
pub(super) const PREFIX: u8 = 7;
pub(super) const POSTFIX: u8 = 8;

/// An operator between conditions, and how strongly it binds.
pub(super) type Join = (&'static str, u8);
pub(super) const OR: Join = (" || ", 1);
pub(super) const AND: Join = (" && ", 2);

/// A piece of our text.
#[derive(Clone)]
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
        match self.strength < least {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }

    pub(super) fn cast(self, kind: Kind) -> Result<Text, String> {
        let name = match (self.kind, kind) {
            (own, wanted) if own == wanted => return Ok(self),
            (Kind::Int | Kind::Bool, Kind::Float) => "f64",
            (Kind::Bool | Kind::Float, Kind::Int) => "i64",
            _ => return Err(format!("`{}` is used as a number", self.text)),
        };
        let text = format!("({} as {name})", self.at(PREFIX));
        Ok(Text::new(text, kind, POSTFIX))
    }

    /// An operand of arithmetic: a bool counts as 0 or 1.
    pub(super) fn number(self) -> Result<Text, String> {
        match self.kind {
            Kind::Float => Ok(self),
            _ => self.cast(Kind::Int),
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
        let text = format!("{} != {zero}", self.at(SUM));
        Text::new(text, Kind::Bool, COMPARISON)
    }
}

pub(super) fn literal(value: Value) -> Text {
    let strength = match value {
        Value::Int(value) if value < 0 => PREFIX,
        Value::Float(value) if value.is_sign_negative() => PREFIX,
        _ => POSTFIX,
    };
    Text::new(value.to_string(), Kind::of(&value), strength)
}

/// Both of the kind that holds either of them.
pub(super) fn same_kind(a: Text, b: Text) -> Result<(Text, Text), String> {
    let kind = match (a.kind, b.kind) {
        (a, b) if a == b => a,
        (Kind::Float, _) | (_, Kind::Float) => Kind::Float,
        _ => Kind::Int,
    };
    Ok((a.cast(kind)?, b.cast(kind)?))
}

/// Conditions joined by one operator; many of them in groups, so that the tree stays flat.
pub(super) fn joined(mut parts: Vec<Text>, join: Join) -> Text {
    let (sign, strength) = join;
    while parts.len() > GROUP {
        let groups = parts.chunks(GROUP);
        parts = groups.map(|group| joined(group.to_vec(), join)).collect();
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
