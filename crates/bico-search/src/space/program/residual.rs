//! What the rest of a space still depends on, once its first parameters are chosen.
//!
//! Not on their values: on those of the greatest expressions that are known by then, and of those only
//! where a `||`, `&&` or `if` has not been decided without them. Two beginnings that agree there have
//! the same rest, so it is built once.

use super::act::Act;
use super::graph::{Graph, Id};
use super::outline::Outline;

/// A step in writing a state down.
#[derive(Debug, Clone)]
pub(in crate::space) enum Emit {
    Push(Id),
    /// The value of the condition, then the one or the other.
    Choose(Id, Vec<Emit>, Vec<Emit>),
}

/// Collects the state after the first `known` parameters.
pub(super) struct Residual<'a> {
    graph: &'a Graph,
    known: usize,
    /// What every state holds from here on.
    pushed: Vec<Id>,
}

impl<'a> Residual<'a> {
    pub(super) fn new(graph: &'a Graph, known: usize) -> Residual<'a> {
        Residual {
            graph,
            known,
            pushed: Vec::new(),
        }
    }

    fn is_known(&self, id: Id) -> bool {
        self.graph.get(id).known <= self.known
    }

    /// Whether the value is known, and not from the start.
    fn is_state(&self, id: Id) -> bool {
        self.is_known(id) && self.graph.get(id).known > 0
    }

    fn push(&mut self, id: Id, out: &mut Vec<Emit>) {
        if !self.pushed.contains(&id) {
            self.pushed.push(id);
            out.push(Emit::Push(id));
        }
    }

    pub(super) fn vertex(&mut self, id: Id, out: &mut Vec<Emit>) {
        if self.is_known(id) {
            if self.graph.get(id).known > 0 {
                self.push(id, out);
            }
            return;
        }
        match &self.graph.get(id).act {
            Act::And(..) => self.chain(id, true, out),
            Act::Or(..) => self.chain(id, false, out),
            Act::Select(condition, yes, no) if self.is_state(*condition) => {
                let (condition, yes, no) = (*condition, *yes, *no);
                self.choose(
                    condition,
                    out,
                    |s, out| s.vertex(yes, out),
                    |s, out| s.vertex(no, out),
                );
            }
            // The interpreter reads the parameters themselves.
            Act::Opaque(_) => self.parameters(id, out),
            act => act.operands().for_each(|id| self.vertex(id, out)),
        }
    }

    /// The parameters that an opaque vertex reads.
    fn parameters(&mut self, id: Id, out: &mut Vec<Emit>) {
        let graph = self.graph;
        if let Act::Opaque(slots) = &graph.get(id).act {
            let known = self.known;
            for slot in slots.iter().filter(|slot| (**slot as usize) < known) {
                self.push(graph.slots[*slot as usize], out);
            }
        }
    }

    fn choose(
        &mut self,
        condition: Id,
        out: &mut Vec<Emit>,
        yes: impl FnOnce(&mut Self, &mut Vec<Emit>),
        no: impl FnOnce(&mut Self, &mut Vec<Emit>),
    ) {
        let mark = self.pushed.len();
        let (mut if_true, mut if_false) = (Vec::new(), Vec::new());
        yes(self, &mut if_true);
        self.pushed.truncate(mark);
        no(self, &mut if_false);
        self.pushed.truncate(mark);
        out.push(Emit::Choose(condition, if_true, if_false));
    }

    /// A chain of `&&` (`and`) or of `||`: a side that is known may decide it.
    fn chain(&mut self, id: Id, and: bool, out: &mut Vec<Emit>) {
        let mut sides = Vec::new();
        self.sides(id, and, &mut sides);
        // A side that may fail must be reached before those after it can decide anything.
        let reach = sides
            .iter()
            .position(|side| !self.is_known(*side) && !self.graph.get(*side).safe)
            .unwrap_or(sides.len());
        let decides = (0..sides.len()).find(|at| *at < reach && self.is_state(sides[*at]));
        match decides {
            Some(at) => {
                let decider = sides.remove(at);
                let rest = |s: &mut Self, out: &mut Vec<Emit>| s.rest(&sides, and, out);
                if and {
                    self.choose(decider, out, rest, |_, _| {});
                } else {
                    self.choose(decider, out, |_, _| {}, rest);
                }
            }
            None => self.rest(&sides, and, out),
        }
    }

    fn rest(&mut self, sides: &[Id], and: bool, out: &mut Vec<Emit>) {
        // Sides in order: the first known one that can be reached decides the others.
        for (at, side) in sides.iter().enumerate() {
            let after = &sides[at + 1..];
            if self.is_state(*side) && !after.is_empty() {
                let rest = |s: &mut Self, out: &mut Vec<Emit>| s.rest(after, and, out);
                if and {
                    self.choose(*side, out, rest, |_, _| {});
                } else {
                    self.choose(*side, out, |_, _| {}, rest);
                }
                return;
            }
            self.vertex(*side, out);
        }
    }

    fn sides(&self, id: Id, and: bool, out: &mut Vec<Id>) {
        match self.graph.get(id).act {
            Act::And(a, b) if and => {
                self.sides(a, and, out);
                self.sides(b, and, out);
            }
            Act::Or(a, b) if !and => {
                self.sides(a, and, out);
                self.sides(b, and, out);
            }
            _ => out.push(id),
        }
    }

    pub(super) fn outline(&mut self, outline: &Outline, out: &mut Vec<Emit>) {
        match outline {
            Outline::Select(condition, sides) if self.is_state(*condition) => {
                let [yes, no] = &**sides;
                self.choose(
                    *condition,
                    out,
                    |s, out| s.outline(yes, out),
                    |s, out| s.outline(no, out),
                );
            }
            Outline::Strict(bound, inner) => {
                self.vertex(*bound, out);
                self.outline(inner, out);
            }
            Outline::StepBy(inner, step) => {
                self.outline(inner, out);
                self.vertex(*step, out);
            }
            Outline::PowersOfTwo(inner) => self.outline(inner, out),
            Outline::Unknown(all) => self.parameters(*all, out),
            other => {
                let mut ids = Vec::new();
                other.vertices(&mut ids);
                ids.iter().for_each(|id| self.vertex(*id, out));
            }
        }
    }
}
