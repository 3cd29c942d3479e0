//! The rules of a space: its parameters' domains and the conditions, without the configs that follow from them.

use crate::bind::domain::Domain;
use crate::bind::launch::limits;
use crate::bind::{Expression, Scope, SpaceError};
use crate::{Arithmetic, DefaultConfig, Expr, TensorMap, TunableSpec, other_than};
use bico_core::device::Facts;
use bico_core::{Lists, Value};

/// How many values of a domain a message lists.
const LISTED: usize = 12;

/// How many partial configs [`Rules::first`] looks at.
const MOST_VISITS: u64 = 20_000_000;

/// Says of single configs whether they belong to a space, without enumerating it: a lock is checked
/// at every build.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The parameters, in declaration order.
    pub names: Vec<String>,
    /// The domain of each.
    pub domains: Vec<Domain>,
    /// What `require` says, in its order, then which variants can be built here, and what a GPU can launch.
    pub conditions: Vec<Expression>,
    /// Which conditions become known at each depth.
    pub tests: Vec<Vec<usize>>,
}

impl Rules {
    /// Compiles domains and conditions.
    ///
    /// # Errors
    ///
    /// A name or device field that nobody knows.
    pub fn new(spec: &TunableSpec, facts: &Facts, scope: &Scope) -> Result<Rules, SpaceError> {
        let parameters = spec.parameters.iter();
        let names: Vec<String> = parameters.map(|p| p.name.text.clone()).collect_vec();
        let mut domains = Vec::with_capacity(names.len());
        for (depth, parameter) in spec.parameters.iter().enumerate() {
            domains.push(Domain::compile(parameter, &names[..depth], scope, facts)?);
        }
        let mut rules = Rules {
            tests: vec![Vec::new(); names.len()],
            conditions: Vec::new(),
            names,
            domains,
        };
        let mut own: Vec<Expr> = scope.absent.iter().map(other_than).collect_vec();
        for kernel in spec
            .kernels
            .iter()
            .filter(|_| matches!(facts, Facts::Cuda(_)))
        {
            let limits = kernel.launches().flat_map(limits);
            let limits = limits.chain(kernel.tensors().flat_map(TensorMap::limits));
            own.extend(limits.map(|limit| kernel.guard(limit)));
        }
        for test in spec.require.iter().chain(&own) {
            let arithmetic = Arithmetic::Integer;
            let condition = Expression::compile(test, arithmetic, &rules.names, scope, facts)?;
            if let Some(depth) = condition.depends().last() {
                rules.tests[*depth].push(rules.conditions.len());
            }
            rules.conditions.push(condition);
        }
        Ok(rules)
    }

