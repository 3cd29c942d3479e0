//! Where the values of a parameter come from, for given values of the parameters before it.

use crate::compiler::Compiler;
use crate::fault::{Site, explain};
use crate::shape::{Shape, literal, shape};
use crate::{Scope, SpaceError};
use bico_core::Value;
use bico_core::device::Facts;
use bico_syntax::{Arithmetic, Domain as Declared, Expr, ExprKind, Parameter};

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
        let named;
        let declared = match &parameter.domain {
            // A list's own place is another part of the file.
            Declared::In(expr) if matches!(expr.kind, ExprKind::Name(_)) => {
                named = Expr {
                    kind: expr.listed(&scope.lists).kind.clone(),
                    span: expr.span,
                };
                &named
            }
            Declared::In(expr) | Declared::Derived(expr) => expr,
        };
        let is_derived = matches!(parameter.domain, Declared::Derived(_));
        // Most domains are a list of numbers: nothing in it is ever asked for its place.
        if !is_derived
            && let ExprKind::List(values) = &declared.kind
            && let Some(values) = values.iter().map(literal).collect::<Option<Vec<Value>>>()
            && let listed = Domain::listed(&values)
            && listed.shape.values(&[], None, &mut Vec::new()).is_ok()
        {
            return Ok(listed);
        }
        let mut compiler = Compiler::new(Arithmetic::Integer, before, scope, facts);
        let shape = if is_derived {
            let (node, site) = compiler.sited(declared, |compiler| compiler.node(declared))?;
            Shape::one(node, site)
        } else {
            shape(&mut compiler, declared, &parameter.name.text)?
        };
        let (sites, depends) = compiler.finish();
        let mut domain = Domain {
            shape,
            sites,
            fixed: None,
            derived: is_derived,
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
