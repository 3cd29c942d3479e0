//! From the attribute's expressions to the compact form: names resolved, constants folded.

use crate::bind::fault::{Known, Site};
use crate::bind::node::{CastTo, Code, Node, Test};
use crate::bind::{Expression, Scope, SpaceError, intern};
use crate::{Arithmetic, BinaryOp, Cast, Expr, ExprKind, Pattern};
use bico_core::device::Facts;
use bico_core::{Lists, Set, Value, ops};
use proc_macro2::Span;
use std::sync::Arc;

/// Turns expressions into nodes; shared by values and domains.
pub(crate) struct Compiler<'a> {
    real: bool,
    parameters: &'a [String],
    scope: &'a Scope,
    facts: &'a Facts,
    shared_facts: Option<Arc<Facts>>,
    sites: Vec<Site>,
    /// The `let`s in sight, innermost last, with the names that their values come from.
    locals: Vec<(String, Vec<(String, Known)>)>,
    /// Names met since the innermost site began.
    names: Vec<(String, Known)>,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(
        arithmetic: Arithmetic,
        parameters: &'a [String],
        scope: &'a Scope,
        facts: &'a Facts,
    ) -> Compiler<'a> {
        Compiler {
            real: arithmetic == Arithmetic::Real,
            parameters,
            scope,
            facts,
            shared_facts: None,
            sites: Vec::new(),
            locals: Vec::new(),
            names: Vec::new(),
        }
    }

    /// Compiles a whole expression: one value, or the list that is the domain of `parameter`.
    pub(crate) fn expression(
        mut self,
        expr: &Expr,
        parameter: Option<&str>,
    ) -> Result<Expression, SpaceError> {
        let node = self.part(expr, parameter)?;
        let mut depends = Set::default();
        node.slots(&mut depends);
        Ok(Expression {
            node,
            depends,
            sites: self.sites,
        })
    }

    /// Compiles a part and records its place with the names it holds: a list, where it is (part of) the domain of a
    /// `parameter`, else one value.
    fn part(&mut self, expr: &Expr, parameter: Option<&str>) -> Result<Node, SpaceError> {
        let outer = std::mem::take(&mut self.names);
        let code = self.branch(expr, parameter)?;
        let names = std::mem::replace(&mut self.names, outer);
        for name in &names {
            self.note(name.clone());
        }
        let site = self.sites.len() as u32;
        let (text, span) = (expr.to_string(), expr.span);
        self.sites.push(Site { text, span, names });
        let node = Node { code, site };
        Ok(match parameter {
            None => fold(node),
            Some(_) => node,
        })
    }

    fn note(&mut self, name: (String, Known)) {
        if !self.names.iter().any(|(known, _)| *known == name.0) {
            self.names.push(name);
        }
    }

    /// Compiles an expression that gives one value.
    fn node(&mut self, expr: &Expr) -> Result<Node, SpaceError> {
        self.part(expr, None)
    }

    /// An operand or an element: literals and names never fail by themselves, and need no place of their own.
    fn operand(&mut self, expr: &Expr) -> Result<Node, SpaceError> {
        match expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Name(_) => {
                let (code, site) = (self.code(expr)?, 0);
                Ok(Node { code, site })
            }
            _ => self.node(expr),
        }
    }

    fn boxed(&mut self, expr: &Expr) -> Result<Box<Node>, SpaceError> {
        self.operand(expr).map(Box::new)
    }

    /// What values and lists have in common.
    fn branch(&mut self, expr: &Expr, parameter: Option<&str>) -> Result<Code, SpaceError> {
        Ok(match &expr.kind {
            ExprKind::If(condition, yes, no) => Code::If(Box::new([
                self.node(condition)?,
                self.part(yes, parameter)?,
                self.part(no, parameter)?,
            ])),
            ExprKind::Match(value, arms) => {
                let value = self.boxed(value)?;
                let arms = arms.iter().map(|arm| {
                    let tests = self.tests(&arm.patterns)?;
                    Ok((tests, self.part(&arm.value, parameter)?))
                });
                Code::Match(value, arms.try_collect_vec()?)
            }
            ExprKind::Block(lets, body) => {
                let mut bound = Vec::with_capacity(lets.len());
                for (name, value) in lets {
                    bound.push(self.node(value)?);
                    let site = self.sites.last();
                    let sources = site.map(|site| site.names.clone()).unwrap_or_default();
                    self.locals.push((name.clone(), sources));
                }
                let mut body = self.part(body, parameter)?;
                self.locals.truncate(self.locals.len() - bound.len());
                for value in bound.into_iter().rev() {
                    let site = body.site;
                    let code = Code::Let(Box::new([value, body]));
                    body = Node { code, site };
                }
                body.code
            }
            _ => match parameter {
                None => self.code(expr)?,
                Some(parameter) => self.list(expr, parameter)?,
            },
        })
    }

    fn list(&mut self, expr: &Expr, parameter: &str) -> Result<Code, SpaceError> {
        Ok(match &expr.kind {
            ExprKind::List(values) => {
                let values = values.iter().map(|value| self.operand(value));
                Code::List(values.try_collect_vec()?)
            }
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => Code::Range(Box::new([self.node(start)?, self.node(end)?]), *inclusive),
            ExprKind::StepBy(list, step) => Code::StepBy(Box::new([
                self.part(list, Some(parameter))?,
                self.node(step)?,
            ])),
            ExprKind::PowersOfTwo(range) => {
                Code::PowersOfTwo(Box::new(self.part(range, Some(parameter))?))
            }
            _ => {
                let message = format!(
                    "`{expr}` is one value, but the domain of `{parameter}` is a list: \
                     write `[{expr}]`, or `{parameter} = ..` for a derived parameter"
                );
                return Err(SpaceError::new(expr.span, message));
            }
        })
    }

    fn code(&mut self, expr: &Expr) -> Result<Code, SpaceError> {
        Ok(match &expr.kind {
            ExprKind::Int(v) => self.value(Value::Int(*v)),
            ExprKind::Float(v) => Code::Value(Value::Float(*v)),
            ExprKind::Bool(v) => Code::Value(Value::Bool(*v)),
            ExprKind::Str(v) => Code::Value(Value::Str(intern(v))),
            ExprKind::Name(name) => self.name(name, expr.span)?,
            ExprKind::Device(field) => {
                let value = self.facts.field(field).ok_or_else(|| {
                    let message = format!("`device` has no field `{field}` on this kind of device");
                    SpaceError::new(expr.span, message)
                })?;
                self.note((format!("device.{field}"), Known::Value(value)));
                self.value(value)
            }
            ExprKind::DeviceHas(feature) => {
                let shared = &mut self.shared_facts;
                let facts = shared.get_or_insert_with(|| Arc::new(self.facts.clone()));
                let facts = Arc::clone(facts);
                Code::Has(self.boxed(feature)?, facts)
            }
            ExprKind::Unary(op, a) => Code::Unary(*op, self.boxed(a)?),
            ExprKind::Binary(op, a, b) => {
                Code::Binary(*op, Box::new([self.operand(a)?, self.operand(b)?]))
            }
            ExprKind::Method(method, receiver, arguments) => {
                let (name, arity) = (method.name(), method.arity());
                if arguments.len() != arity {
                    let message = format!("`{name}` takes {arity} argument(s)");
                    return Err(SpaceError::new(expr.span, message));
                }
                let receiver = self.boxed(receiver)?;
                let argument = arguments.first().map(|argument| self.boxed(argument));
                Code::Method(*method, receiver, argument.transpose()?)
            }
            ExprKind::Cast(a, cast) => {
                let to = match cast {
                    Cast::F64 => CastTo::F64,
                    Cast::I64 if self.real => CastTo::WholeF64,
                    Cast::I64 => CastTo::I64,
                };
                Code::Cast(self.boxed(a)?, to)
            }
            _ => {
                let message = format!("`{expr}` is a list, but one value is wanted here");
                return Err(SpaceError::new(expr.span, message));
            }
        })
    }

    fn value(&self, value: Value) -> Code {
        Code::Value(if self.real { ops::real(value) } else { value })
    }

    fn name(&mut self, name: &str, span: Span) -> Result<Code, SpaceError> {
        if let Some(at) = self.locals.iter().rposition(|(local, _)| local == name) {
            for source in self.locals[at].1.clone() {
                self.note(source);
            }
            return Ok(Code::Local(self.locals.len() - 1 - at));
        }
        if let Some(slot) = self.parameters.iter().position(|known| known == name) {
            self.note((name.into(), Known::Slot(slot)));
            return Ok(match self.real {
                true => Code::RealSlot(slot),
                false => Code::Slot(slot),
            });
        }
        let Some(value) = self.scope.get(name) else {
            let message = format!(
                "`{name}` is no parameter declared before, no size of the problem \
                 and no `const` of the file"
            );
            return Err(SpaceError::new(span, message));
        };
        self.note((name.into(), Known::Value(value)));
        Ok(self.value(value))
    }

    fn tests(&mut self, patterns: &[Pattern]) -> Result<Vec<Test>, SpaceError> {
        let tests = patterns.iter().map(|pattern| {
            Ok(match pattern {
                Pattern::Any => Test::Any,
                Pattern::Literal(literal) => Test::Equal(self.literal(literal)?),
                Pattern::Range(low, high) => Test::Between(self.literal(low)?, self.literal(high)?),
            })
        });
        tests.try_collect_vec()
    }

    fn literal(&mut self, literal: &Expr) -> Result<Value, SpaceError> {
        let value = self.node(literal)?.constant();
        value.ok_or_else(|| {
            let message = format!("`{literal}` is no pattern: write a literal");
            SpaceError::new(literal.span, message)
        })
    }
}

