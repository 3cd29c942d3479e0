//! From the attribute's expressions to the compact form: names resolved, constants folded.

use crate::fault::{Known, Site};
use crate::node::{CastTo, Code, Node, Test};
use crate::{Scope, SpaceError, intern};
use bico_core::Value;
use bico_core::device::Facts;
use bico_core::ops;
use bico_syntax::{Arithmetic, Arm, BinaryOp, Cast, Expr, ExprKind, Pattern};
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

    /// The sites, and the parameters that were read.
    pub(crate) fn finish(self) -> (Vec<Site>, Vec<usize>) {
        let mut depends: Vec<usize> = self
            .sites
            .iter()
            .flat_map(|site| &site.names)
            .chain(&self.names)
            .filter_map(|(_, known)| match known {
                Known::Slot(slot) => Some(*slot),
                Known::Value(_) => None,
            })
            .collect();
        depends.sort_unstable();
        depends.dedup();
        (self.sites, depends)
    }

    /// Compiles a part and records its place with the names it holds.
    pub(crate) fn sited<T>(
        &mut self,
        expr: &Expr,
        compile: impl FnOnce(&mut Self) -> Result<T, SpaceError>,
    ) -> Result<(T, u32), SpaceError> {
        let outer = std::mem::take(&mut self.names);
        let inner = compile(self)?;
        let names = std::mem::replace(&mut self.names, outer);
        for name in &names {
            self.note(name.clone());
        }
        self.sites.push(Site {
            text: expr.to_string(),
            span: expr.span,
            names,
        });
        Ok((inner, (self.sites.len() - 1) as u32))
    }

    fn note(&mut self, name: (String, Known)) {
        if !self.names.iter().any(|(known, _)| *known == name.0) {
            self.names.push(name);
        }
    }

    /// Compiles an expression that gives one value.
    pub(crate) fn node(&mut self, expr: &Expr) -> Result<Node, SpaceError> {
        let (code, site) = self.sited(expr, |compiler| compiler.code(expr))?;
        Ok(fold(Node { code, site }))
    }

    /// An operand: a number among them never fails by itself, and needs no place of its own.
    fn operand(&mut self, expr: &Expr) -> Result<Node, SpaceError> {
        match expr.kind {
            ExprKind::Int(v) => Ok(Node {
                code: self.value(Value::Int(v)),
                site: 0,
            }),
            _ => self.node(expr),
        }
    }

    fn boxed(&mut self, expr: &Expr) -> Result<Box<Node>, SpaceError> {
        self.node(expr).map(Box::new)
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
                let facts = self
                    .shared_facts
                    .get_or_insert_with(|| Arc::new(self.facts.clone()))
                    .clone();
                Code::Has(self.boxed(feature)?, facts)
            }
            ExprKind::Unary(op, a) => Code::Unary(*op, self.boxed(a)?),
            ExprKind::Binary(op, a, b) => {
                Code::Binary(*op, Box::new([self.operand(a)?, self.operand(b)?]))
            }
            ExprKind::If(condition, yes, no) => Code::If(Box::new([
                self.node(condition)?,
                self.node(yes)?,
                self.node(no)?,
            ])),
            ExprKind::Match(value, arms) => {
                Code::Match(self.boxed(value)?, self.arms(arms, Self::node)?)
            }
            ExprKind::Block(lets, body) => {
                let wrap = |value, inner: Node| Node {
                    site: inner.site,
                    code: Code::Let(Box::new([value, inner])),
                };
                self.block(lets, |compiler| compiler.node(body), wrap)?.code
            }
            ExprKind::Method(method, receiver, arguments) => {
                if arguments.len() != method.arity() {
                    let message =
                        format!("`{}` takes {} argument(s)", method.name(), method.arity());
                    return Err(SpaceError::new(expr.span, message));
                }
                let receiver = self.boxed(receiver)?;
                let argument = arguments
                    .first()
                    .map(|argument| self.boxed(argument))
                    .transpose()?;
                Code::Method(*method, receiver, argument)
            }
            ExprKind::Cast(a, cast) => {
                let to = match cast {
                    Cast::F64 => CastTo::F64,
                    Cast::I64 if self.real => CastTo::WholeF64,
                    Cast::I64 => CastTo::I64,
                };
                Code::Cast(self.boxed(a)?, to)
            }
            ExprKind::List(_)
            | ExprKind::Range { .. }
            | ExprKind::StepBy(..)
            | ExprKind::PowersOfTwo(_) => {
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
        if let Some(slot) = self
            .parameters
            .iter()
            .position(|parameter| parameter == name)
        {
            self.note((name.into(), Known::Slot(slot)));
            return Ok(if self.real {
                Code::RealSlot(slot)
            } else {
                Code::Slot(slot)
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

    /// Compiles the arms of a `match`, their values with `value`.
    pub(crate) fn arms<T>(
        &mut self,
        arms: &[Arm],
        value: impl Fn(&mut Self, &Expr) -> Result<T, SpaceError>,
    ) -> Result<Vec<(Vec<Test>, T)>, SpaceError> {
        let arms = arms.iter();
        arms.map(|arm| Ok((self.tests(&arm.patterns)?, value(self, &arm.value)?)))
            .collect()
    }

    /// Compiles what stands behind some `let`s, and wraps it in them.
    pub(crate) fn block<T>(
        &mut self,
        lets: &[(String, Expr)],
        body: impl FnOnce(&mut Self) -> Result<T, SpaceError>,
        wrap: impl Fn(Node, T) -> T,
    ) -> Result<T, SpaceError> {
        let mut bound = Vec::with_capacity(lets.len());
        for (name, value) in lets {
            bound.push(self.node(value)?);
            let site = self.sites.last();
            let sources = site.map(|site| site.names.clone()).unwrap_or_default();
            self.locals.push((name.clone(), sources));
        }
        let body = body(self)?;
        self.locals.truncate(self.locals.len() - bound.len());
        Ok(bound
            .into_iter()
            .rev()
            .fold(body, |body, value| wrap(value, body)))
    }

    fn tests(&mut self, patterns: &[Pattern]) -> Result<Vec<Test>, SpaceError> {
        let mut tests = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            tests.push(match pattern {
                Pattern::Any => Test::Any,
                Pattern::Literal(literal) => Test::Equal(self.literal(literal)?),
                Pattern::Range(low, high) => Test::Between(self.literal(low)?, self.literal(high)?),
            });
        }
        Ok(tests)
    }

    fn literal(&mut self, literal: &Expr) -> Result<Value, SpaceError> {
        self.node(literal)?.constant().ok_or_else(|| {
            SpaceError::new(
                literal.span,
                format!("`{literal}` is no pattern: write a literal"),
            )
        })
    }
}

/// Replaces what depends on nothing by its value. What fails stays: an `if` around it may keep it
/// from ever being evaluated.
fn fold(node: Node) -> Node {
    let site = node.site;
    let foldable = match &node.code {
        Code::Value(_) | Code::Slot(_) | Code::RealSlot(_) | Code::Local(_) | Code::Let(_) => false,
        Code::Has(a, _) | Code::Unary(_, a) | Code::Cast(a, _) => a.constant().is_some(),
        Code::Binary(op, sides) => match (sides[0].constant(), op) {
            (Some(Value::Bool(left)), BinaryOp::And | BinaryOp::Or) => {
                left == (*op == BinaryOp::Or) || sides[1].constant().is_some()
            }
            (left, _) => left.is_some() && sides[1].constant().is_some(),
        },
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
            if let Some(value) = value.constant() {
                for (tests, arm) in arms {
                    match node.matches(tests, value) {
                        Ok(true) => return arm.clone(),
                        Ok(false) => {}
                        Err(_) => break,
                    }
                }
            }
            false
        }
    };
    match foldable.then(|| node.eval(&[], None)) {
        Some(Ok(value)) => Node {
            code: Code::Value(value),
            site,
        },
        _ => node,
    }
}
