//! What a condition already says before all of its parameters have values.
//!
//! By interval bounds `a * b <= LIMIT` says `a * (smallest b) <= LIMIT`, and `p && q` says `p`, once `p` is known. Such a
//! test turns beginnings away before they are walked. It must never turn away what the condition
//! would not, nor skip an expression that would have failed: so it is made of [safe](Vertex) parts only.

use super::act::{Act, Kind, Two};
use super::graph::{Graph, Id, Vertex};
use super::interval::Interval;
use super::outline::{MOST_VALUES, Outline, Part};
use bico_syntax::{BinaryOp, Method};

/// Makes weaker conditions over the first parameters.
pub(super) struct Relax<'a> {
    pub(super) graph: &'a mut Graph,
    /// The domain of each parameter.
    pub(super) outlines: &'a [Outline],
    /// How many parameters are chosen.
    pub(super) known: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Low,
    High,
}

impl End {
    fn other(self) -> End {
        match self {
            End::Low => End::High,
            End::High => End::Low,
        }
    }

    fn of(self, range: Interval) -> i64 {
        match self {
            End::Low => range.0,
            End::High => range.1,
        }
    }
}

impl Relax<'_> {
    fn is_known(&self, vertex: &Vertex) -> bool {
        vertex.known <= self.known
    }

    /// A truth value of known parameters that holds wherever `id` may still hold.
    pub(super) fn condition(&mut self, id: Id) -> Id {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt};
        let vertex = self.graph.get(id).clone();
        if self.is_known(&vertex) && vertex.safe {
            return id;
        }
        let is_int = |id| self.graph.kind(id) == Kind::Int;
        match vertex.act {
            // A left side that may fail comes first.
            Act::Logic(_, a, _) if !self.graph.get(a).safe => self.graph.bool(true),
            Act::Logic(and, a, b) => {
                let (a, b) = (self.condition(a), self.condition(b));
                self.graph.logic(and, a, b)
            }
            Act::Select(condition, yes, no) if self.safe_known(condition) => {
                let (yes, no) = (self.condition(yes), self.condition(no));
                self.graph.select(condition, yes, no)
            }
            Act::Two(Two::Binary(op), a, b) if vertex.safe && is_int(a) && is_int(b) => match op {
                Le | Lt => self.compare(op, a, End::Low, b, End::High),
                Ge | Gt => self.compare(op, a, End::High, b, End::Low),
                Eq => {
                    let below = self.compare(Le, a, End::Low, b, End::High);
                    let above = self.compare(Ge, a, End::High, b, End::Low);
                    self.graph.logic(true, below, above)
                }
                _ => self.graph.bool(true),
            },
            _ => self.graph.bool(true),
        }
    }

    fn safe_known(&self, id: Id) -> bool {
        let vertex = self.graph.get(id);
        vertex.safe && self.is_known(vertex)
    }

    fn compare(&mut self, op: BinaryOp, a: Id, at: End, b: Id, bt: End) -> Id {
        let (Some(a), Some(b)) = (self.bound(a, at), self.bound(b, bt)) else {
            return self.graph.bool(true);
        };
        // What can't be false is no test.
        let always = match (self.graph.get(a).range, self.graph.get(b).range) {
            (Some(a), Some(b)) => match op {
                BinaryOp::Le => a.1 <= b.0,
                BinaryOp::Lt => a.1 < b.0,
                BinaryOp::Ge => a.0 >= b.1,
                _ => a.0 > b.1,
            },
            _ => true,
        };
        if always {
            self.graph.bool(true)
        } else {
            self.graph.two(Two::Binary(op), a, b)
        }
    }

    /// A vertex of known parameters that `id` is never below (`Low`) or above (`High`).
    fn bound(&mut self, id: Id, end: End) -> Option<Id> {
        let vertex = self.graph.get(id).clone();
        let range = vertex.range?;
        if self.is_known(&vertex) {
            return Some(id);
        }
        let made = match vertex.act {
            Act::Slot(slot) => self.slot(slot as usize, end),
            Act::Two(op, a, b) => self.operation(op, a, b, end),
            Act::Select(condition, yes, no) => {
                let (yes, no) = (self.bound(yes, end)?, self.bound(no, end)?);
                if self.safe_known(condition) {
                    Some(self.graph.select(condition, yes, no))
                } else {
                    let method = match end {
                        End::Low => Method::Min,
                        End::High => Method::Max,
                    };
                    Some(self.graph.two(Two::Method(method), yes, no))
                }
            }
            _ => None,
        };
        // Whatever else fails, the plain number is a bound.
        let sound = made.and_then(|id| Some((id, self.graph.get(id).range?)));
        Some(match sound {
            None => self.graph.int(end.of(range)),
            // `powers_of_two(-1..)` begins at 1: what is built on this bound counts on the range's start.
            Some((id, bounds)) if bounds.0 < range.0 => {
                let least = self.graph.int(range.0);
                self.graph.two(Two::Method(Method::Max), id, least)
            }
            Some((id, _)) => id,
        })
    }

    fn operation(&mut self, op: Two, a: Id, b: Id, end: End) -> Option<Id> {
        let (left, right) = (self.graph.get(a).range?, self.graph.get(b).range?);
        let natural = left.0 >= 0 && right.0 >= 0;
        let (at, bt) = match op {
            Two::Binary(BinaryOp::Add) | Two::Method(Method::Min | Method::Max) => (end, end),
            Two::Binary(BinaryOp::Sub) => (end, end.other()),
            Two::Binary(BinaryOp::Mul) if natural => (end, end),
            Two::Binary(BinaryOp::Div) | Two::Method(Method::DivCeil) if natural => {
                (end, end.other())
            }
            _ => return None,
        };
        let (a, b) = (self.bound(a, at)?, self.bound(b, bt)?);
        Some(self.graph.two(op, a, b))
    }

    /// The bound of a parameter: that of its range, which may depend on known ones.
    fn slot(&mut self, slot: usize, end: End) -> Option<Id> {
        let mut outline = &self.outlines[slot];
        while let Outline::Of(Part::EveryNth(_) | Part::PowersOfTwo, inner) = outline {
            outline = inner;
        }
        match (outline, end) {
            (Outline::Range(start, _), End::Low) => self.bound(*start, end),
            (Outline::Range(_, last), End::High) => self.bound(*last, end),
            (Outline::List(ids), _) if ids.len() == 1 => self.bound(ids[0], end),
            _ => None,
        }
    }
}

impl Outline {
    /// Whether the interpreter would list it without a mistake, whatever the parameters before it.
    pub(super) fn is_safe(&self, graph: &Graph) -> bool {
        let range = |id: &Id| graph.get(*id).range;
        match self {
            Outline::Values(..) => true,
            Outline::List(ids) => ids.len() <= 1 && ids.iter().all(|id| graph.get(*id).safe),
            Outline::Range(start, last) => match (range(start), range(last)) {
                (Some(start), Some(last)) => last.1 - start.0 < MOST_VALUES,
                _ => false,
            },
            Outline::Of(part, inner) => {
                let safe = match part {
                    Part::EveryNth(step) => range(step).is_some_and(|step| step.0 >= 1),
                    Part::Behind(bound) => graph.get(*bound).safe,
                    Part::PowersOfTwo => true,
                };
                safe && inner.is_safe(graph)
            }
            Outline::Select(condition, sides) => {
                graph.get(*condition).safe && sides.iter().all(|side| side.is_safe(graph))
            }
            Outline::Unknown(_) | Outline::Fails => false,
        }
    }
}
