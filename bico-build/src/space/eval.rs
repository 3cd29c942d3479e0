//! Expressions compiled against a scope, and evaluated over the values of a config.
//!
//! Compiling resolves every name once: parameters become indices; `const`s of the file, problem
//! sizes and device facts become values, and what depends on nothing else is folded. What an
//! operation means is [`ops`]' business, which the code that the macro emits calls too.

use super::{Scope, SpaceError, intern};
use bico::Value;
use bico::__private::{EvalError, ops};
use bico::device::Facts;
use bico_syntax::{Arithmetic, BinaryOp, Cast, Expr, ExprKind, Method, Pattern, UnaryOp};
use proc_macro2::Span;
use std::fmt::Write;
use std::sync::Arc;

/// An expression, ready to be evaluated for any number of configs.
#[derive(Debug, Clone)]
pub struct Expression {
    node: Node,
    sites: Vec<Site>,
    /// Indices of the parameters that it reads, ascending.
    depends: Vec<usize>,
    text: String,
    span: Span,
}

impl Expression {
    /// Compiles `expr`. `parameters` are the names that become indices into the values.
    ///
    /// # Errors
    ///
    /// A name or device field that nobody knows, or a list where a value is wanted. What fails
    /// only when it is evaluated (a division by zero behind an `if`) is no error yet.
    pub fn compile(
        expr: &Expr,
        arithmetic: Arithmetic,
        parameters: &[String],
        scope: &Scope,
        facts: &Facts,
    ) -> Result<Expression, SpaceError> {
        let mut compiler = Compiler::new(arithmetic, parameters, scope, facts);
        let node = compiler.node(expr)?;
        let (sites, depends) = compiler.finish();
        Ok(Expression { node, sites, depends, text: expr.to_string(), span: expr.span })
    }

    /// The value for one config. Allocates nothing unless it fails.
    ///
    /// # Errors
    ///
    /// Names the part that failed and the values it saw.
    pub fn eval(&self, values: &[Value]) -> Result<Value, SpaceError> {
        self.node.eval(values, None).map_err(|fault| explain(*fault, &self.sites, values))
    }

    /// The value as a truth value.
    ///
    /// # Errors
    ///
    /// As [`Expression::eval`], and when the value is not a `bool`.
    pub fn test(&self, values: &[Value]) -> Result<bool, SpaceError> {
        ops::truth(self.eval(values)?).map_err(|error| self.error(&error.to_string(), values))
    }

    /// The value as an integer that is not negative: a length, an extent.
    ///
    /// # Errors
    ///
    /// As [`Expression::eval`], and when the value is something else.
    pub fn count(&self, values: &[Value]) -> Result<u64, SpaceError> {
        let length = ops::length(self.eval(values)?);
        length.map(|v| v as u64).map_err(|error| self.error(&error.to_string(), values))
    }

    /// The value as a number that is not NaN.
    ///
    /// # Errors
    ///
    /// As [`Expression::eval`], and when the value is something else.
    pub fn number(&self, values: &[Value]) -> Result<f64, SpaceError> {
        match ops::number(self.eval(values)?) {
            Ok(number) if number.is_nan() => Err(self.error("it is not a number", values)),
            Ok(number) => Ok(number),
            Err(error) => Err(self.error(&error.to_string(), values)),
        }
    }

    /// The value, where it is the same for every config.
    pub fn constant(&self) -> Option<Value> {
        match self.node.code {
            Code::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Indices of the parameters that it reads, ascending.
    pub fn depends(&self) -> &[usize] {
        &self.depends
    }

    /// As the user wrote it, but for white space.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.span
    }

    /// An error about the whole expression at these values.
    pub(crate) fn error(&self, message: &str, values: &[Value]) -> SpaceError {
        // The whole expression is the last site: children are compiled before their parents.
        let names = self.sites.last().map_or(&[][..], |site| &site.names);
        SpaceError::new(self.span, located(&self.text, message, names, values))
    }
}

/// A part of an expression, kept for messages.
#[derive(Debug, Clone)]
pub(super) struct Site {
    text: String,
    span: Span,
    names: Vec<(String, Known)>,
}

/// Where the value of a name comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Known {
    Slot(usize),
    Value(Value),
}