    /// Whether the conditions hold for a config, whose values may lie outside of the domains.
    ///
    /// # Errors
    ///
    /// A condition that cannot be evaluated.
    pub fn allow(&self, values: &[Value]) -> Result<bool, SpaceError> {
        for condition in &self.conditions {
            if !condition.test(values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A config with other values in some places; what is derived, and is none of them, follows from the new ones.
    ///
    /// # Errors
    ///
    /// A derived parameter that cannot be evaluated.
    pub fn with(
        &self,
        values: &[Value],
        others: &[(usize, Value)],
    ) -> Result<Vec<Value>, SpaceError> {
        let (mut chosen, mut listed) = (Vec::new(), Vec::new());
        for (depth, (value, domain)) in values.iter().zip(&self.domains).enumerate() {
            let other = others.iter().find(|(at, _)| *at == depth);
            let value = match other {
                Some((_, other)) => *other,
                None if domain.is_derived() => {
                    domain.values(&chosen, &mut listed)?;
                    listed.first().copied().unwrap_or(*value)
                }
                None => *value,
            };
            chosen.push(value);
        }
        Ok(chosen)
    }

    /// The config of these values; what is derived, or has one value only, need not be among them.
    ///
    /// # Errors
    ///
    /// A domain that cannot be evaluated, or, at `place`, a parameter without a value.
    pub fn config(
        &self,
        values: &[(usize, Value)],
        place: proc_macro2::Span,
    ) -> Result<Vec<Value>, SpaceError> {
        let (mut chosen, mut listed) = (Vec::new(), Vec::new());
        for (depth, domain) in self.domains.iter().enumerate() {
            let given = values.iter().find(|(at, _)| *at == depth);
            let value = match given {
                Some((_, value)) => *value,
                None => {
                    domain.values(&chosen, &mut listed)?;
                    let [value] = listed.as_slice() else {
                        let (name, values) = (&self.names[depth], list(&listed));
                        let message = format!("`{name}` has no value here, and may be {values}");
                        return Err(SpaceError::new(place, message));
                    };
                    *value
                }
            };
            chosen.push(value);
        }
        Ok(chosen)
    }

    /// The config that an attribute gives, evaluated by `value`.
    pub(crate) fn given(
        &self,
        config: &DefaultConfig,
        value: &dyn Fn(&Expr) -> Result<Expression, SpaceError>,
    ) -> Result<Vec<Value>, SpaceError> {
        let mut values = Vec::new();
        for (name, expr) in &config.values {
            let at = self.names.iter().position(|known| *known == name.text);
            let value = value(expr)?.eval(&[])?;
            values.extend(at.map(|at| (at, value)));
        }
        self.config(&values, config.span)
    }

    /// The first config in the order of the space, found by a depth-first walk; `None` if there is none.
    ///
    /// # Errors
    ///
    /// A domain or a condition that cannot be evaluated on the way, or millions of partial configs without an end.
    pub fn first(&self) -> Result<Option<Vec<Value>>, SpaceError> {
        self.first_of(None)
    }

    /// The first config whose first parameter has this value, likewise.
    ///
    /// # Errors
    ///
    /// Those of [`Rules::first`].
    pub(crate) fn first_of(&self, value: Option<Value>) -> Result<Option<Vec<Value>>, SpaceError> {
        for condition in self.conditions.iter().filter(|c| c.depends().is_empty()) {
            if !condition.test(&[])? {
                return Ok(None);
            }
        }
        let (mut chosen, mut left) = (Vec::new(), MOST_VISITS);
        Ok(self.walk(&mut chosen, value, &mut left)?.then_some(chosen))
    }

    /// Whether the values chosen so far can be completed, by `only` this one first; if so, they are.
    fn walk(
        &self,
        chosen: &mut Vec<Value>,
        only: Option<Value>,
        left: &mut u64,
    ) -> Result<bool, SpaceError> {
        let depth = chosen.len();
        let Some(domain) = self.domains.get(depth) else {
            return Ok(true);
        };
        let mut values = Vec::new();
        domain.values(chosen, &mut values)?;
        values.retain(|value| only.is_none_or(|only| only == *value));
        'values: for value in values {
            chosen.truncate(depth);
            chosen.push(value);
            *left = left.saturating_sub(1);
            for test in &self.tests[depth] {
                let condition = &self.conditions[*test];
                if *left == 0 {
                    let message = "no config was found within millions of partial ones";
                    return Err(condition.error(message, chosen));
                }
                if !condition.test(chosen)? {
                    continue 'values;
                }
            }
            if self.walk(chosen, None, left)? {
                return Ok(true);
            }
        }
        chosen.truncate(depth);
        Ok(false)
    }

    /// Why these values are not a config of the space; `None` if they are one.
    pub fn why_not(&self, values: &[Value]) -> Option<String> {
        let (has, wanted) = (values.len(), self.names.len());
        if has != wanted {
            let reason = format!("it has {has} values, but the space has {wanted} parameters");
            return Some(reason);
        }
        let mut constant = self.conditions.iter().filter(|c| c.depends().is_empty());
        if let Some(reason) = constant.find_map(|condition| broken(condition, &[])) {
            return Some(reason);
        }
        let mut listed = Vec::new();
        for (depth, (name, value)) in self.names.iter().zip(values).enumerate() {
            let domain = &self.domains[depth];
            if let Err(error) = domain.values(&values[..depth], &mut listed) {
                return Some(error.message);
            }
            if !listed.contains(value) {
                let listed = list(&listed);
                return Some(match domain.is_derived() {
                    true => format!("{name} is {value}, but follows as {listed} from the others"),
                    false => format!("{name} is {value}, which is not among {listed}"),
                });
            }
            let known = &values[..=depth];
            let mut tests = self.tests[depth].iter();
            if let Some(reason) = tests.find_map(|test| broken(&self.conditions[*test], known)) {
                return Some(reason);
            }
        }
        None
    }
}

fn broken(condition: &Expression, values: &[Value]) -> Option<String> {
    match condition.test(values) {
        Ok(true) => None,
        Ok(false) => Some(condition.error("it is not met", values).message),
        Err(error) => Some(error.message),
    }
}

/// `[1, 2, 4, ..]`; a single value without brackets.
fn list(values: &[Value]) -> String {
    if let [value] = values {
        return value.to_string();
    }
    let mut shown: Vec<String> = values
        .iter()
        .take(LISTED)
        .map(Value::to_string)
        .collect_vec();
    if values.len() > LISTED {
        shown.push(format!(".. ({} values)", values.len()));
    }
    format!("[{}]", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use crate::bind::{Bound, Scope};
    use bico_core::Value;
    use bico_core::device::{CudaFacts, Facts};

    fn first(options: &str) -> Result<Option<Vec<Value>>, String> {
        let attribute = format!("source = \"k.c\", problem(n = 8), {options}");
        let item = "fn k(#[len(n)] y: &mut [f32], n: u32) -> bico::Result<()>;";
        let parsed = crate::parse(attribute.parse().unwrap(), item.parse().unwrap());
        let spec = parsed.unwrap_or_else(|errors| panic!("{errors}")).spec;
        let facts = Facts::Cuda(CudaFacts::typical("a GPU", "", 80));
        let scope = Scope::default().with_size("n", Value::Int(8));
        let bound = Bound::new(&spec, &facts, &scope).map_err(|error| error.message)?;
        bound.rules.first().map_err(|error| error.message)
    }

    #[test]
    fn what_is_derived_follows() {
        let attribute =
            "source = \"k.c\", problem(n = 8), space(A in [1, 2], B = 2 * A, C = B + 1)";
        let item = "fn k(#[len(n)] y: &mut [f32], n: u32) -> bico::Result<()>;";
        let parsed = crate::parse(attribute.parse().unwrap(), item.parse().unwrap());
        let spec = parsed.unwrap_or_else(|errors| panic!("{errors}")).spec;
        let facts = Facts::Cuda(CudaFacts::typical("a GPU", "", 80));
        let rules = super::Rules::new(&spec, &facts, &Scope::default()).unwrap();
        let with = |others: &[(usize, i64)]| {
            let others: Vec<_> = others.iter().map(|of| (of.0, Value::Int(of.1))).collect();
            rules.with(&[1, 2, 3].map(Value::Int), &others).unwrap()
        };
        assert_eq!(with(&[]), [1, 2, 3].map(Value::Int));
        assert_eq!(with(&[(0, 7)]), [7, 14, 15].map(Value::Int));
        assert_eq!(with(&[(1, 5)]), [1, 5, 6].map(Value::Int));
    }

    #[test]
    fn the_first_config_is_found_without_the_others() {
        let found =
            first("space(A in [1, 2, 3], B in [1, 2, 3], C = A * B), require(A > 1, C == 6)");
        assert_eq!(found, Ok(Some([2, 3, 6].map(Value::Int).to_vec())));
        assert_eq!(first("space(A in [1, 2]), require(A > n)"), Ok(None));
        assert_eq!(first("space(A in [1, 2]), require(n > 8)"), Ok(None));
        let error = first("space(A in [0, 2]), require(8 / A == 4)").unwrap_err();
        assert!(error.contains("division by zero"), "{error}");
    }
}
