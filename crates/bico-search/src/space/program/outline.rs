//! Domains over the graph: what lists a parameter's values from registers.

use super::act::{Act, Kind, Two};
use super::graph::{Graph, Id, UNKNOWN};
use super::interval::{self, Interval};
use bico_core::Lists;
use bico_syntax::BinaryOp;
use bico_syntax::bind::tree::{Code, Node};
use std::collections::HashSet;

/// Longer lists of expressions are left to the interpreter.
const FEW: usize = 16;

/// Values that are listed here; more are the interpreter's to refuse.
pub(super) const MOST_VALUES: i64 = 1_000_000;

/// A domain.
#[derive(Debug, Clone)]
pub(crate) enum Outline {
    /// Values that do not depend on other parameters.
    Values(Vec<i64>, Kind),
    List(Vec<Id>),
    /// From the first to the last, which may lie below it: then there is none.
    Range(Id, Id),
    Of(Part, Box<Outline>),
    Select(Id, Box<[Outline; 2]>),
    /// The interpreter knows.
    Unknown(Id),
    /// The interpreter knows what is wrong.
    Fails,
}

/// What is taken of a domain.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    EveryNth(Id),
    PowersOfTwo,
    /// All of it, where this is known.
    Behind(Id),
}

impl Part {
    /// The vertex that it reads.
    pub(super) fn vertex(&self) -> Option<Id> {
        match self {
            Part::EveryNth(id) | Part::Behind(id) => Some(*id),
            Part::PowersOfTwo => None,
        }
    }
}

impl Graph {
    pub(super) fn outline(&mut self, list: &Node, locals: &mut Vec<Id>) -> Outline {
        match &list.code {
            Code::List(nodes) => self.list(nodes, locals),
            Code::Range(ends, inclusive) => {
                let (start, mut last) =
                    (self.lower(&ends[0], locals), self.lower(&ends[1], locals));
                let ints = self.kind(start) == Kind::Int && self.kind(last) == Kind::Int;
                if !inclusive {
                    let one = self.int(1);
                    last = self.two(Two::Binary(BinaryOp::Sub), last, one);
                }
                self.known_if(ints, Outline::Range(start, last))
            }
            Code::StepBy(parts) => {
                let inner = self.outline(&parts[0], locals);
                let step = self.lower(&parts[1], locals);
                let int = self.kind(step) == Kind::Int;
                self.known_if(int, Outline::Of(Part::EveryNth(step), Box::new(inner)))
            }
            Code::PowersOfTwo(inner) => {
                let inner = self.outline(inner, locals);
                let ints = matches!(self.outlined(&inner).0, None | Some(Kind::Int));
                self.known_if(ints, Outline::Of(Part::PowersOfTwo, Box::new(inner)))
            }
            Code::If(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.lower(condition, locals);
                let condition = self.condition(condition);
                let sides = [self.outline(yes, locals), self.outline(no, locals)];
                Outline::Select(condition, Box::new(sides))
            }
            Code::Match(value, arms) => {
                let value = self.lower(value, locals);
                let mut lowered = Vec::with_capacity(arms.len());
                for (tests, arm) in arms {
                    let fits = self.fits(tests, value);
                    lowered.push((self.condition(fits), self.outline(arm, locals)));
                }
                // A chain of choices.
                let chosen = lowered
                    .into_iter()
                    .rfold(Outline::Fails, |rest, (fits, arm)| {
                        Outline::Select(fits, Box::new([arm, rest]))
                    });
                Outline::Of(Part::Behind(value), Box::new(chosen))
            }
            Code::Let(parts) => {
                let [bound, body] = &**parts;
                let bound = self.lower(bound, locals);
                locals.push(bound);
                let body = self.outline(body, locals);
                locals.pop();
                Outline::Of(Part::Behind(bound), Box::new(body))
            }
            _ => Outline::List(vec![self.lower(list, locals)]),
        }
    }

    /// The outline; only the interpreter can tell, if its parts are of the wrong kind.
    fn known_if(&mut self, fits: bool, outline: Outline) -> Outline {
        if fits {
            return outline;
        }
        let mut ids = Vec::new();
        outline.vertices(&mut ids);
        Outline::Unknown(self.opaque(&ids))
    }

    fn list(&mut self, nodes: &[Node], locals: &mut Vec<Id>) -> Outline {
        let ids: Vec<Id> = nodes.iter().map(|node| self.lower(node, locals)).collect();
        let constant = |id: &Id| match self.get(*id).act {
            Act::Constant(code, _) if code != UNKNOWN => Some(code),
            _ => None,
        };
        let constants: Option<Vec<i64>> = ids.iter().map(constant).collect();
        let kind = ids.first().map_or(Kind::Int, |id| self.kind(*id));
        let one_kind = ids.iter().all(|id| self.kind(*id) == kind);
        match constants {
            Some(values) if one_kind && distinct(&values) => Outline::Values(values, kind),
            constants => {
                let few = constants.is_none() && ids.len() <= FEW;
                self.known_if(one_kind && few, Outline::List(ids))
            }
        }
    }

