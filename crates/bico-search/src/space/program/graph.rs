//! All expressions of a space as one graph: what two of them have in common stands in it once.
//!
//! Every vertex computes an `i64`: the integer itself, 0 or 1 for a truth value, the bits of a real
//! number, the index of a string. What that form can't say is [`UNKNOWN`], and who needs it asks the
//! interpreter, which alone decides what fails and how it is told.

use super::act::{Act, Kind, One, Two};
use super::instr::Context;
use super::interval::{self, Interval};
use crate::space::mix::Mixed;
use bico_core::Value;
use bico_core::device::Facts;
use bico_core::sorted::sort_by;
use std::collections::HashMap;
use std::sync::Arc;

/// Not a value: the operation failed, or its value is of a kind that is not known beforehand. An
/// arbitrary number, so that it hardly ever stands for itself; where it does, nothing but time is lost.
pub(crate) const UNKNOWN: i64 = i64::MIN + 0x005b_d1e9_95a7;

/// A vertex of the graph, which is also the register that holds its value.
pub(crate) type Id = u32;

#[derive(Debug, Clone)]
pub(crate) struct Vertex {
    pub(crate) act: Act,
    pub(crate) kind: Kind,
    /// How many parameters must be chosen before it can be computed.
    pub(crate) known: usize,
    /// Bounds of an integer or a truth value that is never [`UNKNOWN`]; `None` where it may be, or
    /// where it is of another kind.
    pub(crate) range: Option<Interval>,
    /// Whether it is never [`UNKNOWN`].
    pub(crate) safe: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) vertices: Vec<Vertex>,
    same: HashMap<Act, Id, Mixed>,
    pub(crate) context: Context,
    /// The vertex of each parameter.
    pub(crate) slots: Vec<Id>,
}

impl Graph {
    pub(crate) fn get(&self, id: Id) -> &Vertex {
        &self.vertices[id as usize]
    }

    pub(super) fn kind(&self, id: Id) -> Kind {
        self.get(id).kind
    }

    fn push(&mut self, act: Act, kind: Kind, range: Option<Interval>, safe: bool) -> Id {
        if let Some(id) = self.same.get(&act) {
            return *id;
        }
        let known = match &act {
            Act::Slot(slot) => *slot as usize + 1,
            Act::Opaque(slots) => slots.iter().max().map_or(0, |slot| *slot as usize + 1),
            act => {
                let known = act.operands().map(|id| self.get(id).known);
                known.max().unwrap_or(0)
            }
        };
        let id = self.vertices.len() as Id;
        self.same.insert(act.clone(), id);
        self.vertices.push(Vertex {
            act,
            kind,
            known,
            range,
            safe,
        });
        id
    }

    /// The next parameter.
    pub(crate) fn slot(&mut self, kind: Kind, range: Option<Interval>, safe: bool) -> Id {
        let id = self.push(Act::Slot(self.slots.len() as u32), kind, range, safe);
        self.slots.push(id);
        id
    }

    pub(super) fn constant(&mut self, value: Value) -> Id {
        let code = self.intern(value);
        let range = match value {
            Value::Int(v) => interval::sound(i128::from(v), i128::from(v)),
            Value::Bool(v) => Some((i64::from(v), i64::from(v))),
            _ => None,
        };
        let kind = Kind::of(value);
        self.push(Act::Constant(code, kind), kind, range, code != UNKNOWN)
    }

    pub(super) fn bool(&mut self, value: bool) -> Id {
        self.constant(Value::Bool(value))
    }

    pub(super) fn int(&mut self, value: i64) -> Id {
        self.constant(Value::Int(value))
    }

    /// The constant that a vertex is.
    pub(super) fn truth(&self, id: Id) -> Option<bool> {
        match self.get(id).act {
            Act::Constant(code, Kind::Bool) => Some(code != 0),
            _ => None,
        }
    }

    /// What only the interpreter can tell of these vertices.
    pub(super) fn opaque(&mut self, of: &[Id]) -> Id {
        let mut slots = Vec::new();
        for id in of {
            self.slots_of(*id, &mut slots);
        }
        sort_by(&mut slots, &Ord::cmp);
        slots.dedup();
        self.push(Act::Opaque(slots.into()), Kind::Mixed, None, false)
    }

    fn slots_of(&self, id: Id, out: &mut Vec<u32>) {
        match &self.get(id).act {
            Act::Slot(slot) => out.push(*slot),
            Act::Opaque(slots) => out.extend_from_slice(slots),
            act => act.operands().for_each(|id| self.slots_of(id, out)),
        }
    }

