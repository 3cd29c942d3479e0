//! The conditions of `require` as questions about sizes: which sizes does a config allow, near some that it does not?

use crate::Arithmetic;
use crate::bind::{Bound, Expression, SpaceError, scalars};
use bico_core::{Lists, Set, Value};

/// How far from a size another one is looked for.
const FAR: i64 = 8192;

/// Rounds over all sizes in which each may come nearer to what is allowed.
const ROUNDS: usize = 4;

/// The conditions that name sizes, for any sizes.
#[derive(Debug, Clone)]
pub struct SizeRules {
    conditions: Vec<Expression>,
    /// Which of the scalar arguments each of them names.
    named: Vec<Vec<usize>>,
    parameters: usize,
}

impl Bound<'_> {
    /// The conditions on sizes.
    ///
    /// # Errors
    ///
    /// A name or device field that nobody knows.
    #[inline]
    pub fn size_rules(&self) -> Result<SizeRules, SpaceError> {
        let spec = self.spec;
        let mut names = self.rules.names.clone();
        let parameters = names.len();
        // A constant of the problem hides an argument of its name.
        let is_hidden = |name: &str| self.scope.problem_consts.contains_key(name);
        let sizes = scalars(spec).into_iter();
        names.extend(sizes.map(|name| if is_hidden(name) { "" } else { name }.to_string()));
        let mut rules = SizeRules {
            conditions: Vec::new(),
            named: Vec::new(),
            parameters,
        };
        for test in &spec.require {
            let arithmetic = Arithmetic::Integer;
            let condition = Expression::compile(test, arithmetic, &names, &self.scope, self.facts)?;
            let depends = condition.depends().iter();
            let named: Vec<usize> = depends
                .filter_map(|at| at.checked_sub(parameters))
                .collect_vec();
            if !named.is_empty() {
                rules.conditions.push(condition);
                rules.named.push(named);
            }
        }
        Ok(rules)
    }
}

impl SizeRules {
    /// What a config says of sizes.
    #[inline]
    pub fn of(&self, config: &[Value]) -> SizesOf<'_> {
        SizesOf {
            rules: self,
            config: config[..self.parameters.min(config.len())].to_vec(),
        }
    }
}

/// The conditions on sizes, for one config.
#[derive(Debug, Clone)]
pub struct SizesOf<'a> {
    rules: &'a SizeRules,
    config: Vec<Value>,
}