/// Replaces what depends on nothing by its value. What fails stays: an `if` around it may keep it
/// from ever being evaluated.
fn fold(mut node: Node) -> Node {
    let foldable = match &node.code {
        Code::Has(a, _) | Code::Unary(_, a) | Code::Cast(a, _) => a.constant().is_some(),
        Code::Binary(op, sides) => {
            let decided = match (sides[0].constant(), op) {
                (Some(Value::Bool(left)), BinaryOp::And) => !left,
                (Some(Value::Bool(left)), BinaryOp::Or) => left,
                _ => false,
            };
            decided || sides.iter().all(|side| side.constant().is_some())
        }
        Code::Method(_, a, b) => {
            a.constant().is_some() && b.as_ref().is_none_or(|b| b.constant().is_some())
        }
        Code::If(parts) => {
            if let Some(Value::Bool(condition)) = parts[0].constant() {
                let [_, yes, no] = &**parts;
                return if condition { yes.clone() } else { no.clone() };
            }
            false
        }
        Code::Match(value, arms) => {
            if let Some(value) = value.constant()
                && let Ok(arm) = node.arm(arms, value, &node)
            {
                return arm.clone();
            }
            false
        }
        _ => false,
    };
    if foldable && let Ok(value) = node.eval(&[], None) {
        node.code = Code::Value(value);
    }
    node
}
