//! The activations, in double precision.

use std::fmt;
use std::str::FromStr;

/// The function that the second product goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// 1 / (1 + e^-v)
    Sigmoid,
    /// v / (1 + e^-v)
    Silu,
    /// v times the normal distribution's function.
    Gelu,
}

use Activation::{Gelu, Sigmoid, Silu};

impl Activation {
    /// The constant of the kernels' problems.
    pub fn name(self) -> &'static str {
        match self {
            Sigmoid => "sigmoid",
            Silu => "silu",
            Gelu => "gelu",
        }
    }

    /// Its value.
    pub fn of(self, v: f64) -> f64 {
        match self {
            Sigmoid => 1.0 / (1.0 + (-v).exp()),
            Silu => v / (1.0 + (-v).exp()),
            Gelu => v * normal(v),
        }
    }
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Activation {
    type Err = String;

    fn from_str(text: &str) -> Result<Activation, String> {
        let all = [Sigmoid, Silu, Gelu];
        let found = all.into_iter().find(|act| act.name() == text);
        found.ok_or_else(|| format!("no activation is named {text}: sigmoid, silu, gelu"))
    }
}

/// The normal distribution's function, by its series (Marsaglia, "Evaluating the Normal Distribution", 2004).
fn normal(v: f64) -> f64 {
    if v.abs() > 8.0 {
        return f64::from(v > 0.0);
    }
    let (mut term, mut sum, mut i) = (v, v, 1.0);
    while f64::abs(term) > 1e-18 {
        i += 2.0;
        term *= v * v / i;
        sum += term;
    }
    0.5 + sum * (-0.5 * v * v).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_tables() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, not {b}");
        near(normal(0.0), 0.5);
        near(normal(1.0), 0.841_344_746_068_542_9);
        near(normal(-2.0), 0.022_750_131_948_179_2);
        near(normal(9.0), 1.0);
        near(Sigmoid.of(-1.0), 0.268_941_421_369_995_1);
        near(Silu.of(2.0), 1.761_594_155_955_764_9);
        near(Gelu.of(-1.0), -0.158_655_253_931_457_05);
    }

    #[test]
    fn names_are_read() {
        for act in [Sigmoid, Silu, Gelu] {
            assert_eq!(act.name().parse(), Ok(act));
        }
        assert!("relu".parse::<Activation>().unwrap_err().contains("relu"));
    }
}
