//! What names stand for besides parameters.

use crate::bind::{Expression, SpaceError};
use crate::{Arithmetic, Element, Expr, ExprKind, Name, Problem, TunableSpec};
use bico_core::device::Facts;
use bico_core::{Lists, Map, Value};

/// Values of the names that are the same for every config.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// `const` items of the file.
    pub consts: Map<String, Value>,
    /// Those that are lists, which domains may name.
    pub lists: Map<String, Expr>,
    /// The problem's scalar arguments.
    pub sizes: Map<String, Value>,
    /// The `#[value]` arguments, which are no part of the problem.
    pub values: Map<String, Value>,
    /// The problem's compile-time constants.
    pub problem_consts: Map<String, Value>,
    /// Variants that cannot be built here: no config is of them.
    pub absent: Vec<Name>,
}

impl Scope {
    /// The scope of one problem: its sizes and constants evaluated, each seeing those before it.
    ///
    /// # Errors
    ///
    /// When one of the problem's expressions cannot be evaluated.
    pub fn new(
        spec: &TunableSpec,
        problem: &Problem,
        facts: &Facts,
        consts: &Map<String, Value>,
    ) -> Result<Scope, SpaceError> {
        let mut scope = Scope::default();
        scope.consts.clone_from(consts);
        let value = |expr: &Expr, scope: &Scope| {
            Expression::compile(expr, Arithmetic::Integer, &[], scope, facts)?.eval(&[])
        };
        // `alpha = 1` for an `alpha: f32` means 1.0.
        let typed = |name: &str, value| {
            let mut arguments = spec.arguments.iter();
            let of = arguments.find(|argument| argument.name.text == name);
            let element = of.and_then(|of| of.kind.by_value());
            match value {
                Value::Int(whole) if element.is_some_and(Element::is_float) => {
                    Value::Float(whole as f64)
                }
                value => value,
            }
        };
        for (Name { text, .. }, expr) in &problem.sizes {
            let value = typed(text, value(expr, &scope)?);
            scope.sizes.insert(text.clone(), value);
        }
        for (name, expr) in &problem.consts {
            let value = value(expr, &scope)?;
            scope.problem_consts.insert(name.text.clone(), value);
        }
        for (Name { text, .. }, expr) in &problem.values {
            let value = typed(text, value(expr, &scope)?);
            scope.values.insert(text.clone(), value);
        }
        Ok(scope)
    }

    /// The value of a name. What is nearer to the problem hides what is farther.
    pub fn get(&self, name: &str) -> Option<Value> {
        let maps = [
            &self.problem_consts,
            &self.sizes,
            &self.values,
            &self.consts,
        ];
        let mut maps = maps.into_iter();
        maps.find_map(|map| map.get(name).copied())
    }

    /// The first and the last number of a range, of which the latter may be smaller; `noun` is what messages call them.
    ///
    /// # Errors
    ///
    /// It is no range, or one of its ends cannot be evaluated or is no integer.
    pub fn ends(&self, range: &Expr, facts: &Facts, noun: &str) -> Result<[i64; 2], SpaceError> {
        let ExprKind::Range {
            start,
            end,
            inclusive,
        } = &range.kind
        else {
            return Err(SpaceError::new(range.span, "this is no range"));
        };
        let value = |expr: &Expr| {
            let compiled = Expression::compile(expr, Arithmetic::Integer, &[], self, facts)?;
            match compiled.eval(&[])? {
                Value::Int(value) => Ok(value),
                other => Err(SpaceError::new(expr.span, format!("{other} is no {noun}"))),
            }
        };
        let (first, last) = (value(start)?, value(end)?);
        Ok([first, last.saturating_sub(i64::from(!inclusive))])
    }

    /// Adds a problem size, for callers that have no [`Problem`] at hand.
    pub fn with_size(mut self, name: &str, value: Value) -> Scope {
        self.sizes.insert(name.into(), value);
        self
    }

    /// The sizes and constants for people: `m=1024, act="silu"`.
    pub fn describe(&self) -> String {
        let all = self.sizes.iter().chain(&self.problem_consts);
        let pairs: Vec<String> = all
            .map(|(name, value)| format!("{name}={value}"))
            .collect_vec();
        pairs.join(", ")
    }
}