/// What went wrong, and at which [`Site`]. Holds no span, so that it may cross threads.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) site: u32,
    pub(super) message: String,
}

/// A fault in the user's words.
pub(super) fn explain(fault: Fault, sites: &[Site], values: &[Value]) -> SpaceError {
    let site = &sites[fault.site as usize];
    SpaceError::new(site.span, located(&site.text, &fault.message, &site.names, values))
}

fn located(text: &str, message: &str, names: &[(String, Known)], values: &[Value]) -> String {
    let mut out = format!("in `{text}`: {message}");
    let mut separator = " (";
    for (name, known) in names {
        let value = match known {
            Known::Slot(slot) => values.get(*slot).copied(),
            Known::Value(value) => Some(*value),
        };
        if let Some(value) = value {
            _ = write!(out, "{separator}{name} = {value}");
            separator = ", ";
        }
    }
    if separator == ", " {
        out.push(')');
    }
    out
}

/// One operation, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Node {
    code: Code,
    site: u32,
}

#[derive(Debug, Clone)]
enum Code {
    Value(Value),
    Slot(usize),
    /// A parameter in real arithmetic.
    RealSlot(usize),
    /// A `let`, counted from the innermost.
    Local(usize),
    Has(Box<Node>, Arc<Facts>),
    Unary(UnaryOp, Box<Node>),
    Binary(BinaryOp, Box<[Node; 2]>),
    If(Box<[Node; 3]>),
    Match(Box<Node>, Vec<(Vec<Test>, Node)>),
    Let(Box<[Node; 2]>),
    Method(Method, Box<Node>, Option<Box<Node>>),
    Cast(Box<Node>, CastTo),
}

#[derive(Debug, Clone, Copy)]
enum CastTo {
    F64,
    I64,
    /// `as i64` in real arithmetic: truncated, and a leaf like any other.
    WholeF64,
}

/// A pattern of a `match`.
#[derive(Debug, Clone)]
pub(super) enum Test {
    Equal(Value),
    Between(Value, Value),
    Any,
}

/// The `let`s around a node, innermost first.
#[derive(Clone, Copy)]
pub(super) struct Locals<'a> {
    pub(super) value: Value,
    pub(super) outer: Option<&'a Locals<'a>>,
}

pub(super) type Evaluated<T> = Result<T, Box<Fault>>;

impl Node {
    pub(super) fn eval(&self, values: &[Value], locals: Option<&Locals<'_>>) -> Evaluated<Value> {
        let result = match &self.code {
            Code::Value(value) => return Ok(*value),
            Code::Slot(slot) => return Ok(values[*slot]),
            Code::RealSlot(slot) => return Ok(ops::real(values[*slot])),
            Code::Local(depth) => {
                let mut frame = locals;
                for _ in 0..*depth {
                    frame = frame.and_then(|f| f.outer);
                }
                return frame.map(|f| f.value).ok_or_else(|| self.fault("a `let` is not known here"));
            }
            Code::Binary(op @ (BinaryOp::And | BinaryOp::Or), sides) => {
                let left = self.truth(sides[0].eval(values, locals)?)?;
                if left == (*op == BinaryOp::Or) {
                    return Ok(Value::Bool(left));
                }
                return self.truth(sides[1].eval(values, locals)?).map(Value::Bool);
            }
            Code::Binary(op, sides) => {
                let a = sides[0].eval(values, locals)?;
                let b = sides[1].eval(values, locals)?;
                binary(*op, a, b)
            }
            Code::Unary(op, a) => {
                let a = a.eval(values, locals)?;
                match op {
                    UnaryOp::Neg => ops::neg(a),
                    UnaryOp::Not => ops::not(a),
                }
            }
            Code::If(parts) => {
                let [condition, yes, no] = &**parts;
                let chosen = if self.truth(condition.eval(values, locals)?)? { yes } else { no };
                return chosen.eval(values, locals);
            }
            Code::Match(value, arms) => {
                let value = value.eval(values, locals)?;
                for (tests, arm) in arms {
                    if self.matches(tests, value)? {
                        return arm.eval(values, locals);
                    }
                }
                Err(ops::no_arm(value))
            }
            Code::Let(parts) => {
                let [bound, body] = &**parts;
                let value = bound.eval(values, locals)?;
                return body.eval(values, Some(&Locals { value, outer: locals }));
            }
            Code::Method(method, receiver, argument) => {
                let a = receiver.eval(values, locals)?;
                match argument {
                    Some(b) => method2(*method, a, b.eval(values, locals)?),
                    None => method1(*method, a),
                }
            }
            Code::Cast(a, cast) => {
                let a = a.eval(values, locals)?;
                match cast {
                    CastTo::F64 => ops::as_f64(a),
                    CastTo::I64 => ops::as_i64(a),
                    CastTo::WholeF64 => ops::as_i64(a).map(ops::real),
                }
            }
            Code::Has(feature, facts) => ops::has(facts, feature.eval(values, locals)?),
        };
        result.map_err(|error| self.fault(error.to_string()))
    }

