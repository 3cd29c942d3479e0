//! Where the values of a parameter come from, for given values of the parameters before it.

use crate::compiler::Compiler;
use crate::fault::{Site, explain};
use crate::shape::{Shape, literal, shape};
use crate::{Scope, SpaceError};
use bico_core::Value;
use bico_core::device::Facts;
use bico_syntax::{Arithmetic, Domain as Declared, ExprKind, Parameter};

/// A parameter's domain, compiled.
#[derive(Debug, Clone)]
pub struct Domain {
    shape: Shape,
    sites: Vec<Site>,
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
        // Most domains are a list of numbers: nothing in it is ever asked for its place.
        if let Declared::In(expr) = &parameter.domain
            && let ExprKind::List(values) = &expr.kind
            && let Some(values) = values.iter().map(literal).collect::<Option<Vec<Value>>>()
            && let listed = Domain::listed(&values)
            && listed.shape.values(&[], None, &mut Vec::new()).is_ok()
        {
            return Ok(listed);
        }
        let mut compiler = Compiler::new(Arithmetic::Integer, before, scope, facts);
        let (shape, derived) = match &parameter.domain {
            Declared::In(expr) => (shape(&mut compiler, expr, &parameter.name.text)?, false),
            Declared::Derived(expr) => {
                let (node, site) = compiler.sited(expr, |compiler| compiler.node(expr))?;
                (Shape::one(node, site), true)
            }
        };
        let (sites, depends) = compiler.finish();
        let mut domain = Domain {
            shape,
            sites,
            fixed: None,
            derived,
        };
        if depends.is_empty() {
            let mut values = Vec::new();
            domain.values(&[], &mut values)?;
            domain.fixed = Some(values);
        }
        Ok(domain)
    }

    /// The domain of these values, which all differ.
    pub fn listed(values: &[Value]) -> Domain {
        Domain {
            shape: Shape::constant(values),
            sites: Vec::new(),
            fixed: Some(values.to_vec()),
            derived: false,
        }
    }

    /// Whether it was declared with `=`: exactly one value for each choice of those before it.
    pub fn is_derived(&self) -> bool {
        self.derived
    }

    /// Its compact form.
    pub fn shape(&self) -> &Shape {
        &self.shape
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
        self.shape
            .values(before, None, out)
            .map_err(|fault| explain(*fault, &self.sites, before))
    }
}
