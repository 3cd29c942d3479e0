//! From a Python expression to the text of one of ours.

use super::parser::{Expr, parse};
use super::text::{AND, COMPARISON, Join, OR, POSTFIX, PREFIX, PRODUCT, SUM, WEAKEST};
use super::text::{Kind, Text, joined, literal, same_kind};
use super::tried::{EXACT, always, is_within};
use crate::replay::table::Parameters;
use bico_core::Value;

/// What rounds down writes its left side twice, so texts can double with each operator.
const LONGEST: usize = 10_000;

/// Translates a restriction over parameters with these values. The result is a condition: true
/// where Python takes the restriction's value for true.
///
/// # Errors
///
/// Why there is no expression of ours with exactly the same meaning.
pub(crate) fn translate(text: &str, parameters: &Parameters) -> Result<String, String> {
    let expr = parse(text, &names(parameters))?;
    let translator = Translator { parameters };
    Ok(translator.condition(&expr)?.text)
}

/// Translates an expression that is wanted for its value.
///
/// # Errors
///
/// As [`translate`].
pub(crate) fn expression(text: &str, parameters: &Parameters) -> Result<String, String> {
    let expr = parse(text, &names(parameters))?;
    let translator = Translator { parameters };
    Ok(translator.text(&expr)?.text)
}

fn names(parameters: &Parameters) -> Vec<&str> {
    parameters.iter().map(|(name, _)| name.as_str()).collect()
}

struct Translator<'a> {
    parameters: &'a Parameters,
}

