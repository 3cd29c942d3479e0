//! Values of parameters, as files write them.

use super::super::table::Entry;
use super::Error;
use super::json::{Json, Object};
use bico_core::Value;
use bico_syntax::bind::intern;
use std::collections::HashMap;
use std::mem::discriminant;

/// The value that a JSON value stands for; `None` for lists, objects, null and numbers beyond i64.
pub(super) fn of_json(json: &Json) -> Option<Value> {
    match json.plain() {
        serde_json::Value::Bool(value) => Some(Value::Bool(*value)),
        serde_json::Value::String(text) => Some(Value::Str(intern(text))),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(value) => Some(Value::Int(value)),
            None if number.is_u64() => None,
            None => number.as_f64().map(Value::Float),
        },
        _ => None,
    }
}

/// The value that a CSV field stands for.
pub(super) fn of_text(text: &str) -> Value {
    if let Ok(value) = text.parse() {
        return Value::Int(value);
    }
    if let Some(value) = text.parse().ok().filter(|value: &f64| value.is_finite()) {
        return Value::Float(value);
    }
    match text {
        "True" | "true" => Value::Bool(true),
        "False" | "false" => Value::Bool(false),
        _ => Value::Str(intern(text)),
    }
}

/// A parameter and the values it takes, while a file is read.
pub(super) struct Domain {
    pub(super) name: String,
    pub(super) values: Vec<Value>,
    places: HashMap<Same, u32>,
    /// Whether the file declares the values: others are mistakes.
    declared: bool,
}

/// What makes two values the same in Python, 1 and 1.0 and True: a kind, and a number or a text.
type Same = (u8, u64, &'static str);

fn same(value: Value) -> Same {
    // Beside 0.0 there is -0.0.
    let number = |value: f64| (0, (value + 0.0).to_bits(), "");
    match value {
        Value::Int(value) if value.unsigned_abs() < 1 << 53 => number(value as f64),
        Value::Int(value) => (1, value as u64, ""),
        Value::Float(value) => number(value),
        Value::Bool(value) => number(u8::from(value).into()),
        Value::Str(text) => (2, 0, text),
    }
}

impl Domain {
    /// A parameter with declared values, of equal ones the first counts; or with those that occur.
    pub(super) fn new(name: &str, declared: Option<Vec<Value>>) -> Domain {
        let mut domain = Domain {
            name: name.into(),
            values: Vec::new(),
            places: HashMap::new(),
            declared: false,
        };
        if let Some(values) = declared {
            for value in values {
                domain.place(value);
            }
            domain.declared = true;
        }
        domain
    }

    /// The place of a value, `None` if it isn't declared.
    pub(super) fn place(&mut self, value: Value) -> Option<u32> {
        let same = same(value);
        if let Some(known) = self.places.get(&same) {
            return Some(*known);
        }
        if self.declared {
            return None;
        }
        let next = self.values.len() as u32;
        self.places.insert(same, next);
        self.values.push(value);
        Some(next)
    }

    /// All values of one kind: among real numbers, whole ones are real too; of other mixtures
    /// strings are made.
    fn unify(&mut self) {
        let kinds = || self.values.iter().map(discriminant);
        if kinds().all(|kind| Some(kind) == kinds().next()) {
            return;
        }
        let real = self.values.iter().all(|value| number(value).is_some());
        for value in &mut self.values {
            *value = match *value {
                Value::Int(whole) if real => Value::Float(whole as f64),
                Value::Float(_) if real => continue,
                Value::Str(_) => continue,
                other => Value::Str(intern(&other.to_string())),
            };
        }
    }

    /// Numbers in ascending order where the file declares none; the new place of each old one.
    fn sort(&mut self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        let numbers: Option<Vec<f64>> = self.values.iter().map(number).collect();
        if let Some(numbers) = numbers.filter(|_| !self.declared) {
            order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
        }
        self.values = order.iter().map(|old| self.values[*old]).collect();
        let mut moved = vec![0; order.len()];
        for (new, old) in order.into_iter().enumerate() {
            moved[old] = new as u32;
        }
        moved
    }
}

fn number(value: &Value) -> Option<f64> {
    match *value {
        Value::Int(value) => Some(value as f64),
        Value::Float(value) => Some(value),
        _ => None,
    }
}

/// The places of a config's values. `wrong` says what is the matter with a parameter, without a value where it has none.
pub(super) fn places(
    domains: &mut [Domain],
    values: &Object,
    wrong: &dyn Fn(&str, Option<&Json>) -> Error,
) -> Result<Vec<u32>, Error> {
    let place = |domain: &mut Domain| {
        let value = values.get(&domain.name);
        let place = value
            .and_then(of_json)
            .and_then(|value| domain.place(value));
        place.ok_or_else(|| wrong(&domain.name, value))
    };
    domains.iter_mut().map(place).collect()
}

/// The parameters of a whole file; the rows are put right where values had to move.
pub(super) fn finish(domains: Vec<Domain>, rows: &mut [Entry]) -> Vec<(String, Vec<Value>)> {
    let mut parameters = Vec::with_capacity(domains.len());
    for (at, mut domain) in domains.into_iter().enumerate() {
        domain.unify();
        let moved = domain.sort();
        for row in rows.iter_mut() {
            row.config[at] = moved[row.config[at] as usize];
        }
        parameters.push((domain.name, domain.values));
    }
    parameters
}
