//! Domains over the graph: what lists a parameter's values from registers.

use super::act::{Act, Kind};
use super::graph::{Graph, Id, UNKNOWN};
use super::interval::{self, Interval};
use bico_bind::tree::{Code, Node, Test};
use std::collections::HashSet;

/// Longer lists of expressions are left to the interpreter.
const FEW: usize = 16;

/// Values that are listed here; more are the interpreter's to refuse.
pub(super) const MOST_VALUES: i64 = 1_000_000;

/// A domain.
#[derive(Debug, Clone)]
pub(in crate::space) enum Outline {
    /// Values that do not depend on other parameters.
    Values(Vec<i64>, Kind),
    List(Vec<Id>),
    Range {
        start: Id,
        end: Id,
        inclusive: bool,
    },
    StepBy(Box<Outline>, Id),
    PowersOfTwo(Box<Outline>),
    Select(Id, Box<[Outline; 2]>),
    Strict(Id, Box<Outline>),
    /// The interpreter knows.
    Unknown(Id),
    /// The interpreter knows what is wrong.
    Fails,
}

impl Graph {
    pub(in crate::space) fn outline(&mut self, list: &Node, locals: &mut Vec<Id>) -> Outline {
        match &list.code {
            Code::List(nodes) => self.list(nodes, locals),
            Code::Range(ends, inclusive) => {
                let (start, end) = (self.lower(&ends[0], locals), self.lower(&ends[1], locals));
                if self.kind(start) != Kind::Int || self.kind(end) != Kind::Int {
                    return Outline::Unknown(self.opaque(&[start, end]));
                }
                Outline::Range {
                    start,
                    end,
                    inclusive: *inclusive,
                }
            }
            Code::StepBy(parts) => {
                let inner = self.outline(&parts[0], locals);
                let step = self.lower(&parts[1], locals);
                if self.kind(step) != Kind::Int {
                    let all = self.opaque_outline(&inner, &[step]);
                    return Outline::Unknown(all);
                }
                Outline::StepBy(Box::new(inner), step)
            }
            Code::PowersOfTwo(inner) => {
                let inner = self.outline(inner, locals);
                if !matches!(self.outline_kind(&inner), None | Some(Kind::Int)) {
                    let all = self.opaque_outline(&inner, &[]);
                    return Outline::Unknown(all);
                }
                Outline::PowersOfTwo(Box::new(inner))
            }
            Code::If(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.lower(condition, locals);
                let condition = self.condition(condition);
                let sides = [self.outline(yes, locals), self.outline(no, locals)];
                Outline::Select(condition, Box::new(sides))
            }
            Code::Match(value, arms) => self.arms(value, arms, locals),
            Code::Let(parts) => {
                let [bound, body] = &**parts;
                let bound = self.lower(bound, locals);
                locals.push(bound);
                let body = self.outline(body, locals);
                locals.pop();
                Outline::Strict(bound, Box::new(body))
            }
            _ => Outline::List(vec![self.lower(list, locals)]),
        }
    }

    fn list(&mut self, nodes: &[Node], locals: &mut Vec<Id>) -> Outline {
        let ids: Vec<Id> = nodes.iter().map(|node| self.lower(node, locals)).collect();
        let constants: Option<Vec<i64>> = ids
            .iter()
            .map(|id| match self.get(*id).act {
                Act::Constant(code, _) if code != UNKNOWN => Some(code),
                _ => None,
            })
            .collect();
        let one_kind = ids
            .windows(2)
            .all(|ids| self.kind(ids[0]) == self.kind(ids[1]));
        match constants {
            Some(values) if one_kind && distinct(&values) => {
                let kind = ids.first().map_or(Kind::Int, |id| self.kind(*id));
                Outline::Values(values, kind)
            }
            None if one_kind && ids.len() <= FEW => Outline::List(ids),
            _ => Outline::Unknown(self.opaque(&ids)),
        }
    }