    pub(super) fn one(&mut self, op: One, a: Id) -> Id {
        let Some(kind) = op.kind(self.kind(a)) else {
            return self.opaque(&[a]);
        };
        let vertex = self.get(a);
        let range = vertex.range;
        let range = range.and_then(|a| interval::one(op, vertex.kind, a));
        self.push(Act::One(op, a), kind, range, range.is_some())
    }

    pub(super) fn two(&mut self, op: Two, a: Id, b: Id) -> Id {
        let (left, right) = (self.get(a), self.get(b));
        let Some(kind) = op.kind(left.kind, right.kind) else {
            return self.opaque(&[a, b]);
        };
        let ranges = left.range.zip(right.range);
        let range = ranges.and_then(|(a, b)| interval::two(op, a, b));
        // Strings have no bounds, but comparing them never fails.
        let strings = left.kind == Kind::Str && left.safe && right.safe;
        let range = if strings { Some((0, 1)) } else { range };
        self.push(Act::Two(op, a, b), kind, range, range.is_some())
    }

    /// A vertex where a truth value is wanted.
    pub(super) fn condition(&mut self, id: Id) -> Id {
        match self.kind(id) {
            Kind::Bool | Kind::Mixed => id,
            _ => self.opaque(&[id]),
        }
    }

    /// `a && b` (`and`) or `a || b`.
    pub(super) fn logic(&mut self, and: bool, a: Id, b: Id) -> Id {
        let (a, b) = (self.condition(a), self.condition(b));
        match (self.truth(a), self.truth(b)) {
            (Some(left), _) if left == and => b,
            (Some(_), _) => a,
            (None, Some(right)) if right == and => a,
            _ => {
                let safe = self.get(a).safe && self.get(b).safe;
                let range = safe.then_some((0, 1));
                self.push(Act::Logic(and, a, b), Kind::Bool, range, safe)
            }
        }
    }

    pub(super) fn select(&mut self, condition: Id, yes: Id, no: Id) -> Id {
        let condition = self.condition(condition);
        match self.truth(condition) {
            Some(true) => return yes,
            Some(false) => return no,
            None => {}
        }
        let kind = match (self.kind(yes), self.kind(no)) {
            (a, b) if a == b => a,
            (Kind::Mixed, other) | (other, Kind::Mixed) => other,
            _ => return self.opaque(&[condition, yes, no]),
        };
        let safe = [condition, yes, no].iter().all(|id| self.get(*id).safe);
        let range = match (self.get(yes).range, self.get(no).range) {
            (Some(a), Some(b)) if safe => Some((a.0.min(b.0), a.1.max(b.1))),
            _ => None,
        };
        self.push(Act::Select(condition, yes, no), kind, range, safe)
    }

    /// `body`, but unknown where `bound` is.
    pub(super) fn strict(&mut self, bound: Id, body: Id) -> Id {
        if self.get(bound).safe {
            return body;
        }
        let kind = self.kind(body);
        self.push(Act::Strict(bound, body), kind, None, false)
    }

    pub(super) fn has(&mut self, feature: Id, facts: &Arc<Facts>) -> Id {
        if self.kind(feature) != Kind::Str {
            return self.opaque(&[feature]);
        }
        self.context.facts.get_or_insert_with(|| facts.clone());
        let safe = self.get(feature).safe;
        self.push(Act::Has(feature), Kind::Bool, safe.then_some((0, 1)), safe)
    }

    /// The `i64` for a value; a string gets a place.
    pub(crate) fn intern(&mut self, value: Value) -> i64 {
        let strings = &mut self.context.strings;
        if let Value::Str(text) = value
            && !strings.contains(&text)
        {
            strings.push(text);
        }
        encode(value, strings)
    }
}

/// The `i64` for a value.
pub(crate) fn encode(value: Value, strings: &[&'static str]) -> i64 {
    match value {
        Value::Int(v) => v,
        // 0.0 and -0.0 are equal as values.
        Value::Float(v) => (if v == 0.0 { 0.0 } else { v }).to_bits() as i64,
        Value::Bool(v) => v.into(),
        Value::Str(text) => strings
            .iter()
            .position(|known| *known == text)
            .map_or(UNKNOWN, |at| at as i64),
    }
}

/// The value that an `i64` of this kind stands for.
pub(crate) fn decode(code: i64, kind: Kind, strings: &[&'static str]) -> Option<Value> {
    if code == UNKNOWN {
        return None;
    }
    match kind {
        Kind::Int => Some(Value::Int(code)),
        Kind::Float => Some(Value::Float(f64::from_bits(code as u64))),
        Kind::Bool => Some(Value::Bool(code != 0)),
        Kind::Str => strings.get(code as usize).map(|text| Value::Str(text)),
        Kind::Mixed => None,
    }
}
