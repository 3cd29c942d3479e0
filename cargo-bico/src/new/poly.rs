//! Polynomials over names: how far an index goes, and so how long a buffer is.

use std::collections::BTreeMap;

/// A sum of products of names, each with its factor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Poly(BTreeMap<Vec<String>, i64>);

/// What is larger than any index of a kernel.
const MOST_TERMS: usize = 40;

impl Poly {
    pub(super) fn number(value: i64) -> Poly {
        Poly::default().with(Vec::new(), value)
    }

    pub(super) fn name(name: &str) -> Poly {
        Poly::default().with(vec![name.to_string()], 1)
    }

    fn with(mut self, names: Vec<String>, factor: i64) -> Poly {
        let sum = self
            .0
            .get(&names)
            .copied()
            .unwrap_or(0)
            .saturating_add(factor);
        match sum {
            0 => self.0.remove(&names),
            sum => self.0.insert(names, sum),
        };
        self
    }

    pub(super) fn plus(&self, other: &Poly) -> Poly {
        let terms = other.0.iter();
        terms.fold(self.clone(), |sum, (names, factor)| {
            sum.with(names.clone(), *factor)
        })
    }

    pub(super) fn minus(&self, other: &Poly) -> Poly {
        self.plus(&other.times(&Poly::number(-1)))
    }

    pub(super) fn times(&self, other: &Poly) -> Poly {
        let mut product = Poly::default();
        for (names, factor) in &self.0 {
            for (others, by) in &other.0 {
                let mut all: Vec<String> = names.iter().chain(others).cloned().collect();
                all.sort();
                product = product.with(all, factor.saturating_mul(*by));
            }
        }
        product
    }

    pub(super) fn is_long(&self) -> bool {
        self.0.len() > MOST_TERMS
    }

    /// The names that it depends on, each once.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.keys().flatten().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    pub(super) fn replace(&self, name: &str, by: &Poly) -> Poly {
        let mut result = Poly::default();
        for (names, factor) in &self.0 {
            let mut term = Poly::number(*factor);
            for one in names {
                let part = if one == name {
                    by.clone()
                } else {
                    Poly::name(one)
                };
                term = term.times(&part);
            }
            result = result.plus(&term);
        }
        result
    }

    /// The most that it can be where a name is not negative and at most this.
    pub(super) fn upper(&self, name: &str, by: &Poly) -> Poly {
        let positive = self.0.iter();
        let positive =
            positive.filter(|(names, factor)| **factor > 0 || !names.iter().any(|of| of == name));
        let kept = Poly(
            positive
                .map(|(names, factor)| (names.clone(), *factor))
                .collect(),
        );
        kept.replace(name, by)
    }

    /// What a name is multiplied with.
    pub(super) fn factor(&self, name: &str) -> Poly {
        let mut factor = Poly::default();
        for (names, by) in &self.0 {
            if let Some(at) = names.iter().position(|of| of == name) {
                let mut rest = names.clone();
                rest.remove(at);
                factor = factor.with(rest, *by);
            }
        }
        factor
    }

    /// A single product divided by another one, where that leaves no remainder.
    pub(super) fn divided(&self, by: &Poly) -> Option<Poly> {
        let (Some((names, factor)), Some((others, divisor))) = (self.only(), by.only()) else {
            return None;
        };
        let mut rest = names.clone();
        for other in others {
            let at = rest.iter().position(|name| name == other)?;
            rest.remove(at);
        }
        let factor = (divisor != 0 && factor % divisor == 0).then(|| factor / divisor)?;
        Some(Poly::default().with(rest, factor))
    }

    fn only(&self) -> Option<(&Vec<String>, i64)> {
        let mut terms = self.0.iter();
        let first = terms.next().map(|(names, factor)| (names, *factor));
        first.filter(|_| terms.next().is_none())
    }

    /// The name or number that it is.
    pub(super) fn is_single(&self) -> bool {
        self.only()
            .is_some_and(|(names, factor)| names.is_empty() || (names.len() == 1 && factor == 1))
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// How many of such names are multiplied with each other.
    pub(super) fn degree(&self, counts: &dyn Fn(&str) -> bool) -> usize {
        let degree = |names: &Vec<String>| names.iter().filter(|name| counts(name)).count();
        self.0.keys().map(degree).max().unwrap_or(0)
    }

    /// Its value where every name has this one.
    pub(super) fn at(&self, value: i64) -> i64 {
        let terms = self.0.iter().map(|(names, factor)| {
            let power = names
                .iter()
                .fold(1i64, |power, _| power.saturating_mul(value));
            power.saturating_mul(*factor)
        });
        terms.fold(0, i64::saturating_add)
    }

    /// Whether it can be a length: positive for small values as for large ones, whatever they are.
    pub(super) fn is_positive(&self) -> bool {
        let one_each = self.names().into_iter().all(|name| {
            let others = self.replace(name, &Poly::number(1));
            others.at(2) > 0 && others.at(1024) > 0
        });
        one_each && self.at(1) > 0 && self.at(1024) > 0
    }

    /// As an expression of an attribute, `rename` giving each name's.
    pub(super) fn shown(&self, rename: &dyn Fn(&str) -> String) -> String {
        let mut text = String::new();
        // What has most names first, numbers last.
        let mut terms: Vec<(&Vec<String>, &i64)> = self.0.iter().collect();
        terms.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.0.cmp(b.0)));
        // A difference begins with what is positive.
        if let Some(first) = terms.iter().position(|(_, factor)| **factor > 0) {
            let first = terms.remove(first);
            terms.insert(0, first);
        }
        for (names, factor) in terms {
            let size = factor.unsigned_abs();
            let sign = match (text.is_empty(), *factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let mut parts: Vec<String> = names.iter().map(|name| rename(name)).collect();
            if size != 1 || parts.is_empty() {
                parts.insert(0, size.to_string());
            }
            text += sign;
            text += &parts.join(" * ");
        }
        if text.is_empty() {
            "0".to_string()
        } else {
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_a_matrix_ends_with_its_last_element() {
        let [i, j, m, n] = ["i", "j", "m", "n"].map(Poly::name);
        let one = Poly::number(1);
        let index = i.times(&n).plus(&j);
        let last = index
            .replace("i", &m.minus(&one))
            .replace("j", &n.minus(&one));
        let length = last.plus(&one);
        assert_eq!(length.shown(&str::to_string), "m * n");
        assert_eq!(length.at(8), 64);
        assert_eq!(length.names(), ["m", "n"]);
        let odd = n.minus(&Poly::number(3)).times(&Poly::number(-2));
        assert_eq!(odd.shown(&str::to_uppercase), "6 - 2 * N");
        assert_eq!(Poly::default().shown(&str::to_string), "0");
    }
}
