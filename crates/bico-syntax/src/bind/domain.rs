//! Where the values of a parameter come from, for given values of the parameters before it.

use crate::bind::compiler::Compiler;
use crate::bind::node::{Code, Node};
use crate::bind::{Expression, Scope, SpaceError};
use crate::{Arithmetic, Domain as Declared, Parameter};
use bico_core::Value;
use bico_core::device::Facts;

/// A parameter's domain, compiled.
#[derive(Debug, Clone)]
pub struct Domain {
    list: Expression,
    /// Its values, where they are the same for every config.
    fixed: Option<Vec<Value>>,
    derived: bool,
}

impl Domain {
    /// Compiles the domain of `parameter`, which may read `before`.
    pub fn compile(
        parameter: &Parameter,
        before: &[String],
        scope: &Scope,
        facts: &Facts,
    ) -> Result<Domain, SpaceError> {
        let (expr, listed, derived) = match &parameter.domain {
            Declared::In(expr) => (expr, &expr.listed(&scope.lists), false),
            Declared::Derived(expr) => (expr, expr, true),
        };
        let compiler = Compiler::new(Arithmetic::Integer, before, scope, facts);
        let name = parameter.name.text.as_str();
        let mut list = compiler.expression(listed, (!derived).then_some(name))?;
        if let Some(whole) = list.sites.last_mut() {
            // A list's own place is another part of the file.
            whole.span = expr.span;
        }
        if derived {
            list.node.code = Code::List(vec![list.node.clone()]);
        }
        let mut domain = Domain {
            list,
            fixed: None,
            derived,
        };
        if domain.list.depends.is_empty() {
            let mut values = Vec::new();
            domain.values(&[], &mut values)?;
            domain.fixed = Some(values);
        }
        Ok(domain)
    }

    /// Whether it was declared with `=`: exactly one value for each choice of those before it.
    pub fn is_derived(&self) -> bool {
        self.derived
    }

    /// Its compact form.
    pub fn node(&self) -> &Node {
        &self.list.node
    }

    /// Its values, where they are the same for every config.
    pub fn fixed(&self) -> Option<&[Value]> {
        self.fixed.as_deref()
    }

    /// Replaces `out` by the values for the given values of the parameters before it.
    pub fn values(&self, before: &[Value], out: &mut Vec<Value>) -> Result<(), SpaceError> {
        out.clear();
        if let Some(fixed) = &self.fixed {
            out.extend_from_slice(fixed);
            return Ok(());
        }
        let listed = self.list.node.values(before, None, out);
        self.list.told(listed, before)
    }
}
