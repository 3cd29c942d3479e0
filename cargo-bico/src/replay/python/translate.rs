//! From a Python expression to the text of one of ours.

use super::parser::parse;
use super::text::strength::{AND, COMPARISON, OR, POSTFIX, PREFIX, PRODUCT, SUM, WEAKEST};
use super::text::{Kind, Text, joined, literal, no_bool, same_kind};
use super::tree::{Comparison, Expr, Function, Operator};
use super::tried::{EXACT, always, is_within};
use bico_core::Value;

/// What rounds down writes its left side twice, so texts can double with each operator.
const LONGEST: usize = 10_000;

/// Translates a restriction over parameters with these values. The result is a condition: true
/// where Python takes the restriction's value for true.
///
/// # Errors
///
/// Why there is no expression of ours with exactly the same meaning.
pub(in super::super) fn translate(
    text: &str,
    parameters: &[(String, Vec<Value>)],
) -> Result<String, String> {
    let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let expr = parse(text, &names)?;
    let translator = Translator { parameters };
    Ok(translator.condition(&expr)?.text)
}

struct Translator<'a> {
    parameters: &'a [(String, Vec<Value>)],
}

impl Translator<'_> {
    fn text(&self, expr: &Expr) -> Result<Text, String> {
        match expr {
            Expr::Value(value) => Ok(literal(*value)),
            Expr::Name(name) => Ok(self.parameter(*name)),
            Expr::Negative(a) => {
                let a = self.number(a)?;
                Ok(Text::new(format!("-{}", a.at(POSTFIX)), a.kind, PREFIX))
            }
            Expr::Not(a) => {
                let a = self.condition(a)?;
                Ok(Text::new(format!("!{}", a.at(POSTFIX)), Kind::Bool, PREFIX))
            }
            Expr::Arithmetic(operator, a, b) => self.arithmetic(*operator, a, b),
            Expr::Chain(first, rest) => self.chain(first, rest),
            Expr::List(_) => Err("a list is no number".into()),
            Expr::And(items) => self.logic(items, " && ", AND),
            Expr::Or(items) => self.logic(items, " || ", OR),
            Expr::If(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.condition(condition)?;
                self.either(condition, self.text(yes)?, self.text(no)?)
            }
            Expr::Call(function, items) => self.call(*function, items),
        }
    }

    /// Whether Python takes an expression for true: there it does not matter which operand `and` and
    /// `or` give.
    fn condition(&self, expr: &Expr) -> Result<Text, String> {
        let (items, sign, strength) = match expr {
            Expr::And(items) => (items, " && ", AND),
            Expr::Or(items) => (items, " || ", OR),
            other => return Ok(self.text(other)?.truth()),
        };
        let parts: Result<Vec<Text>, String> =
            items.iter().map(|item| self.condition(item)).collect();
        Ok(joined(parts?, sign, strength))
    }

    fn parameter(&self, name: usize) -> Text {
        let (name, values) = &self.parameters[name];
        let kind = match values.first() {
            Some(Value::Float(_)) => Kind::Float,
            Some(Value::Bool(_)) => Kind::Bool,
            Some(Value::Str(_)) => Kind::Str,
            Some(Value::Int(_)) | None => Kind::Int,
        };
        Text::new(name, kind, POSTFIX)
    }

    /// An operand of arithmetic: a bool counts as 0 or 1.
    fn number(&self, expr: &Expr) -> Result<Text, String> {
        let text = self.text(expr)?;
        let kind = if text.kind == Kind::Float {
            Kind::Float
        } else {
            Kind::Int
        };
        text.cast(kind)
    }

    fn arithmetic(&self, operator: Operator, a: &Expr, b: &Expr) -> Result<Text, String> {
        let (left, right) = (self.number(a)?, self.number(b)?);
        let whole = left.kind == Kind::Int && right.kind == Kind::Int;
        let plain =
            |sign: &str, strength: u8| self.binary(left.clone(), right.clone(), sign, strength);
        match operator {
            Operator::Add => plain("+", SUM),
            Operator::Sub => plain("-", SUM),
            Operator::Mul => plain("*", PRODUCT),
            Operator::True if whole && self.is_exact(&left, &right) => plain("/", PRODUCT),
            Operator::True => {
                // Beyond that, Python rounds the quotient once, we would round three times.
                if whole && !(self.is_known(&left) && self.is_known(&right)) {
                    return Err(format!("the division may be of numbers beyond {EXACT}"));
                }
                let (left, right) = (left.cast(Kind::Float)?, right.cast(Kind::Float)?);
                self.binary(left, right, "/", PRODUCT)
            }
            Operator::Modulo if self.is_positive(&left) && self.is_positive(&right) => {
                plain("%", PRODUCT)
            }
            Operator::Floor if whole && self.is_positive(&left) && self.is_positive(&right) => {
                plain("/", PRODUCT)
            }
            // Rounded down, a / b is -ceil(-a / b).
            Operator::Floor | Operator::Modulo if whole => {
                if left.text.len() > LONGEST {
                    return Err("it rounds down too often".into());
                }
                let (a, b) = (left.at(POSTFIX), right);
                let negated = format!("(-{a}).div_ceil({})", b.text);
                Ok(if operator == Operator::Floor {
                    Text::new(format!("-{negated}"), Kind::Int, PREFIX)
                } else {
                    Text::new(
                        format!("{} + {} * {negated}", left.at(SUM), b.at(PRODUCT)),
                        Kind::Int,
                        SUM,
                    )
                })
            }
            Operator::Floor => Err("`//` of numbers that may be no whole ones".into()),
            Operator::Modulo => Err("`%` of numbers that may be negative and no whole ones".into()),
            Operator::Power => {
                let (left, right) = if whole && self.is_positive(&right) {
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

    fn binary(&self, left: Text, right: Text, sign: &str, strength: u8) -> Result<Text, String> {
        let (left, right) = same_kind(left, right)?;
        let text = format!("{} {sign} {}", left.at(strength), right.at(strength + 1));
        Ok(Text::new(text, left.kind, strength))
    }

    /// Whether it can't be below 0.
    fn is_positive(&self, text: &Text) -> bool {
        always([text], self.parameters, |[value]| is_within(value, 0.0))
    }

    /// Whether `f64` counts it exactly.
    fn is_known(&self, text: &Text) -> bool {
        always([text], self.parameters, |[value]| is_within(value, -EXACT))
    }

    /// Whether a division of whole numbers leaves no remainder. A divisor of 0 is an error there and here.
    fn is_exact(&self, a: &Text, b: &Text) -> bool {
        always([a, b], self.parameters, |values| match values {
            [Value::Int(_), Value::Int(0)] => true,
            [Value::Int(x), Value::Int(y)] => x.checked_rem(y) == Some(0),
            _ => false,
        })
    }

    fn chain(&self, first: &Expr, rest: &[(Comparison, Expr)]) -> Result<Text, String> {
        let mut parts = Vec::with_capacity(rest.len());
        let mut left = first;
        for (operator, operand) in rest {
            let part = match operand {
                Expr::List(items) => self.membership(*operator, left, items)?,
                operand => self.comparison(*operator, left, operand)?,
            };
            parts.push(part);
            left = operand;
        }
        Ok(joined(parts, " && ", AND))
    }

    fn comparison(&self, operator: Comparison, a: &Expr, b: &Expr) -> Result<Text, String> {
        let (a, b) = (self.text(a)?, self.text(b)?);
        let exact = |text: &Text| text.kind == Kind::Float || self.is_known(text);
        let sign = match operator {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
            Comparison::In | Comparison::NotIn => return Err("`in` without a list".into()),
        };
        let equality = matches!(operator, Comparison::Equal | Comparison::NotEqual);
        let strings = [a.kind, b.kind]
            .iter()
            .filter(|kind| **kind == Kind::Str)
            .count();
        let (a, b) = match strings {
            1 if equality => {
                // In Python a string equals no number.
                let text = (operator == Comparison::NotEqual).to_string();
                return Ok(Text::new(text, Kind::Bool, POSTFIX));
            }
            2 if equality => (a, b),
            0 if a.kind == Kind::Bool && b.kind == Kind::Bool && equality => (a, b),
            // Python compares whole and real numbers exactly; ours must be of one kind.
            0 if [a.kind, b.kind].contains(&Kind::Float) && !(exact(&a) && exact(&b)) => {
                return Err(format!("numbers that may be beyond {EXACT} are compared"));
            }
            0 => same_kind(no_bool(a)?, no_bool(b)?)?,
            _ => return Err("strings are compared by their order".into()),
        };
        let text = format!("{} {sign} {}", a.at(SUM), b.at(SUM));
        Ok(Text::new(text, Kind::Bool, COMPARISON))
    }

    fn membership(&self, operator: Comparison, a: &Expr, items: &[Expr]) -> Result<Text, String> {
        let (equality, join, strength, nothing) = match operator {
            Comparison::In => (Comparison::Equal, " || ", OR, "false"),
            Comparison::NotIn => (Comparison::NotEqual, " && ", AND, "true"),
            _ => return Err("a list is compared".into()),
        };
        let parts: Result<Vec<Text>, String> = items
            .iter()
            .map(|item| self.comparison(equality, a, item))
            .collect();
        let parts = parts?;
        if parts.is_empty() {
            return Ok(Text::new(nothing, Kind::Bool, POSTFIX));
        }
        Ok(joined(parts, join, strength))
    }

    /// `and` and `or`, which give one of their operands in Python.
    fn logic(&self, items: &[Expr], sign: &str, strength: u8) -> Result<Text, String> {
        let texts: Result<Vec<Text>, String> = items.iter().map(|item| self.text(item)).collect();
        let mut texts = texts?;
        if texts.iter().all(|text| text.kind == Kind::Bool) {
            return Ok(joined(texts, sign, strength));
        }
        let mut result = texts.pop().ok_or("an operand is missing")?;
        for text in texts.into_iter().rev() {
            let condition = text.clone().truth();
            result = if strength == AND {
                self.either(condition, result, text)?
            } else {
                self.either(condition, text, result)?
            };
        }
        Ok(result)
    }

    fn either(&self, condition: Text, yes: Text, no: Text) -> Result<Text, String> {
        let (yes, no) = same_kind(yes, no)?;
        let text = format!(
            "if {} {{ {} }} else {{ {} }}",
            condition.text, yes.text, no.text
        );
        Ok(Text::new(text, yes.kind, WEAKEST))
    }

    fn call(&self, function: Function, items: &[Expr]) -> Result<Text, String> {
        let first = || items.first().ok_or("an argument is missing");
        match function {
            Function::Bool => self.condition(first()?),
            Function::Int => self.number(first()?)?.cast(Kind::Int),
            Function::Float => self.number(first()?)?.cast(Kind::Float),
            Function::Abs => {
                let text = self.number(first()?)?;
                Ok(Text::new(
                    format!("{}.abs()", text.at(POSTFIX)),
                    text.kind,
                    POSTFIX,
                ))
            }
            Function::Min | Function::Max => {
                let mut result = self.number(first()?)?;
                for item in &items[1..] {
                    let (left, right) = same_kind(result, self.number(item)?)?;
                    let name = if function == Function::Min {
                        "min"
                    } else {
                        "max"
                    };
                    let text = format!("{}.{name}({})", left.at(POSTFIX), right.text);
                    result = Text::new(text, left.kind, POSTFIX);
                }
                Ok(result)
            }
        }
    }
}
