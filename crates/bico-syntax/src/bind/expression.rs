//! Expressions compiled against a scope, and evaluated over the values of a config.
//!
//! Compiling resolves every name once: parameters become indices; `const`s of the file, problem
//! sizes and device facts become values, and what depends on nothing else is folded. What an
//! operation means is [`ops`]' business, which the code that the macro emits calls too.

use crate::bind::compiler::Compiler;
use crate::bind::fault::Site;
use crate::bind::node::{Evaluated, Node};
use crate::bind::{Scope, SpaceError};
use crate::{Arithmetic, Expr};
use bico_core::device::Facts;
use bico_core::{EvalError, Set, Value, ops};
use proc_macro2::Span;

/// An expression, ready to be evaluated for any number of configs.
#[derive(Debug, Clone)]
pub struct Expression {
    pub(crate) node: Node,
    /// The places of its parts, its own last: parts are compiled before what they are parts of.
    pub(crate) sites: Vec<Site>,
    /// Indices of the parameters that it reads, ascending.
    pub(crate) depends: Set<usize>,
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
        Compiler::new(arithmetic, parameters, scope, facts).expression(expr, None)
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
        self.told(self.node.eval(values, None), values)
    }

    /// What came of a part of it; a fault in the user's words.
    pub(crate) fn told<T>(&self, outcome: Evaluated<T>, values: &[Value]) -> Result<T, SpaceError> {
        outcome.map_err(|fault| self.sites[fault.site as usize].error(&fault.message, values))
    }

    /// The value as a truth value.
    ///
    /// # Errors
    ///
    /// It cannot be evaluated, or the value is not a `bool`.
    pub fn test(&self, values: &[Value]) -> Result<bool, SpaceError> {
        let truth = ops::truth(self.eval(values)?);
        truth.map_err(|error| self.failed(error, values))
    }

    /// The value as an integer that is not negative: a length, an extent.
    ///
    /// # Errors
    ///
    /// It cannot be evaluated, or the value is something else.
    pub fn count(&self, values: &[Value]) -> Result<u64, SpaceError> {
        let length = ops::length(self.eval(values)?);
        let length = length.map_err(|error| self.failed(error, values))?;
        Ok(length as u64)
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
            Err(error) => Err(self.failed(error, values)),
        }
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
        &self.whole().text
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.whole().span
    }

    /// An error about the whole expression at these values.
    pub fn error(&self, message: &str, values: &[Value]) -> SpaceError {
        self.whole().error(message, values)
    }

    fn failed(&self, error: EvalError, values: &[Value]) -> SpaceError {
        self.error(&error.to_string(), values)
    }

    fn whole(&self) -> &Site {
        &self.sites[self.sites.len() - 1]
    }
}
