//! Random attributes against a walk with the interpreter alone.

use super::super::fixture::{bound, space_of, spec};
use super::super::{Domain, SpaceError};
use bico_core::Value;
use bico_syntax::bind::Rules;
use proptest::prelude::*;

/// Writes attributes: parameters of every kind, domains and conditions that read them, some of which
/// fail for some values.
struct Writer {
    rng: fastrand::Rng,
    kinds: Vec<char>,
}

impl Writer {
    fn attribute(seed: u64) -> String {
        let mut writer = Writer {
            rng: fastrand::Rng::with_seed(seed),
            kinds: Vec::new(),
        };
        let mut parameters = Vec::new();
        for at in 0..writer.rng.usize(1..6) {
            let kind = writer
                .rng
                .choice(['i', 'i', 'i', 'i', 'i', 'b', 's', 'f'])
                .unwrap();
            parameters.push(format!("P{at} {}", writer.domain(kind)));
            writer.kinds.push(kind);
        }
        let conditions: Vec<String> = (0..writer.rng.usize(0..5))
            .map(|_| writer.truth(3))
            .collect();
        let mut text = format!("space({})", parameters.join(", "));
        if !conditions.is_empty() {
            text += &format!(", require({})", conditions.join(", "));
        }
        text
    }

    fn domain(&mut self, kind: char) -> String {
        match (kind, self.rng.u8(0..10)) {
            ('b', 0..3) => format!("= {}", self.truth(2)),
            ('b', _) => "in [true, false]".into(),
            ('s', 0..2) => format!(
                "in if {} {{ [\"a\", \"b\"] }} else {{ [\"c\"] }}",
                self.truth(2)
            ),
            ('s', _) => "in [\"b\", \"a\", \"c\"]".into(),
            ('f', 0..2) => format!("= {} as f64", self.int(1)),
            ('f', _) => "in [0.5, 2.0, 1.0]".into(),
            (_, 0) => format!("= {}", self.int(2)),
            (_, 1) => format!("in (0 + {})..={}", self.rng.i64(-2..2), self.int(1)),
            (_, 2) => format!(
                "in (0 + {}..9).step_by({})",
                self.int(1),
                self.rng.i64(1..4)
            ),
            (_, 3) => format!("in powers_of_two(0 + {}..=9)", self.int(1)),
            (_, 4) => format!("in if {} {{ [1, 2] }} else {{ 2..=4 }}", self.truth(1)),
            (_, 5) => format!(
                "in match {} {{ 0 => [1], 1..=3 => [2, 5], _ => [7, 1] }}",
                self.int(1)
            ),
            (_, 6) => format!("in {{ let x = {}; [x, x + 1] }}", self.int(1)),
            _ => {
                let first = self.rng.i64(-2..3);
                let values: Vec<String> = (0..self.rng.i64(1..5))
                    .rev()
                    .map(|v| (v + first).to_string())
                    .collect();
                format!("in [{}]", values.join(", "))
            }
        }
    }

    fn parameter(&mut self, kind: char) -> Option<String> {
        let all = (0..self.kinds.len()).filter(|at| self.kinds[*at] == kind);
        let all: Vec<usize> = all.collect();
        self.rng.choice(all).map(|at| format!("P{at}"))
    }

    fn int(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.u8(0..4) == 0 {
            let parameter = self.parameter('i').filter(|_| self.rng.u8(0..4) > 0);
            return parameter.unwrap_or_else(|| self.rng.i64(0..6).to_string());
        }
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        match self.rng.u8(0..13) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 | 3 => format!("({a} * {b})"),
            4 => format!("({a} / {b})"),
            5 => format!("({a} % {b})"),
            6 => format!("({a}).min({b})"),
            7 => format!("({a}).div_ceil({b})"),
            8 => format!("(if {} {{ {a} }} else {{ {b} }})", self.truth(depth - 1)),
            9 => format!("({{ let y = {a}; y * y + {b} }})"),
            10 => format!("(match {a} {{ 1 | 2 => {b}, 0..=4 => 3, _ => {a} }})"),
            11 => format!("({a}).abs().max({b}).next_power_of_two()"),
            _ => format!("(({}) as i64)", self.truth(depth - 1)),
        }
    }

    fn truth(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.u8(0..3) == 0 {
            let text = match self.rng.u8(0..6) {
                0 => self.parameter('b'),
                1 => self.parameter('s').map(|s| format!("({s} == \"a\")")),
                2 => self.parameter('f').map(|f| format!("({f} * 2.0 >= 2.0)")),
                _ => None,
            };
            let (a, b) = (self.int(1), self.int(1));
            let op = self.rng.choice(["<=", "<", ">", ">=", "==", "!="]).unwrap();
            return text.unwrap_or_else(|| format!("({a} {op} {b})"));
        }
        let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
        match self.rng.u8(0..8) {
            0..3 => format!("({a} && {b})"),
            3..6 => format!("({a} || {b})"),
            6 => format!("(!{a})"),
            _ => format!(
                "({}).is_multiple_of({})",
                self.int(depth - 1),
                self.int(depth - 1)
            ),
        }
    }
}

