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
pub(crate) enum Emit {
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
            if self.is_state(id) {
                self.push(id, out);
            }
            return;
        }
        match self.graph.get(id).act {
            Act::Logic(and, ..) => self.chain(id, and, out),
            Act::Select(condition, yes, no) if self.is_state(condition) => {
                self.choose(condition, out, &mut |this, truth, out| {
                    this.vertex(if truth { yes } else { no }, out);
                });
            }
            // The interpreter reads the parameters themselves.
            Act::Opaque(_) => self.parameters(id, out),
            ref act => act.operands().for_each(|id| self.vertex(id, out)),
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

    /// The value of a condition, then what `side` writes down where it is true, and where it is not.
    fn choose(
        &mut self,
        condition: Id,
        out: &mut Vec<Emit>,
        side: &mut dyn FnMut(&mut Self, bool, &mut Vec<Emit>),
    ) {
        let mark = self.pushed.len();
        let [yes, no] = [true, false].map(|truth| {
            let mut emits = Vec::new();
            side(self, truth, &mut emits);
            self.pushed.truncate(mark);
            emits
        });
        out.push(Emit::Choose(condition, yes, no));
    }

    /// A chain of `&&` (`and`) or of `||`: a side that is known may decide it.
    fn chain(&mut self, id: Id, and: bool, out: &mut Vec<Emit>) {
        let mut sides = Vec::new();
        self.sides(id, and, &mut sides);
        // A side that may fail must be reached before those after it can decide anything.
        let may_fail = |side: &Id| !self.is_known(*side) && !self.graph.get(*side).safe;
        let reach = sides.iter().position(may_fail).unwrap_or(sides.len());
        let decides = |side: &Id| self.is_state(*side);
        if let Some(at) = sides[..reach].iter().position(decides) {
            sides[..=at].rotate_right(1);
        }
        self.rest(&sides, and, out);
    }

    fn rest(&mut self, sides: &[Id], and: bool, out: &mut Vec<Emit>) {
        // Sides in order: the first known one that can be reached decides the others.
        for (at, side) in sides.iter().enumerate() {
            let after = &sides[at + 1..];
            if self.is_state(*side) && !after.is_empty() {
                return self.choose(*side, out, &mut |this, truth, out| {
                    if truth == and {
                        this.rest(after, and, out);
                    }
                });
            }
            self.vertex(*side, out);
        }
    }

    fn sides(&self, id: Id, and: bool, out: &mut Vec<Id>) {
        match self.graph.get(id).act {
            Act::Logic(own, a, b) if own == and => {
                self.sides(a, and, out);
                self.sides(b, and, out);
            }
            _ => out.push(id),
        }
    }

    pub(super) fn outline(&mut self, outline: &Outline, out: &mut Vec<Emit>) {
        match outline {
            Outline::Select(condition, sides) if self.is_state(*condition) => {
                self.choose(*condition, out, &mut |this, truth, out| {
                    this.outline(&sides[usize::from(!truth)], out);
                });
            }
            Outline::Of(part, inner) => {
                part.vertex().iter().for_each(|id| self.vertex(*id, out));
                self.outline(inner, out);
            }
            Outline::Unknown(all) => self.parameters(*all, out),
            other => {
                let mut ids = Vec::new();
                other.vertices(&mut ids);
                ids.iter().for_each(|id| self.vertex(*id, out));
            }
        }
    }
}