    /// A `match` as a chain of choices.
    fn arms(&mut self, value: &Node, arms: &[(Vec<Test>, Node)], locals: &mut Vec<Id>) -> Outline {
        let value = self.lower(value, locals);
        let lowered: Vec<(Id, Outline)> = arms
            .iter()
            .map(|(tests, arm)| {
                let fits = self.fits(tests, value);
                (self.condition(fits), self.outline(arm, locals))
            })
            .collect();
        let mut chosen = Outline::Fails;
        for (fits, arm) in lowered.into_iter().rev() {
            chosen = Outline::Select(fits, Box::new([arm, chosen]));
        }
        Outline::Strict(value, Box::new(chosen))
    }

    fn opaque_outline(&mut self, outline: &Outline, more: &[Id]) -> Id {
        let mut ids = more.to_vec();
        outline.vertices(&mut ids);
        self.opaque(&ids)
    }

    /// The kind of its values; [`Kind::Mixed`] if that depends, `None` if it has none.
    fn outline_kind(&self, outline: &Outline) -> Option<Kind> {
        match outline {
            Outline::Values(values, kind) => (!values.is_empty()).then_some(*kind),
            Outline::List(ids) => ids.first().map(|id| self.kind(*id)),
            Outline::Range { .. } => Some(Kind::Int),
            Outline::StepBy(inner, _) | Outline::PowersOfTwo(inner) => self.outline_kind(inner),
            Outline::Strict(_, inner) => self.outline_kind(inner),
            Outline::Select(_, sides) => {
                match (self.outline_kind(&sides[0]), self.outline_kind(&sides[1])) {
                    (None, kind) | (kind, None) => kind,
                    (a, b) if a == b => a,
                    _ => Some(Kind::Mixed),
                }
            }
            Outline::Unknown(_) => Some(Kind::Mixed),
            Outline::Fails => None,
        }
    }

    /// Bounds of its values, where all of them are integers that never fail; `Some(None)` without any.
    fn outline_range(&self, outline: &Outline) -> Option<Option<Interval>> {
        let hull = |a: Option<Interval>, b: Option<Interval>| match (a, b) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        match outline {
            Outline::Values(values, Kind::Int | Kind::Bool) => {
                let low = values.iter().min().copied().map(i128::from);
                let high = values.iter().max().copied().map(i128::from);
                match (low, high) {
                    (Some(low), Some(high)) => interval::sound(low, high).map(Some),
                    _ => Some(None),
                }
            }
            Outline::List(ids) => ids
                .iter()
                .try_fold(None, |all, id| Some(hull(all, Some(self.get(*id).range?)))),
            // What the interpreter refuses (an end that fails) never becomes a value.
            Outline::Range { start, end, .. } => {
                let (low, high) = (self.get(*start).range?.0, self.get(*end).range?.1);
                Some((low <= high).then_some((low, high)))
            }
            Outline::StepBy(inner, _) | Outline::Strict(_, inner) => self.outline_range(inner),
            Outline::PowersOfTwo(inner) => match self.outline_range(inner)? {
                Some((low, high)) => Some((high >= 1).then_some((low.max(1), high))),
                None => Some(None),
            },
            Outline::Select(_, sides) => Some(hull(
                self.outline_range(&sides[0])?,
                self.outline_range(&sides[1])?,
            )),
            Outline::Fails => Some(None),
            Outline::Values(..) | Outline::Unknown(_) => None,
        }
    }

    /// Adds the next parameter, with this domain.
    pub(in crate::space) fn parameter(&mut self, outline: &Outline) -> Id {
        let kind = self.outline_kind(outline).unwrap_or(Kind::Int);
        let range = match self.outline_range(outline) {
            Some(None) => Some((0, 0)),
            Some(range) => range,
            None => None,
        };
        let texts = matches!(outline, Outline::Values(_, Kind::Str));
        self.slot(kind, range, range.is_some() || texts)
    }
}