    /// The kind of its values, [`Kind::Mixed`] if that depends, `None` if it has none; and their bounds, where all of
    /// them are integers that never fail, `Some(None)` without any.
    fn outlined(&self, outline: &Outline) -> (Option<Kind>, Option<Option<Interval>>) {
        let hull = |a: Option<Interval>, b: Option<Interval>| match (a, b) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        match outline {
            Outline::Values(values, kind) => {
                let range = match (values.iter().min(), values.iter().max()) {
                    (Some(low), Some(high)) => {
                        interval::sound((*low).into(), (*high).into()).map(Some)
                    }
                    _ => Some(None),
                };
                let whole = matches!(kind, Kind::Int | Kind::Bool);
                let kind = (!values.is_empty()).then_some(*kind);
                (kind, range.filter(|_| whole))
            }
            Outline::List(ids) => {
                let kind = ids.first().map(|id| self.kind(*id));
                let mut ranges = ids.iter().map(|id| self.get(*id).range);
                let range = ranges.try_fold(None, |all, range| Some(hull(all, Some(range?))));
                (kind, range)
            }
            // What the interpreter refuses (an end that fails) never becomes a value.
            Outline::Range(start, last) => {
                let ends = self.get(*start).range.zip(self.get(*last).range);
                let range = ends.map(|(start, last)| (start.0, last.1));
                let range = range.map(|(low, high)| (low <= high).then_some((low, high)));
                (Some(Kind::Int), range)
            }
            Outline::Of(part, inner) => {
                let (kind, range) = self.outlined(inner);
                let powers = |(low, high): Interval| (high >= 1).then_some((low.max(1), high));
                match part {
                    Part::PowersOfTwo => (kind, range.map(|range| range.and_then(powers))),
                    Part::EveryNth(_) | Part::Behind(_) => (kind, range),
                }
            }
            Outline::Select(_, sides) => {
                let [yes, no] = sides.each_ref().map(|side| self.outlined(side));
                let kind = match (yes.0, no.0) {
                    (None, kind) | (kind, None) => kind,
                    (a, b) if a == b => a,
                    _ => Some(Kind::Mixed),
                };
                (kind, yes.1.zip(no.1).map(|(yes, no)| hull(yes, no)))
            }
            Outline::Unknown(_) => (Some(Kind::Mixed), None),
            Outline::Fails => (None, Some(None)),
        }
    }

    /// Adds the next parameter, with this domain.
    pub(super) fn parameter(&mut self, outline: &Outline) -> Id {
        let (kind, range) = self.outlined(outline);
        let range = range.map(|range| range.unwrap_or((0, 0)));
        let texts = matches!(outline, Outline::Values(_, Kind::Str));
        self.slot(kind.unwrap_or(Kind::Int), range, range.is_some() || texts)
    }
}

impl Outline {
    /// Adds the vertices that it reads.
    pub(super) fn vertices(&self, out: &mut Vec<Id>) {
        match self {
            Outline::Values(..) | Outline::Fails => {}
            Outline::List(ids) => out.extend_from_slice(ids),
            Outline::Range(start, last) => out.extend([*start, *last]),
            Outline::Of(part, inner) => {
                out.extend(part.vertex());
                inner.vertices(out);
            }
            Outline::Select(condition, sides) => {
                out.push(*condition);
                sides.iter().for_each(|side| side.vertices(out));
            }
            Outline::Unknown(all) => out.push(*all),
        }
    }

    /// Appends the values; `None` where the interpreter must be asked.
    pub(crate) fn values(&self, registers: &[i64], out: &mut Vec<i64>) -> Option<()> {
        let read = |id: &Id| Some(registers[*id as usize]).filter(|value| *value != UNKNOWN);
        let begin = out.len();
        match self {
            Outline::Values(values, _) => out.extend_from_slice(values),
            Outline::List(ids) => {
                for id in ids {
                    let value = read(id)?;
                    if out[begin..].contains(&value) {
                        return None;
                    }
                    out.push(value);
                }
            }
            Outline::Range(start, last) => {
                out.extend(listed(read(start)?, read(last)?, 1)?);
            }
            Outline::Of(Part::EveryNth(step), inner) => {
                let step = read(step).filter(|step| *step >= 1)?;
                match &**inner {
                    // The range itself may have too many.
                    Outline::Range(start, last) => {
                        out.extend(listed(read(start)?, read(last)?, step)?);
                    }
                    inner => {
                        inner.values(registers, out)?;
                        let kept: Vec<i64> =
                            out.drain(begin..).step_by(step as usize).collect_vec();
                        out.extend(kept);
                    }
                }
            }
            Outline::Of(Part::PowersOfTwo, inner) => match &**inner {
                Outline::Range(start, last) => {
                    let range = read(start)?..=read(last)?;
                    let powers = (0..63).map(|n| 1i64 << n);
                    out.extend(powers.filter(|power| range.contains(power)));
                }
                inner => {
                    let mut all = Vec::new();
                    inner.values(registers, &mut all)?;
                    let is_power = |value: &i64| *value > 0 && value & (value - 1) == 0;
                    out.extend(all.into_iter().filter(is_power));
                }
            },
            Outline::Of(Part::Behind(bound), inner) => {
                read(bound)?;
                inner.values(registers, out)?;
            }
            Outline::Select(condition, sides) => {
                sides[usize::from(read(condition)? == 0)].values(registers, out)?;
            }
            Outline::Unknown(_) | Outline::Fails => return None,
        }
        Some(())
    }
}

/// Every `step`-th value of a range; `None` where those are too many.
fn listed(start: i64, last: i64, step: i64) -> Option<impl Iterator<Item = i64>> {
    let count = (i128::from(last) - i128::from(start)) / i128::from(step);
    (count < i128::from(MOST_VALUES)).then(|| (start..=last).step_by(step as usize))
}

fn distinct(values: &[i64]) -> bool {
    let mut seen = HashSet::with_capacity(values.len());
    values.iter().all(|value| seen.insert(value))
}