impl Translator<'_> {
    fn text(&self, expr: &Expr) -> Result<Text, String> {
        match expr {
            Expr::Value(value) => Ok(literal(*value)),
            Expr::Name(name) => {
                let (name, values) = &self.parameters[*name];
                let kind = values.first().map_or(Kind::Int, Kind::of);
                Ok(Text::new(name, kind, POSTFIX))
            }
            Expr::Negative(a) => {
                let a = self.text(a)?.number()?;
                Ok(Text::new(format!("-{}", a.at(POSTFIX)), a.kind, PREFIX))
            }
            Expr::Not(a) => {
                let a = self.condition(a)?;
                Ok(Text::new(format!("!{}", a.at(POSTFIX)), Kind::Bool, PREFIX))
            }
            Expr::Arithmetic(operator, operands) => {
                let [left, right] = &**operands;
                let (left, right) = (self.text(left)?.number()?, self.text(right)?.number()?);
                self.arithmetic(operator, left, right)
            }
            Expr::Chain(first, rest) => self.chain(first, rest),
            Expr::List(_) => Err("a list is no number".into()),
            Expr::Logic(join, items) => self.logic(items, *join),
            Expr::If(parts) => {
                let [condition, yes, no] = &**parts;
                either(self.condition(condition)?, self.text(yes)?, self.text(no)?)
            }
            Expr::Call(function, items) => self.call(function, items),
        }
    }

    /// Whether Python takes an expression for true: there it does not matter which operand `and` and
    /// `or` give.
    fn condition(&self, expr: &Expr) -> Result<Text, String> {
        let Expr::Logic(join, items) = expr else {
            return Ok(self.text(expr)?.truth());
        };
        let parts = items.iter().map(|item| self.condition(item));
        Ok(joined(parts.collect::<Result<_, _>>()?, *join))
    }

    fn arithmetic(&self, operator: &str, left: Text, right: Text) -> Result<Text, String> {
        let whole = left.kind == Kind::Int && right.kind == Kind::Int;
        let positive = || self.is_from(&left, 0.0) && self.is_from(&right, 0.0);
        match operator {
            "+" | "-" => binary(left, right, operator, SUM),
            "*" => binary(left, right, "*", PRODUCT),
            "/" if whole && self.is_exact(&left, &right) => binary(left, right, "/", PRODUCT),
            "/" => {
                // Beyond that, Python rounds the quotient once, we would round three times.
                if whole && !(self.is_known(&left) && self.is_known(&right)) {
                    return Err(format!("the division may be of numbers beyond {EXACT}"));
                }
                let (left, right) = (left.cast(Kind::Float)?, right.cast(Kind::Float)?);
                binary(left, right, "/", PRODUCT)
            }
            "%" if positive() => binary(left, right, "%", PRODUCT),
            "//" if whole && positive() => binary(left, right, "/", PRODUCT),
            // Rounded down, a / b is -ceil(-a / b).
            "//" | "%" if whole => {
                if left.text.len() > LONGEST {
                    return Err("it rounds down too often".into());
                }
                let negated = format!("(-{}).div_ceil({})", left.at(POSTFIX), right.text);
                if operator == "//" {
                    return Ok(Text::new(format!("-{negated}"), Kind::Int, PREFIX));
                }
                let text = format!("{} + {} * {negated}", left.at(SUM), right.at(PRODUCT));
                Ok(Text::new(text, Kind::Int, SUM))
            }
            "//" => Err("`//` of numbers that may be no whole ones".into()),
            "%" => Err("`%` of numbers that may be negative and no whole ones".into()),
            // `**`
            _ => {
                let (left, right) = if whole && self.is_from(&right, 0.0) {
                    (left, right)
                } else if whole {
                    return Err("`**` with an exponent that may be negative".into());
                } else {
                    (left.cast(Kind::Float)?, right.cast(Kind::Float)?)
                };
                let text = format!("{}.pow({})", left.at(POSTFIX), right.text);
                Ok(Text::new(text, left.kind, POSTFIX))
            }
        }
    }

    /// Whether it is exact as `f64`, and can't be below `least`.
    fn is_from(&self, text: &Text, least: f64) -> bool {
        always(&[text], self.parameters, &|values| {
            is_within(values[0], least)
        })
    }

    /// Whether `f64` counts it exactly.
    fn is_known(&self, text: &Text) -> bool {
        self.is_from(text, -EXACT)
    }

    /// Whether a division of whole numbers leaves no remainder. A divisor of 0 is an error there and here.
    fn is_exact(&self, a: &Text, b: &Text) -> bool {
        always(&[a, b], self.parameters, &|values| match values {
            [Value::Int(_), Value::Int(0)] => true,
            [Value::Int(x), Value::Int(y)] => x.checked_rem(*y) == Some(0),
            _ => false,
        })
    }

    fn chain(&self, first: &Expr, rest: &[(&str, Expr)]) -> Result<Text, String> {
        let mut parts = Vec::with_capacity(rest.len());
        let mut left = first;
        for (operator, operand) in rest {
            parts.push(match operand {
                Expr::List(items) => self.membership(operator, left, items)?,
                operand => self.comparison(operator, left, operand)?,
            });
            left = operand;
        }
        Ok(joined(parts, AND))
    }

    fn comparison(&self, sign: &str, a: &Expr, b: &Expr) -> Result<Text, String> {
        let (a, b) = (self.text(a)?, self.text(b)?);
        if sign.ends_with("in") {
            return Err("`in` without a list".into());
        }
        let exact = |text: &Text| text.kind == Kind::Float || self.is_known(text);
        let equality = matches!(sign, "==" | "!=");
        let (a, b) = match (a.kind, b.kind) {
            (Kind::Str, Kind::Str) | (Kind::Bool, Kind::Bool) if equality => (a, b),
            // In Python a string equals no number.
            (Kind::Str, other) | (other, Kind::Str) if equality && other != Kind::Str => {
                return Ok(Text::new((sign == "!=").to_string(), Kind::Bool, POSTFIX));
            }
            (Kind::Str, _) | (_, Kind::Str) => {
                return Err("strings are compared by their order".into());
            }
            // Python compares whole and real numbers exactly; ours must be of one kind.
            (Kind::Float, _) | (_, Kind::Float) if !(exact(&a) && exact(&b)) => {
                return Err(format!("numbers that may be beyond {EXACT} are compared"));
            }
            _ => same_kind(a.number()?, b.number()?)?,
        };
        let text = format!("{} {sign} {}", a.at(SUM), b.at(SUM));
        Ok(Text::new(text, Kind::Bool, COMPARISON))
    }

    fn membership(&self, operator: &str, a: &Expr, items: &[Expr]) -> Result<Text, String> {
        let (equality, join, nothing) = match operator {
            "in" => ("==", OR, "false"),
            "not in" => ("!=", AND, "true"),
            _ => return Err("a list is compared".into()),
        };
        if items.is_empty() {
            return Ok(Text::new(nothing, Kind::Bool, POSTFIX));
        }
        let parts = items.iter().map(|item| self.comparison(equality, a, item));
        Ok(joined(parts.collect::<Result<_, _>>()?, join))
    }

    /// `and` and `or`, which give one of their operands in Python.
    fn logic(&self, items: &[Expr], join: Join) -> Result<Text, String> {
        let texts = items.iter().map(|item| self.text(item));
        let mut texts = texts.collect::<Result<Vec<Text>, _>>()?;
        if texts.iter().all(|text| text.kind == Kind::Bool) {
            return Ok(joined(texts, join));
        }
        let mut result = texts.pop().ok_or("an operand is missing")?;
        for text in texts.into_iter().rev() {
            let condition = text.clone().truth();
            result = match join == AND {
                true => either(condition, result, text)?,
                false => either(condition, text, result)?,
            };
        }
        Ok(result)
    }

    fn call(&self, function: &str, items: &[Expr]) -> Result<Text, String> {
        if function == "bool" {
            return self.condition(&items[0]);
        }
        let mut numbers = items.iter().map(|item| self.text(item)?.number());
        let mut result = numbers.next().ok_or("an argument is missing")??;
        match function {
            "int" => return result.cast(Kind::Int),
            "float" => return result.cast(Kind::Float),
            "abs" => {
                result = Text::new(
                    format!("{}.abs()", result.at(POSTFIX)),
                    result.kind,
                    POSTFIX,
                )
            }
            // `min` and `max`
            _ => {
                for number in numbers {
                    let (left, right) = same_kind(result, number?)?;
                    let text = format!("{}.{function}({})", left.at(POSTFIX), right.text);
                    result = Text::new(text, left.kind, POSTFIX);
                }
            }
        }
        Ok(result)
    }
}

fn binary(left: Text, right: Text, sign: &str, strength: u8) -> Result<Text, String> {
    let (left, right) = same_kind(left, right)?;
    let text = format!("{} {sign} {}", left.at(strength), right.at(strength + 1));
    Ok(Text::new(text, left.kind, strength))
}

fn either(condition: Text, yes: Text, no: Text) -> Result<Text, String> {
    let (yes, no) = same_kind(yes, no)?;
    let text = format!(
        "if {} {{ {} }} else {{ {} }}",
        condition.text, yes.text, no.text
    );
    Ok(Text::new(text, yes.kind, WEAKEST))
}