impl Outline {
    /// Adds the vertices that it reads.
    pub(in crate::space) fn vertices(&self, out: &mut Vec<Id>) {
        match self {
            Outline::Values(..) | Outline::Fails => {}
            Outline::List(ids) => out.extend_from_slice(ids),
            Outline::Range { start, end, .. } => out.extend([*start, *end]),
            Outline::StepBy(inner, step) => {
                inner.vertices(out);
                out.push(*step);
            }
            Outline::PowersOfTwo(inner) => inner.vertices(out),
            Outline::Select(condition, sides) => {
                out.push(*condition);
                sides.iter().for_each(|side| side.vertices(out));
            }
            Outline::Strict(bound, inner) => {
                out.push(*bound);
                inner.vertices(out);
            }
            Outline::Unknown(all) => out.push(*all),
        }
    }

    /// Appends the values; `None` where the interpreter must be asked.
    pub(in crate::space) fn values(&self, registers: &[i64], out: &mut Vec<i64>) -> Option<()> {
        let read = |id: &Id| Some(registers[*id as usize]).filter(|value| *value != UNKNOWN);
        match self {
            Outline::Values(values, _) => out.extend_from_slice(values),
            Outline::List(ids) => {
                for (at, id) in ids.iter().enumerate() {
                    let value = read(id)?;
                    if out[out.len() - at..].contains(&value) {
                        return None;
                    }
                    out.push(value);
                }
            }
            Outline::Range { .. } => {
                let (start, last) = self.range(registers)?;
                if i128::from(last) - i128::from(start) >= i128::from(MOST_VALUES) {
                    return None;
                }
                out.extend(start..=last);
            }
            Outline::StepBy(inner, step) => {
                let step = read(step).filter(|step| *step >= 1)?;
                if let Outline::Range { .. } = **inner {
                    let (start, last) = inner.range(registers)?;
                    if (i128::from(last) - i128::from(start)) / i128::from(step)
                        >= i128::from(MOST_VALUES)
                    {
                        return None;
                    }
                    let mut next = Some(start);
                    while let Some(value) = next.filter(|value| *value <= last) {
                        out.push(value);
                        next = value.checked_add(step);
                    }
                } else {
                    let begin = out.len();
                    inner.values(registers, out)?;
                    let kept = (out.len() - begin).div_ceil(step as usize);
                    for at in 0..kept {
                        out[begin + at] = out[begin + at * step as usize];
                    }
                    out.truncate(begin + kept);
                }
            }
            Outline::PowersOfTwo(inner) => {
                let is_power = |value: i64| value > 0 && value & (value - 1) == 0;
                if let Outline::Range { .. } = **inner {
                    let (start, last) = inner.range(registers)?;
                    out.extend(
                        (0..63)
                            .map(|n| 1i64 << n)
                            .filter(|v| (start..=last).contains(v)),
                    );
                } else {
                    let mut listed = Vec::new();
                    inner.values(registers, &mut listed)?;
                    out.extend(listed.into_iter().filter(|value| is_power(*value)));
                }
            }
            Outline::Select(condition, sides) => {
                sides[usize::from(read(condition)? == 0)].values(registers, out)?;
            }
            Outline::Strict(bound, inner) => {
                read(bound)?;
                inner.values(registers, out)?;
            }
            Outline::Unknown(_) | Outline::Fails => return None,
        }
        Some(())
    }

    /// First and last value of a range; of an empty one the last is below the first.
    fn range(&self, registers: &[i64]) -> Option<(i64, i64)> {
        let Outline::Range {
            start,
            end,
            inclusive,
        } = self
        else {
            return None;
        };
        let read = |id: &Id| Some(registers[*id as usize]).filter(|value| *value != UNKNOWN);
        let (start, end) = (read(start)?, read(end)?);
        Some((start, end.checked_sub(i64::from(!inclusive))?))
    }
}

fn distinct(values: &[i64]) -> bool {
    let mut seen = HashSet::with_capacity(values.len());
    values.iter().all(|value| seen.insert(value))
}
