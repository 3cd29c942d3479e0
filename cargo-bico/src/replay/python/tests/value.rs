//! What a Python expression is worth, for given values of the parameters.
//!
//! What the translation is held to; what larger numbers than ours would be needed for is given up.

use super::super::parser::Expr;
use super::super::text::OR;
use bico_core::Value;

/// Why there is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Undefined {
    /// Python fails here, and so do we.
    DivisionByZero,
    /// Python fails, or knows larger numbers than we do.
    Other,
}

type Outcome = Result<Value, Undefined>;

/// The value of an expression.
pub(super) fn value(expr: &Expr, parameters: &[Value]) -> Outcome {
    let inner = |expr: &Expr| value(expr, parameters);
    match expr {
        Expr::Value(value) => Ok(*value),
        Expr::Name(name) => parameters.get(*name).copied().ok_or(Undefined::Other),
        Expr::Negative(a) => arithmetic("-", Value::Int(0), inner(a)?),
        Expr::Not(a) => Ok(Value::Bool(!truth(inner(a)?))),
        Expr::Arithmetic(operator, operands) => {
            let [a, b] = &**operands;
            arithmetic(operator, inner(a)?, inner(b)?)
        }
        Expr::Chain(first, rest) => {
            let mut left = inner(first)?;
            for (operator, operand) in rest {
                let holds = match operand {
                    Expr::List(items) => {
                        let mut found = false;
                        for item in items {
                            found |= equal(left, inner(item)?);
                        }
                        match *operator {
                            "in" => found,
                            "not in" => !found,
                            _ => return Err(Undefined::Other),
                        }
                    }
                    operand => {
                        let right = inner(operand)?;
                        let holds = compare(operator, left, right)?;
                        left = right;
                        holds
                    }
                };
                if !holds {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(Value::Bool(true))
        }
        Expr::List(_) => Err(Undefined::Other),
        Expr::Logic(join, items) => {
            let stop = *join == OR;
            let mut last = Value::Bool(!stop);
            for item in items {
                last = inner(item)?;
                if truth(last) == stop {
                    break;
                }
            }
            Ok(last)
        }
        Expr::If(parts) => {
            let [condition, yes, no] = &**parts;
            inner(if truth(inner(condition)?) { yes } else { no })
        }
        Expr::Call(function, items) => {
            let mut values = Vec::with_capacity(items.len());
            for item in items {
                values.push(inner(item)?);
            }
            call(function, &values)
        }
    }
}

fn truth(value: Value) -> bool {
    match value {
        Value::Bool(value) => value,
        Value::Int(value) => value != 0,
        Value::Float(value) => value != 0.0,
        Value::Str(text) => !text.is_empty(),
    }
}

/// A bool counts as 0 or 1.
fn number(value: Value) -> Value {
    match value {
        Value::Bool(value) => Value::Int(value.into()),
        other => other,
    }
}

fn real(value: Value) -> Result<f64, Undefined> {
    match number(value) {
        Value::Int(value) => Ok(value as f64),
        Value::Float(value) => Ok(value),
        _ => Err(Undefined::Other),
    }
}

fn arithmetic(operator: &str, a: Value, b: Value) -> Outcome {
    if let (Value::Int(x), Value::Int(y)) = (number(a), number(b)) {
        return whole(operator, x, y);
    }
    let (x, y) = (real(a)?, real(b)?);
    let division = matches!(operator, "/" | "//" | "%");
    if division && y == 0.0 {
        return Err(Undefined::DivisionByZero);
    }
    let result = match operator {
        "+" => x + y,
        "-" => x - y,
        "*" => x * y,
        "/" => x / y,
        "%" if x >= 0.0 && y > 0.0 => x % y,
        "//" | "%" => return Err(Undefined::Other),
        _ => x.powf(y),
    };
    finite(result)
}

fn finite(result: f64) -> Outcome {
    if result.is_finite() {
        Ok(Value::Float(result))
    } else {
        Err(Undefined::Other)
    }
}

fn whole(operator: &str, x: i64, y: i64) -> Outcome {
    let division = matches!(operator, "/" | "//" | "%");
    if division && y == 0 {
        return Err(Undefined::DivisionByZero);
    }
    let result = match operator {
        "+" => x.checked_add(y),
        "-" => x.checked_sub(y),
        "*" => x.checked_mul(y),
        "/" => return finite(x as f64 / y as f64),
        "//" => x
            .checked_div(y)
            .map(|q| q - i64::from(x % y != 0 && (x < 0) != (y < 0))),
        "%" => x.checked_rem(y).map(|r| {
            if r != 0 && (r < 0) != (y < 0) {
                r + y
            } else {
                r
            }
        }),
        _ => match u32::try_from(y) {
            Ok(y) => x.checked_pow(y),
            Err(_) => return finite((x as f64).powf(y as f64)),
        },
    };
    result.map(Value::Int).ok_or(Undefined::Other)
}

fn equal(a: Value, b: Value) -> bool {
    match (number(a), number(b)) {
        (Value::Str(x), Value::Str(y)) => x == y,
        (Value::Int(x), Value::Int(y)) => x == y,
        (x, y) => matches!((real(x), real(y)), (Ok(x), Ok(y)) if x == y),
    }
}

fn compare(operator: &str, a: Value, b: Value) -> Result<bool, Undefined> {
    let (x, y) = match operator {
        "==" => return Ok(equal(a, b)),
        "!=" => return Ok(!equal(a, b)),
        "in" | "not in" => return Err(Undefined::Other),
        _ => (real(a)?, real(b)?),
    };
    Ok(match operator {
        "<" => x < y,
        "<=" => x <= y,
        ">" => x > y,
        _ => x >= y,
    })
}

fn call(function: &str, values: &[Value]) -> Outcome {
    let first = *values.first().ok_or(Undefined::Other)?;
    match function {
        "bool" => Ok(Value::Bool(truth(first))),
        "float" => finite(real(first)?),
        "int" => match number(first) {
            Value::Float(value) if value.abs() < 9e18 => Ok(Value::Int(value as i64)),
            Value::Int(value) => Ok(Value::Int(value)),
            _ => Err(Undefined::Other),
        },
        "abs" => match number(first) {
            Value::Int(value) => value.checked_abs().map(Value::Int).ok_or(Undefined::Other),
            value => finite(real(value)?.abs()),
        },
        _ => {
            let mut best = first;
            for value in &values[1..] {
                let (own, other) = (real(best)?, real(*value)?);
                if (function == "min" && other < own) || (function == "max" && other > own) {
                    best = *value;
                }
            }
            real(best)?;
            Ok(best)
        }
    }
}
