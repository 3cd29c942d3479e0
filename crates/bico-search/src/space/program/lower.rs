//! From the interpreter's form to the graph.

use super::act::{One, Two};
use super::graph::{Graph, Id};
use bico_core::{Lists, Value};
use bico_syntax::bind::tree::{CastTo, Code, Node, Test};
use bico_syntax::{BinaryOp, UnaryOp};

impl Graph {
    /// The vertex of an expression. `locals` are the `let`s around it, innermost last.
    pub(crate) fn lower(&mut self, node: &Node, locals: &mut Vec<Id>) -> Id {
        match &node.code {
            Code::Value(value) => self.constant(*value),
            Code::Slot(slot) => self.slots[*slot],
            Code::Local(depth) => match locals.iter().rev().nth(*depth) {
                Some(id) => *id,
                None => self.opaque(&[]),
            },
            // Only `score` and `work` hold these, and they are no part of a space.
            Code::RealSlot(slot) => self.opaque(&[self.slots[*slot]]),
            Code::Cast(a, to) => {
                let a = self.lower(a, locals);
                match to {
                    CastTo::F64 => self.one(One::AsFloat, a),
                    CastTo::I64 => self.one(One::AsInt, a),
                    CastTo::WholeF64 => self.opaque(&[a]),
                }
            }
            Code::Has(feature, facts) => {
                let feature = self.lower(feature, locals);
                self.has(feature, facts)
            }
            Code::Unary(op, a) => {
                let a = self.lower(a, locals);
                match (op, self.truth(a)) {
                    (UnaryOp::Not, Some(truth)) => self.bool(!truth),
                    _ => self.one(One::Unary(*op), a),
                }
            }
            Code::Binary(op, sides) => {
                let [a, b] = sides.each_ref().map(|side| self.lower(side, locals));
                match op {
                    BinaryOp::And | BinaryOp::Or => self.logic(*op == BinaryOp::And, a, b),
                    op => self.two(Two::Binary(*op), a, b),
                }
            }
            Code::If(parts) => {
                let [condition, yes, no] = parts.each_ref().map(|part| self.lower(part, locals));
                self.select(condition, yes, no)
            }
            Code::Match(value, arms) => {
                let value = self.lower(value, locals);
                let lowered: Vec<(Id, Id)> = arms
                    .iter()
                    .map(|(tests, arm)| (self.fits(tests, value), self.lower(arm, locals)))
                    .collect_vec();
                let mut chosen = self.opaque(&[value]);
                for (fits, arm) in lowered.into_iter().rev() {
                    chosen = self.select(fits, arm, chosen);
                }
                self.strict(value, chosen)
            }
            Code::Let(parts) => {
                let [bound, body] = &**parts;
                let bound = self.lower(bound, locals);
                locals.push(bound);
                let body = self.lower(body, locals);
                locals.pop();
                self.strict(bound, body)
            }
            Code::Method(method, receiver, argument) => {
                let a = self.lower(receiver, locals);
                match argument {
                    Some(b) => {
                        let b = self.lower(b, locals);
                        self.two(Two::Method(*method), a, b)
                    }
                    None => self.one(One::Method(*method), a),
                }
            }
            // A list is no value.
            Code::List(_) | Code::Range(..) | Code::StepBy(_) | Code::PowersOfTwo(_) => {
                self.opaque(&[])
            }
        }
    }

    /// Whether one of the alternatives of an arm fits.
    pub(super) fn fits(&mut self, tests: &[Test], value: Id) -> Id {
        let mut any = self.bool(false);
        for test in tests {
            let fits = match test {
                Test::Any => self.bool(true),
                Test::Equal(wanted) => self.compare(BinaryOp::Eq, value, *wanted),
                Test::Between(low, high) => {
                    let low = self.compare(BinaryOp::Ge, value, *low);
                    let high = self.compare(BinaryOp::Le, value, *high);
                    self.logic(true, low, high)
                }
            };
            any = self.logic(false, any, fits);
        }
        any
    }

    fn compare(&mut self, op: BinaryOp, value: Id, with: Value) -> Id {
        let with = self.constant(with);
        self.two(Two::Binary(op), value, with)
    }
}
