//! The compact form of domains: what lists a parameter's values for each choice of those before it.

#![allow(missing_docs)] // for our own crates

use crate::SpaceError;
use crate::compiler::Compiler;
use crate::fault::Fault;
use crate::key::Key;
use crate::node::{Code, Evaluated, Locals, Node, Test};
use bico_core::Value;
use bico_core::ops;
use bico_syntax::{Expr, ExprKind};
use std::collections::HashSet;

/// Values that one domain may have.
const MOST_VALUES: i128 = 1_000_000;

/// Below this, comparing each with each is cheaper than hashing.
const FEW: usize = 16;

/// A domain, or a part of one, and where it stands.
#[derive(Debug, Clone)]
pub struct Shape {
    pub kind: ShapeKind,
    site: u32,
}

#[derive(Debug, Clone)]
pub enum ShapeKind {
    One(Node),
    List(Vec<Node>),
    Range {
        start: Node,
        end: Node,
        inclusive: bool,
    },
    StepBy(Box<Shape>, Node),
    PowersOfTwo(Box<Shape>),
    If(Node, Box<[Shape; 2]>),
    Match(Node, Vec<(Vec<Test>, Shape)>),
    Let(Node, Box<Shape>),
}

/// Compiles the domain of `parameter`.
pub(crate) fn shape(
    compiler: &mut Compiler<'_>,
    expr: &Expr,
    parameter: &str,
) -> Result<Shape, SpaceError> {
    let (kind, site) = compiler.sited(expr, |compiler| {
        Ok(match &expr.kind {
            ExprKind::List(values) => ShapeKind::List(
                values
                    .iter()
                    .map(|value| match literal(value) {
                        // Never fails, so it needs no place of its own.
                        Some(value) => Ok(Node {
                            code: Code::Value(value),
                            site: 0,
                        }),
                        None => compiler.node(value),
                    })
                    .collect::<Result<_, _>>()?,
            ),
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => ShapeKind::Range {
                start: compiler.node(start)?,
                end: compiler.node(end)?,
                inclusive: *inclusive,
            },
            ExprKind::StepBy(domain, step) => ShapeKind::StepBy(
                Box::new(shape(compiler, domain, parameter)?),
                compiler.node(step)?,
            ),
            ExprKind::PowersOfTwo(range) => {
                ShapeKind::PowersOfTwo(Box::new(shape(compiler, range, parameter)?))
            }
            ExprKind::If(condition, yes, no) => ShapeKind::If(
                compiler.node(condition)?,
                Box::new([
                    shape(compiler, yes, parameter)?,
                    shape(compiler, no, parameter)?,
                ]),
            ),
            ExprKind::Match(value, arms) => ShapeKind::Match(
                compiler.node(value)?,
                compiler.arms(arms, |compiler, arm| shape(compiler, arm, parameter))?,
            ),
            ExprKind::Block(lets, body) => {
                let body = |compiler: &mut Compiler<'_>| shape(compiler, body, parameter);
                let wrap = |value, inner: Shape| Shape {
                    site: inner.site,
                    kind: ShapeKind::Let(value, Box::new(inner)),
                };
                compiler.block(lets, body, wrap)?.kind
            }
            _ => {
                let message = format!(
                    "`{expr}` is one value, but the domain of `{parameter}` is a list: \
                     write `[{expr}]`, or `{parameter} = ..` for a derived parameter"
                );
                return Err(SpaceError::new(expr.span, message));
            }
        })
    })?;
    Ok(Shape { kind, site })
}

/// The value of a literal.
pub(crate) fn literal(expr: &Expr) -> Option<Value> {
    match expr.kind {
        ExprKind::Int(v) => Some(Value::Int(v)),
        ExprKind::Bool(v) => Some(Value::Bool(v)),
        _ => None,
    }
}

impl Shape {
    /// The list of these values.
    pub fn constant(values: &[Value]) -> Shape {
        let node = |value: &Value| Node {
            code: Code::Value(*value),
            site: 0,
        };
        Shape {
            kind: ShapeKind::List(values.iter().map(node).collect()),
            site: 0,
        }
    }

    /// The one value of a derived parameter.
    pub fn one(node: Node, site: u32) -> Shape {
        Shape {
            kind: ShapeKind::One(node),
            site,
        }
    }