/// The configs, by the interpreter: every domain listed and every condition tested where it becomes known.
fn walk(
    rules: &Rules,
    chosen: &mut Vec<Value>,
    out: &mut Vec<Vec<Value>>,
) -> Result<(), SpaceError> {
    let depth = chosen.len();
    let Some(domain) = rules.domains.get(depth) else {
        out.push(chosen.clone());
        return Ok(());
    };
    let mut values = Vec::new();
    Domain::values(domain, chosen, &mut values)?;
    'values: for value in values {
        chosen.truncate(depth);
        chosen.push(value);
        for test in &rules.tests[depth] {
            if !rules.conditions[*test].test(chosen)? {
                continue 'values;
            }
        }
        walk(rules, chosen, out)?;
    }
    chosen.truncate(depth);
    Ok(())
}

fn expected(attribute: &str) -> Result<Vec<Vec<Value>>, String> {
    let bound = bound(spec(attribute)).map_err(|e| e.message)?;
    let rules = &bound.rules;
    for condition in rules.conditions.iter().filter(|c| c.depends().is_empty()) {
        if !condition.test(&[]).map_err(|e| e.message)? {
            return Ok(Vec::new());
        }
    }
    let mut out = Vec::new();
    walk(rules, &mut Vec::new(), &mut out).map_err(|e| e.message)?;
    Ok(out)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// The diagram holds what the interpreter finds, in its order, and fails where it fails, in its words.
    #[test]
    fn the_compact_form_means_what_the_interpreter_says(seed: u64) {
        let attribute = Writer::attribute(seed);
        let expected = expected(&attribute);
        let spec = spec(&attribute);
        let space = space_of(&spec).map_err(|e| e.message);
        match (&space, &expected) {
            (Ok(space), Ok(expected)) => {
                prop_assert_eq!(space.len(), expected.len() as u64, "{}", attribute);
                for (number, values) in expected.iter().enumerate() {
                    prop_assert_eq!(&space.config(number as u64), values, "{}", attribute);
                    prop_assert_eq!(space.index_of(values), Some(number as u64), "{}", attribute);
                }
            }
            (Err(error), Err(expected)) => prop_assert_eq!(error, expected, "{}", attribute),
            (space, expected) => {
                prop_assert!(false, "{attribute}: {:?} {:?}", space.as_ref().err(), expected.as_ref().err());
            }
        }
    }
}

/// The test above is worth something only if its attributes are of all sorts.
#[test]
fn attributes_are_of_all_sorts() {
    let (mut empty, mut failing, mut full, mut many) = (0, 0, 0, 0);
    for seed in 0..400 {
        match expected(&Writer::attribute(seed)) {
            Err(_) => failing += 1,
            Ok(configs) if configs.is_empty() => empty += 1,
            Ok(configs) if configs.len() > 20 => many += 1,
            Ok(_) => full += 1,
        }
    }
    let least = [empty, failing, full, many].into_iter().min();
    assert!(least > Some(20), "{empty} {failing} {full} {many}");
}

/// Powers of two begin at 1 wherever their range does: a bound below that turned configs away.
#[test]
fn powers_of_two_from_below_one() {
    let attribute = "space(A in [-1, -2], B in powers_of_two(A.min(1)..=9)), require(A <= B / B)";
    let space = space_of(&spec(attribute)).map(|space| space.len());
    assert_eq!(space.map_err(|error| error.message), Ok(8));
    assert_eq!(expected(attribute).map(|configs| configs.len()), Ok(8));
}