impl SizesOf<'_> {
    /// The conditions, as the attribute has them, that exclude these scalar arguments.
    #[inline]
    pub fn broken(&self, scalars: &[Value]) -> Vec<&str> {
        let values = [&self.config, scalars].concat();
        let conditions = self.rules.conditions.iter();
        let broken = conditions.filter(|condition| !condition.test(&values).unwrap_or(false));
        broken.map(Expression::text).collect_vec()
    }

    /// Scalar arguments near these that all conditions allow, and that are not `known`: of each size the nearest that will do, and
    /// none outside of what `range` gives for it; `None` if none is found.
    #[inline]
    pub fn nearest(
        &self,
        scalars: &[Value],
        range: &dyn Fn(usize) -> Option<(i64, i64)>,
        known: &dyn Fn(&[Value]) -> bool,
    ) -> Option<Vec<Value>> {
        let mut values = [&self.config, scalars].concat();
        let first = self.config.len();
        let sizes: Set<usize> = self.rules.named.iter().flatten().copied().collect();
        let all = 0..self.rules.conditions.len();
        let is_broken = |of: &usize, values: &[Value]| {
            let condition = &self.rules.conditions[*of];
            !condition.test(values).unwrap_or(false)
        };
        let count = |of: &[usize], values: &[Value]| {
            let broken = of.iter().filter(|of| is_broken(of, values));
            // From what is known the way to others that are equal is short.
            2 * broken.count() + usize::from(known(&values[first..]))
        };
        let all = all.collect_vec();
        let wrong = |values: &[Value]| count(&all, values);
        let mut left = wrong(&values);
        for _ in 0..ROUNDS {
            let before = left;
            for (&at, together) in sizes.iter().flat_map(|at| [(at, false), (at, true)]) {
                let (Value::Int(size), Some((low, high))) = (values[first + at], range(at)) else {
                    continue;
                };
                if left == 0 {
                    break;
                }
                // What is equal may have to be.
                let equal = |other: &usize| {
                    let same = together && values[first + other] == values[first + at];
                    *other == at || same && range(*other).is_some()
                };
                let moved: Vec<usize> = sizes.iter().copied().filter(equal).collect_vec();
                let limits = moved.iter().filter_map(|at| range(*at));
                let (low, high) = limits.fold((low, high), |(low, high), other| {
                    (low.max(other.0), high.min(other.1))
                });
                // Conditions that name none of them stay what they are; if all others hold, nothing is won here.
                let named = |of: &usize| {
                    let named = &self.rules.named[*of];
                    named.iter().any(|at| moved.contains(at))
                };
                let (named, others): (Vec<usize>, Vec<usize>) =
                    all.iter().partition(|of| named(of));
                if count(&named, &values) == 0 {
                    continue;
                }
                let others = 2 * others.iter().filter(|of| is_broken(of, &values)).count();
                // Upwards first: the smallest sizes come from 1.
                let near = (1..=FAR).flat_map(|far| [size.saturating_add(far), size - far]);
                let near = near.filter(|other| (low..=high).contains(other));
                for other in near.chain([size]) {
                    moved
                        .iter()
                        .for_each(|at| values[first + at] = Value::Int(other));
                    let now = others + count(&named, &values);
                    if now < left {
                        left = now;
                        break;
                    }
                }
            }
            if left == before {
                break;
            }
        }
        (left == 0).then(|| values.split_off(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::Scope;
    use Value::Int;
    use bico_core::device::{CpuFacts, Facts};

    /// What is asked of the sizes m, n and k, with a tile of 8.
    fn with<T>(require: &str, ask: impl FnOnce(SizesOf<'_>) -> T) -> T {
        let attribute = format!(
            "source = \"k.c\", problem(m = 512, n = 512, k = 512), space(TILE in [8]), require({require})"
        );
        let item =
            "fn f(#[len(m * n * k)] y: &mut [f32], m: u32, n: u32, k: u32) -> bico::Result<()>;";
        let parsed = crate::parse(attribute.parse().unwrap(), item.parse().unwrap());
        let spec = parsed.unwrap_or_else(|errors| panic!("{errors}")).spec;
        let facts = Facts::Cpu(CpuFacts::default());
        let sizes = ["m", "n", "k"].into_iter();
        let scope = sizes.fold(Scope::default(), |scope, name| {
            scope.with_size(name, Int(512))
        });
        let bound = Bound::new(&spec, &facts, &scope).unwrap();
        let rules = bound.size_rules().unwrap();
        ask(rules.of(&[Int(8)]))
    }

    fn nearest(require: &str, sizes: [i64; 3]) -> Option<Vec<Value>> {
        let near = |of: SizesOf<'_>| of.nearest(&sizes.map(Int), &|_| Some((1, 512)), &|_| false);
        with(require, near)
    }

    fn found(sizes: [i64; 3]) -> Option<Vec<Value>> {
        Some(sizes.map(Int).to_vec())
    }

    #[test]
    fn the_nearest_sizes_that_divide() {
        assert_eq!(nearest("n % TILE == 0", [1, 1, 1]), found([1, 8, 1]));
        assert_eq!(
            nearest("n % 4 == 0, k % (2 * TILE) == 0", [13, 7, 31]),
            found([13, 8, 32])
        );
        assert_eq!(nearest("n == k, n >= 100", [3, 5, 7]), found([3, 100, 100]));
        assert_eq!(
            nearest("(m * n).is_multiple_of(64)", [3, 5, 7]),
            found([64, 5, 7])
        );
        assert_eq!(nearest("n == 512", [1, 1, 1]), found([1, 512, 1]));
        assert_eq!(nearest("n > 512", [1, 1, 1]), None);
        assert_eq!(nearest("TILE == 9, n == 3", [1, 1, 1]), found([1, 3, 1]));
    }

    #[test]
    fn what_is_known_is_not_found_again() {
        let known = [found([1, 8, 1]), found([1, 16, 1])];
        let again = with("n % TILE == 0", |of| {
            let is_known = |sizes: &[Value]| known.iter().flatten().any(|known| known == sizes);
            of.nearest(&[Int(1); 3], &|_| Some((1, 512)), &is_known)
        });
        assert_eq!(again, found([1, 24, 1]));
        let known = found([13, 8, 8]).unwrap();
        let again = with("n == k, n % TILE == 0", |of| {
            let is_known = |sizes: &[Value]| *sizes == *known;
            of.nearest(&[Int(13), Int(7), Int(31)], &|_| Some((1, 512)), &is_known)
        });
        assert_eq!(again, found([13, 16, 16]));
    }

    #[test]
    fn conditions_are_named() {
        let broken = with("n % TILE == 0, m > 2, k >= 1, TILE == 8", |of| {
            let broken = of.broken(&[Int(2), Int(9), Int(1)]);
            broken.into_iter().map(String::from).collect::<Vec<_>>()
        });
        assert_eq!(broken, ["n % TILE == 0", "m > 2"]);
    }
}
