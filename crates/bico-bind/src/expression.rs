//! Expressions compiled against a scope, and evaluated over the values of a config.
//!
//! Compiling resolves every name once: parameters become indices; `const`s of the file, problem
//! sizes and device facts become values, and what depends on nothing else is folded. What an
//! operation means is [`ops`]' business, which the code that the macro emits calls too.

use crate::compiler::Compiler;
use crate::fault::{Site, explain, located};
use crate::node::Node;
use crate::{Scope, SpaceError};
use bico_core::Value;
use bico_core::device::Facts;
use bico_core::ops;
use bico_syntax::{Arithmetic, Expr};
use proc_macro2::Span;

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
        let (sites, _) = compiler.finish();
        let mut depends = Vec::new();
        node.slots(&mut depends);
        depends.sort_unstable();
        depends.dedup();
        Ok(Expression {
            node,
            sites,
            depends,
            text: expr.to_string(),
            span: expr.span,
        })
    }

    /// The value for one config. Allocates nothing unless it fails.
    ///
    /// # Panics
    ///
    /// When there are fewer values than [`Expression::depends`] asks for.
    ///
    /// # Errors
    ///
    /// Names the part that failed and the values it saw.
    pub fn eval(&self, values: &[Value]) -> Result<Value, SpaceError> {
        self.node
            .eval(values, None)
            .map_err(|fault| explain(*fault, &self.sites, values))
    }

    /// The value as a truth value.
    ///
    /// # Errors
    ///
    /// It cannot be evaluated, or the value is not a `bool`.
    pub fn test(&self, values: &[Value]) -> Result<bool, SpaceError> {
        ops::truth(self.eval(values)?).map_err(|error| self.error(&error.to_string(), values))
    }

    /// The value as an integer that is not negative: a length, an extent.
    ///
    /// # Errors
    ///
    /// It cannot be evaluated, or the value is something else.
    pub fn count(&self, values: &[Value]) -> Result<u64, SpaceError> {
        let length = ops::length(self.eval(values)?);
        length
            .map(|v| v as u64)
            .map_err(|error| self.error(&error.to_string(), values))
    }

    /// The value as a number that is not NaN.
    ///
    /// # Errors
    ///
    /// It cannot be evaluated, or the value is something else.
    pub fn number(&self, values: &[Value]) -> Result<f64, SpaceError> {
        match ops::number(self.eval(values)?) {
            Ok(number) if number.is_nan() => Err(self.error("it is not a number", values)),
            Ok(number) => Ok(number),
            Err(error) => Err(self.error(&error.to_string(), values)),
        }
    }

    /// The value, where it is the same for every config.
    pub fn constant(&self) -> Option<Value> {
        self.node.constant()
    }

    /// Indices of the parameters that it reads, ascending.
    pub fn depends(&self) -> &[usize] {
        &self.depends
    }

    /// Its compact form.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// What the user wrote, but for white space.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.span
    }

    /// An error about the whole expression at these values.
    pub fn error(&self, message: &str, values: &[Value]) -> SpaceError {
        // The whole expression is the last site: children are compiled before their parents.
        let names = self.sites.last().map_or(&[][..], |site| &site.names);
        SpaceError::new(self.span, located(&self.text, message, names, values))
    }
}