    /// Appends the values.
    pub fn values(
        &self,
        before: &[Value],
        locals: Option<&Locals<'_>>,
        out: &mut Vec<Value>,
    ) -> Evaluated<()> {
        match &self.kind {
            ShapeKind::One(node) => out.push(node.eval(before, locals)?),
            ShapeKind::List(nodes) => {
                for node in nodes {
                    out.push(node.eval(before, locals)?);
                }
                self.check_list(out)?;
            }
            ShapeKind::Range { .. } => {
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
            ShapeKind::StepBy(inner, step) => {
                let step = match step.eval(before, locals)? {
                    Value::Int(step) if step >= 1 => step,
                    other => return Err(step_fault(step, other)),
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
            ShapeKind::PowersOfTwo(inner) => match inner.range(before, locals)? {
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
            ShapeKind::If(condition, sides) => {
                let yes = condition.truth(condition.eval(before, locals)?)?;
                sides[usize::from(!yes)].values(before, locals, out)?;
            }
            ShapeKind::Match(node, arms) => {
                let value = node.eval(before, locals)?;
                for (tests, arm) in arms {
                    if node.matches(tests, value)? {
                        return arm.values(before, locals, out);
                    }
                }
                return Err(self.fault(ops::no_arm(value).to_string()));
            }
            ShapeKind::Let(bound, body) => {
                let value = bound.eval(before, locals)?;
                let outer = locals;
                body.values(before, Some(&Locals { value, outer }), out)?;
            }
        }
        Ok(())
    }

    /// Appends every `step`-th value of a range, which may be few where the range itself has too many.
    fn steps(&self, start: i64, last: i64, step: i64, out: &mut Vec<Value>) -> Evaluated<()> {
        if count(start, last, step) > MOST_VALUES {
            return Err(self.fault(format!("it has more than {MOST_VALUES} values")));
        }
        let mut value = Some(start);
        while let Some(now) = value.filter(|now| *now <= last) {
            out.push(Value::Int(now));
            value = now.checked_add(step);
        }
        Ok(())
    }

    /// First and last value of a range that is not empty, without listing it.
    fn range(
        &self,
        before: &[Value],
        locals: Option<&Locals<'_>>,
    ) -> Evaluated<Option<(i64, i64)>> {
        let ShapeKind::Range {
            start,
            end,
            inclusive,
        } = &self.kind
        else {
            return Ok(None);
        };
        let start = integer(start, start.eval(before, locals)?)?;
        let end = integer(end, end.eval(before, locals)?)?;
        let last = if *inclusive {
            Some(end)
        } else {
            end.checked_sub(1)
        };
        Ok(last.filter(|last| start <= *last).map(|last| (start, last)))
    }

    /// A list holds each value once, and values of one kind.
    fn check_list(&self, values: &[Value]) -> Evaluated<()> {
        if let Some(odd) = values
            .iter()
            .find(|v| std::mem::discriminant(*v) != std::mem::discriminant(&values[0]))
        {
            return Err(self.fault(format!("{} and {odd} are of different types", values[0])));
        }
        let twice = if values.len() <= FEW {
            values
                .iter()
                .enumerate()
                .find(|(i, value)| values[..*i].contains(value))
                .map(|(_, value)| value)
        } else {
            let mut seen = HashSet::with_capacity(values.len());
            values.iter().find(|value| !seen.insert(Key::of(**value)))
        };
        match twice {
            Some(value) => Err(self.fault(format!("the value {value} stands in it twice"))),
            None => Ok(()),
        }
    }

    fn fault(&self, message: String) -> Box<Fault> {
        Box::new(Fault {
            site: self.site,
            message,
        })
    }
}

/// How many values a range has when one takes every `step`-th. In i128, because the ends may be those of i64.
fn count(start: i64, last: i64, step: i64) -> i128 {
    (i128::from(last) - i128::from(start)) / i128::from(step) + 1
}

fn integer(node: &Node, value: Value) -> Evaluated<i64> {
    match value {
        Value::Int(v) => Ok(v),
        other => Err(node.fault(format!("the end of a range is an integer, not {other}"))),
    }
}

fn step_fault(node: &Node, value: Value) -> Box<Fault> {
    node.fault(format!("a step is an integer of at least 1, not {value}"))
}
