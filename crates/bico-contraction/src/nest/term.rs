//! Numbers of a generated text.

use std::fmt;

/// A number: known, or a C expression over the kernel's sizes and macros.
///
/// What is known is folded, so a text holds `512` where a [`Schedule`](crate::Schedule)
/// says so and `M_PRIM * size_k` where only the call will.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The number, where it is known.
    pub value: Option<u64>,
    /// As C has it: a literal, or an expression of type `size_t` or `int`.
    pub text: String,
}

impl Term {
    /// A number.
    pub fn known(value: u64) -> Term {
        Term {
            value: Some(value),
            text: value.to_string(),
        }
    }

    /// A variable or a macro of the text.
    pub fn named(name: impl Into<String>) -> Term {
        Term {
            value: None,
            text: name.into(),
        }
    }

    /// True if the number is known to be `value`.
    pub fn is(&self, value: u64) -> bool {
        self.value == Some(value)
    }

    /// The product.
    pub fn times(&self, other: &Term) -> Term {
        match (self.value, other.value) {
            (Some(0), _) | (_, Some(0)) => Term::known(0),
            (Some(1), _) => other.clone(),
            (_, Some(1)) => self.clone(),
            (Some(a), Some(b)) if a.checked_mul(b).is_some() => Term::known(a * b),
            _ => Term::named(format!("{} * {}", self.factor(), other.factor())),
        }
    }

    /// The sum.
    pub fn plus(&self, other: &Term) -> Term {
        match (self.value, other.value) {
            (Some(0), _) => other.clone(),
            (_, Some(0)) => self.clone(),
            (Some(a), Some(b)) if a.checked_add(b).is_some() => Term::known(a + b),
            _ => Term::named(format!("{} + {}", self.text, other.text)),
        }
    }

    /// The quotient, rounded up. `other` is never 0.
    pub fn div_ceil(&self, other: &Term) -> Term {
        match (self.value, other.value) {
            (_, Some(1)) => self.clone(),
            (Some(a), Some(b)) if b > 0 => Term::known(a.div_ceil(b)),
            _ if other.text.contains(" * ") => {
                Term::named(format!("({0} + {1} - 1) / ({1})", self.text, other.text))
            }
            _ => Term::named(format!(
                "({} + {other} - 1) / {}",
                self.text,
                other.factor()
            )),
        }
    }

    /// The text as a factor of a product: in parentheses where it is not one already.
    pub fn factor(&self) -> String {
        let operators = [" + ", " - ", " / ", " ? "];
        match operators
            .iter()
            .any(|operator| self.text.contains(operator))
        {
            true => format!("({self})"),
            false => self.text.clone(),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_folded() {
        let (tile, size) = (Term::named("M_PRIM"), Term::named("size_m"));
        assert_eq!(Term::known(6).times(&Term::known(7)), Term::known(42));
        assert_eq!(tile.times(&Term::known(0)), Term::known(0));
        assert_eq!(tile.times(&Term::known(1)), tile);
        assert_eq!(Term::known(65).div_ceil(&Term::known(64)), Term::known(2));
        assert_eq!(Term::known(0).plus(&size), size);
        assert_eq!(size.div_ceil(&tile).text, "(size_m + M_PRIM - 1) / M_PRIM");
    }

    #[test]
    fn sums_and_quotients_are_bracketed_in_products() {
        let sum = Term::named("a").plus(&Term::named("b"));
        assert_eq!(sum.times(&Term::named("c")).text, "(a + b) * c");
        let product = Term::named("a").times(&Term::named("b"));
        assert_eq!(product.plus(&Term::named("c")).text, "a * b + c");
        assert_eq!(
            Term::named("n").div_ceil(&sum).text,
            "(n + a + b - 1) / (a + b)"
        );
    }

    #[test]
    fn a_number_beyond_64_bits_stays_an_expression() {
        let big = Term::known(u64::MAX);
        assert_eq!(big.times(&Term::known(2)).value, None);
    }
}
