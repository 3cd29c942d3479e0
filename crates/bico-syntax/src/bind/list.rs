//! The values that a list has: a parameter's, for each choice of those before it.

use crate::bind::key::Key;
use crate::bind::node::{Code, Evaluated, Locals, Node};
use bico_core::sorted::order;
use bico_core::{Value, ops};

/// Values that one domain may have.
const MOST_VALUES: i128 = 1_000_000;

/// Below this, comparing each with each is cheaper than hashing.
const FEW: usize = 16;

impl Node {
    /// Appends the values of a list.
    pub fn values(
        &self,
        before: &[Value],
        locals: Option<&Locals<'_>>,
        out: &mut Vec<Value>,
    ) -> Evaluated<()> {
        match &self.code {
            Code::List(nodes) => {
                for node in nodes {
                    out.push(node.eval(before, locals)?);
                }
                self.check_list(out)?;
            }
            Code::Range(..) => {
                if let Some((start, last)) = self.range(before, locals)? {
                    if count(start, last, 1) > MOST_VALUES {
                        return Err(self.fault(format!(
                            "the range {start}..={last} has more than {MOST_VALUES} values: \
                             use `step_by` or a list"
                        )));
                    }
                    out.extend((start..=last).map(Value::Int));
                }
            }
            Code::StepBy(parts) => {
                let [inner, step] = &**parts;
                let step = match step.eval(before, locals)? {
                    Value::Int(step) if step >= 1 => step,
                    other => {
                        let message = format!("a step is an integer of at least 1, not {other}");
                        return Err(step.fault(message));
                    }
                };
                match inner.range(before, locals)? {
                    Some((start, last)) => self.steps(start, last, step, out)?,
                    None => {
                        inner.values(before, locals, out)?;
                        let mut index = -1;
                        out.retain(|_| {
                            index += 1;
                            index % step == 0
                        });
                    }
                }
            }
            Code::PowersOfTwo(inner) => match inner.range(before, locals)? {
                Some((start, last)) => {
                    let powers = (0..63).map(|n| 1i64 << n);
                    let powers = powers.filter(|v| (start..=last).contains(v));
                    out.extend(powers.map(Value::Int));
                }
                None => {
                    inner.values(before, locals, out)?;
                    for value in &*out {
                        ops::is_power_of_two(*value)
                            .map_err(|error| self.fault(error.to_string()))?;
                    }
                    out.retain(|value| ops::is_power_of_two(*value) == Ok(Value::Bool(true)));
                }
            },
            Code::If(parts) => {
                let [condition, yes, no] = &**parts;
                match condition.truth(condition.eval(before, locals)?)? {
                    true => yes.values(before, locals, out)?,
                    false => no.values(before, locals, out)?,
                }
            }
            Code::Match(node, arms) => {
                let value = node.eval(before, locals)?;
                self.arm(arms, value, node)?.values(before, locals, out)?;
            }
            Code::Let(parts) => {
                let [bound, body] = &**parts;
                let value = bound.eval(before, locals)?;
                let outer = locals;
                body.values(before, Some(&Locals { value, outer }), out)?;
            }
            _ => out.push(self.eval(before, locals)?),
        }
        Ok(())
    }

    /// Appends every `step`-th value of a range, which may be few where the range itself has too many.
    fn steps(&self, start: i64, last: i64, step: i64, out: &mut Vec<Value>) -> Evaluated<()> {
        let count = count(start, last, step);
        if count > MOST_VALUES {
            return Err(self.fault(format!("it has more than {MOST_VALUES} values")));
        }
        let (start, step) = (i128::from(start), i128::from(step));
        out.extend((0..count).map(|n| Value::Int((start + n * step) as i64)));
        Ok(())
    }

    /// First and last value of a range that is not empty, without listing it.
    fn range(
        &self,
        before: &[Value],
        locals: Option<&Locals<'_>>,
    ) -> Evaluated<Option<(i64, i64)>> {
        let Code::Range(ends, inclusive) = &self.code else {
            return Ok(None);
        };
        let integer = |node: &Node| match node.eval(before, locals)? {
            Value::Int(v) => Ok(v),
            other => Err(node.fault(format!("the end of a range is an integer, not {other}"))),
        };
        let (start, end) = (integer(&ends[0])?, integer(&ends[1])?);
        let last = match inclusive {
            true => Some(end),
            false => end.checked_sub(1),
        };
        Ok(last.filter(|last| start <= *last).map(|last| (start, last)))
    }

    /// A list holds each value once, and values of one kind.
    fn check_list(&self, values: &[Value]) -> Evaluated<()> {
        let kind = |value: &Value| std::mem::discriminant(value);
        if let Some(odd) = values.iter().find(|v| kind(v) != kind(&values[0])) {
            return Err(self.fault(format!("{} and {odd} are of different types", values[0])));
        }
        let twice = if values.len() <= FEW {
            let repeated = |at: &usize| values[..*at].contains(&values[*at]);
            (0..values.len()).find(repeated)
        } else {
            let key = |at: usize| Key::of(values[at]);
            let order = order(values.len(), &|a, b| key(a).cmp(&key(b)));
            let pairs = order.windows(2).filter(|pair| key(pair[0]) == key(pair[1]));
            pairs.map(|pair| pair[1]).min()
        };
        match twice.map(|at| &values[at]) {
            Some(value) => Err(self.fault(format!("the value {value} stands in it twice"))),
            None => Ok(()),
        }
    }
}

/// How many values a range has when one takes every `step`-th. In i128, because the ends may be those of i64.
fn count(start: i64, last: i64, step: i64) -> i128 {
    (i128::from(last) - i128::from(start)) / i128::from(step) + 1
}