    pub(super) fn truth(&self, value: Value) -> Evaluated<bool> {
        ops::truth(value).map_err(|error| self.fault(error.to_string()))
    }

    /// Whether one of the alternatives of an arm fits.
    pub(super) fn matches(&self, tests: &[Test], value: Value) -> Evaluated<bool> {
        for test in tests {
            let fits = match test {
                Test::Any => true,
                Test::Equal(wanted) => self.compare(ops::eq(value, *wanted))?,
                Test::Between(low, high) => {
                    self.compare(ops::ge(value, *low))? && self.compare(ops::le(value, *high))?
                }
            };
            if fits {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn compare(&self, result: Result<Value, EvalError>) -> Evaluated<bool> {
        result.and_then(ops::truth).map_err(|error| self.fault(error.to_string()))
    }

    pub(super) fn fault(&self, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { site: self.site, message: message.into() })
    }

    pub(super) fn constant(&self) -> Option<Value> {
        match self.code {
            Code::Value(value) => Some(value),
            _ => None,
        }
    }
}

fn binary(op: BinaryOp, a: Value, b: Value) -> Result<Value, EvalError> {
    match op {
        BinaryOp::Add => ops::add(a, b),
        BinaryOp::Sub => ops::sub(a, b),
        BinaryOp::Mul => ops::mul(a, b),
        BinaryOp::Div => ops::div(a, b),
        BinaryOp::Rem => ops::rem(a, b),
        BinaryOp::Eq => ops::eq(a, b),
        BinaryOp::Ne => ops::ne(a, b),
        BinaryOp::Lt => ops::lt(a, b),
        BinaryOp::Le => ops::le(a, b),
        BinaryOp::Gt => ops::gt(a, b),
        BinaryOp::Ge => ops::ge(a, b),
        BinaryOp::And => Ok(Value::Bool(ops::truth(a)? && ops::truth(b)?)),
        BinaryOp::Or => Ok(Value::Bool(ops::truth(a)? || ops::truth(b)?)),
    }
}

fn method1(method: Method, a: Value) -> Result<Value, EvalError> {
    match method {
        Method::Abs => ops::abs(a),
        Method::IsPowerOfTwo => ops::is_power_of_two(a),
        Method::Ilog2 => ops::ilog2(a),
        Method::NextPowerOfTwo => ops::next_power_of_two(a),
        // The compiler checks the number of arguments.
        Method::Min | Method::Max | Method::Pow | Method::DivCeil | Method::IsMultipleOf => Ok(a),
    }
}

fn method2(method: Method, a: Value, b: Value) -> Result<Value, EvalError> {
    match method {
        Method::Min => ops::min(a, b),
        Method::Max => ops::max(a, b),
        Method::Pow => ops::pow(a, b),
        Method::DivCeil => ops::div_ceil(a, b),
        Method::IsMultipleOf => ops::is_multiple_of(a, b),
        Method::Abs | Method::IsPowerOfTwo | Method::Ilog2 | Method::NextPowerOfTwo => method1(method, a),
    }
}

/// Turns expressions into nodes; shared by values and domains.
pub(super) struct Compiler<'a> {
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
    pub(super) fn new(
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
    pub(super) fn finish(self) -> (Vec<Site>, Vec<usize>) {
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
    pub(super) fn sited<T>(
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
        self.sites.push(Site { text: expr.to_string(), span: expr.span, names });
        Ok((inner, (self.sites.len() - 1) as u32))
    }

    fn note(&mut self, name: (String, Known)) {
        if !self.names.iter().any(|(known, _)| *known == name.0) {
            self.names.push(name);
        }
    }

    /// Compiles an expression that gives one value.
    pub(super) fn node(&mut self, expr: &Expr) -> Result<Node, SpaceError> {
        let (code, site) = self.sited(expr, |compiler| compiler.code(expr))?;
        Ok(fold(Node { code, site }))
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
                let Some(value) = self.facts.field(field) else {
                    return Err(SpaceError::new(expr.span, format!("`device` has no field `{field}` on this kind of device")));
                };
                self.note((format!("device.{field}"), Known::Value(value)));
                self.value(value)
            }
            ExprKind::DeviceHas(feature) => {
                let facts = self.shared_facts.get_or_insert_with(|| Arc::new(self.facts.clone())).clone();
                Code::Has(self.boxed(feature)?, facts)
            }
            ExprKind::Unary(op, a) => Code::Unary(*op, self.boxed(a)?),
            ExprKind::Binary(op, a, b) => Code::Binary(*op, Box::new([self.node(a)?, self.node(b)?])),
            ExprKind::If(condition, yes, no) => {
                Code::If(Box::new([self.node(condition)?, self.node(yes)?, self.node(no)?]))
            }
            ExprKind::Match(value, arms) => {
                let value = self.boxed(value)?;
                let mut compiled = Vec::with_capacity(arms.len());
                for arm in arms {
                    compiled.push((self.tests(&arm.patterns)?, self.node(&arm.value)?));
                }
                Code::Match(value, compiled)
            }
            ExprKind::Block(lets, body) => {
                let mut bound = Vec::with_capacity(lets.len());
                for (name, value) in lets {
                    bound.push(self.bind(name, value)?);
                }
                let mut node = self.node(body)?;
                for value in bound.into_iter().rev() {
                    self.unbind();
                    let site = node.site;
                    node = Node { code: Code::Let(Box::new([value, node])), site };
                }
                node.code
            }
            ExprKind::Method(method, receiver, arguments) => {
                if arguments.len() != method.arity() {
                    let message = format!("`{}` takes {} argument(s)", method.name(), method.arity());
                    return Err(SpaceError::new(expr.span, message));
                }
                let receiver = self.boxed(receiver)?;
                let argument = arguments.first().map(|argument| self.boxed(argument)).transpose()?;
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
            ExprKind::List(_) | ExprKind::Range { .. } | ExprKind::StepBy(..) | ExprKind::PowersOfTwo(_) => {
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
        if let Some(slot) = self.parameters.iter().position(|parameter| parameter == name) {
            self.note((name.into(), Known::Slot(slot)));
            return Ok(if self.real { Code::RealSlot(slot) } else { Code::Slot(slot) });
        }
        let Some(value) = self.scope.get(name) else {
            let message = format!("`{name}` is no parameter declared before, no size of the problem and no `const` of the file");
            return Err(SpaceError::new(span, message));
        };
        self.note((name.into(), Known::Value(value)));
        Ok(self.value(value))
    }

    /// Compiles the value of a `let` and brings its name into sight.
    pub(super) fn bind(&mut self, name: &str, value: &Expr) -> Result<Node, SpaceError> {
        let node = self.node(value)?;
        let sources = self.sites.last().map(|site| site.names.clone()).unwrap_or_default();
        self.locals.push((name.into(), sources));
        Ok(node)
    }

    /// Takes the innermost `let` out of sight.
    pub(super) fn unbind(&mut self) {
        self.locals.pop();
    }

    pub(super) fn tests(&mut self, patterns: &[Pattern]) -> Result<Vec<Test>, SpaceError> {
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
            SpaceError::new(literal.span, format!("`{literal}` is no pattern: write a literal"))
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
        Code::Method(_, a, b) => a.constant().is_some() && b.as_ref().is_none_or(|b| b.constant().is_some()),
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
        Some(Ok(value)) => Node { code: Code::Value(value), site },
        _ => node,
    }
}
