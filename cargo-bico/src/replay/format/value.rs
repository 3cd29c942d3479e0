//! Values of parameters, as files write them.

use super::super::table::Entry;
use super::json::Json;
use bico_bind::intern;
use bico_core::Value;
use std::collections::HashMap;

/// The value that a JSON value stands for; `None` for lists, objects, null and numbers beyond i64.
pub(super) fn of_json(json: &Json) -> Option<Value> {
    let Json::Plain(plain) = json else {
        return None;
    };
    match plain {
        serde_json::Value::Bool(value) => Some(Value::Bool(*value)),
        serde_json::Value::String(text) => Some(Value::Str(intern(text))),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(value) => Some(Value::Int(value)),
            None if number.is_u64() => None,
            None => number.as_f64().filter(|v| v.is_finite()).map(Value::Float),
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
#[derive(Debug)]
pub(super) struct Domain {
    pub(super) name: String,
    pub(super) values: Vec<Value>,
    places: HashMap<Same, u32>,
    /// Whether the file declares the values: others are mistakes.
    declared: bool,
}

/// What makes two values the same in Python: 1 and 1.0 are, and so are 1 and True.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Same {
    Number(u64),
    Large(i64),
    Text(&'static str),
}

impl Same {
    fn of(value: Value) -> Same {
        let number = |value: f64| Same::Number(if value == 0.0 { 0 } else { value.to_bits() });
        match value {
            Value::Int(value) if value.unsigned_abs() < 1 << 53 => number(value as f64),
            Value::Int(value) => Same::Large(value),
            Value::Float(value) => number(value),
            Value::Bool(value) => number(u8::from(value).into()),
            Value::Str(text) => Same::Text(text),
        }
    }
}

impl Domain {
    /// A parameter whose values are those that occur.
    pub(super) fn open(name: impl Into<String>) -> Domain {
        Domain {
            name: name.into(),
            values: Vec::new(),
            places: HashMap::new(),
            declared: false,
        }
    }

    /// A parameter with declared values; of equal ones the first counts.
    pub(super) fn declared(name: &str, values: impl IntoIterator<Item = Value>) -> Domain {
        let mut domain = Domain::open(name);
        for value in values {
            domain.place(value);
        }
        domain.declared = true;
        domain
    }

    /// The place of a value, `None` if it isn't declared.
    pub(super) fn place(&mut self, value: Value) -> Option<u32> {
        let next = self.values.len() as u32;
        match self.places.entry(Same::of(value)) {
            std::collections::hash_map::Entry::Occupied(known) => Some(*known.get()),
            std::collections::hash_map::Entry::Vacant(_) if self.declared => None,
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(next);
                self.values.push(value);
                Some(next)
            }
        }
    }

    /// All values of one kind: among real numbers, whole ones are real too; of other mixtures
    /// strings are made.
    fn unify(&mut self) {
        let values = &mut self.values;
        let all = |values: &[Value], test: fn(&Value) -> bool| values.iter().all(test);
        if all(values, |v| matches!(v, Value::Int(_)))
            || all(values, |v| matches!(v, Value::Bool(_)))
            || all(values, |v| matches!(v, Value::Str(_)))
        {
        } else if all(values, |v| matches!(v, Value::Int(_) | Value::Float(_))) {
            for value in values {
                if let Value::Int(whole) = *value {
                    *value = Value::Float(whole as f64);
                }
            }
        } else {
            for value in values {
                if !matches!(value, Value::Str(_)) {
                    *value = Value::Str(intern(&value.to_string()));
                }
            }
        }
    }

    /// Numbers in ascending order where the file declares none; the new place of each old one.
    fn sort(&mut self) -> Vec<u32> {
        let number = |value: &Value| match *value {
            Value::Int(value) => Some(value as f64),
            Value::Float(value) => Some(value),
            _ => None,
        };
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        if !self.declared && self.values.iter().all(|value| number(value).is_some()) {
            order.sort_by(|a, b| {
                let (a, b) = (number(&self.values[*a]), number(&self.values[*b]));
                a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
            });
        }
        self.values = order.iter().map(|old| self.values[*old]).collect();
        let mut moved = vec![0; order.len()];
        for (new, old) in order.into_iter().enumerate() {
            moved[old] = new as u32;
        }
        moved
    }
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
