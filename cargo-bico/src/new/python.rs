//! What a script for Kernel Tuner says: `tune_params` and restrictions, as far as they are literals.

use super::parameters::Parameter;
use crate::replay::translated;
use bico_core::Value;
use bico_syntax::bind::{Expression, Scope, intern};
use bico_syntax::{Arithmetic, parse_expr};

/// What a script says.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) parameters: Vec<Parameter>,
    pub(super) require: Vec<String>,
    /// The kernel's name.
    pub(super) kernel: Option<String>,
    pub(super) notes: Vec<String>,
}

/// Values that a parameter may have, more than anybody writes.
const MOST: usize = 4096;

pub(super) fn script(text: &str) -> Script {
    let (mut script, mut values) = (Script::default(), Vec::new());
    let mut restrictions = Vec::new();
    for statement in statements(text) {
        parameters(&statement, &mut values, &mut script.notes);
        restrictions.extend(restricted(&statement));
        if let Some((_, rest)) = statement.split_once("tune_kernel(") {
            let (first, _) = literal(rest.trim_start()).unzip();
            script.kernel = first.or(script.kernel);
        }
    }
    for restriction in restrictions {
        match translated(&restriction, &values) {
            Ok(condition) => script.require.push(condition),
            Err(why) => script
                .notes
                .push(format!("left out the restriction `{restriction}`: {why}")),
        }
    }
    script.parameters = values
        .iter()
        .map(|(name, values)| {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            Parameter {
                name: name.clone(),
                domain: format!("[{}]", values.join(", ")),
                why: String::new(),
            }
        })
        .collect();
    script
}

type Values = Vec<(String, Vec<Value>)>;

/// `tune_params["x"] = ..`, `tune_params = {"x": ..}`, `tune_params = dict(x=..)`.
fn parameters(statement: &str, values: &mut Values, notes: &mut Vec<String>) {
    let Some((target, value)) = assigned(statement) else {
        return;
    };
    let (name, value) = (target.trim(), value.trim());
    let mut pairs: Vec<(String, &str)> = Vec::new();
    if let Some((dict, key)) = name.split_once('[') {
        let key = key
            .trim_end()
            .strip_suffix(']')
            .and_then(|key| Some(literal(key)?.0));
        if let Some(key) = key.filter(|_| dict.contains("param")) {
            pairs.push((key, value));
        }
    } else if name.contains("param") {
        let inside = inside(value, "{", "}").or_else(|| inside(value, "dict(", ")"));
        for part in split(inside.unwrap_or("")) {
            let pair = part.split_once(':').filter(|_| value.contains('{'));
            let pair = pair.or_else(|| part.split_once('='));
            if let Some((key, value)) = pair {
                let key = literal(key.trim()).map_or(key.trim().to_string(), |(key, _)| key);
                pairs.push((key, value.trim()));
            }
        }
    }
    for (key, value) in pairs {
        let is_name = key.chars().all(|c| c.is_alphanumeric() || c == '_');
        match list(value).filter(|list| is_name && !list.is_empty() && list.len() <= MOST) {
            Some(list) => {
                let is_other =
                    |(known, values): &(String, Vec<Value>)| *known == key && *values != list;
                if values.iter().any(is_other) {
                    notes.push(format!("`{key}` is set twice: the later values are taken"));
                }
                values.retain(|(known, _)| *known != key);
                values.push((key, list));
            }
            None => notes.push(format!(
                "left out `{key}`: its values `{value}` are no literals"
            )),
        }
    }
}

/// `restrictions = ["x > 1"]`, as a statement or as an argument of a call.
fn restricted(statement: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = statement;
    while let Some(at) = rest.find("restrict") {
        rest = &rest[at + "restrict".len()..];
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let behind = rest[end..].trim_start().trim_start_matches('+');
        let list = behind
            .strip_prefix('=')
            .and_then(|list| inside(list.trim_start(), "[", "]"));
        let parts = split(list.unwrap_or(""));
        all.extend(parts.into_iter().filter_map(|part| Some(literal(part)?.0)));
    }
    all
}

/// The values of a list, a range, a list of what follows from one, or of several of them: `[1] + [2*i for i in range(1, 9)]`.
fn list(text: &str) -> Option<Vec<Value>> {
    let text = text.trim();
    let terms = split_at(text, '+');
    if terms.len() > 1 {
        let lists: Option<Vec<Vec<Value>>> = terms.into_iter().map(list).collect();
        let mut all = Vec::new();
        for value in lists?.concat() {
            if !all.contains(&value) {
                all.push(value);
            }
        }
        return Some(all);
    }
    if let Some(inner) = whole(text, "list(", ")").or_else(|| whole(text, "sorted(", ")")) {
        return list(inner);
    }
    if let Some(inner) = whole(text, "range(", ")") {
        let ends: Option<Vec<i64>> = split(inner).into_iter().map(integer).collect();
        let (from, to, step) = match ends?[..] {
            [to] => (0, to, 1),
            [from, to] => (from, to, 1),
            [from, to, step] if step > 0 => (from, to, step),
            _ => return None,
        };
        let step = usize::try_from(step).ok()?;
        return Some(
            (from..to)
                .step_by(step)
                .take(MOST + 1)
                .map(Value::Int)
                .collect(),
        );
    }
    let inner = whole(text, "[", "]").or_else(|| whole(text, "(", ")"))?;
    if let Some((value, rest)) = inner.split_once(" for ") {
        let (name, of) = rest.split_once(" in ")?;
        let (name, of) = (name.trim(), list(of)?);
        let condition = translated(value.trim(), &[(name.to_string(), of.clone())]).is_ok();
        return of
            .into_iter()
            .map(|item| eval(value, name, item))
            .collect::<Option<_>>()
            .filter(|_| condition);
    }
    split(inner)
        .into_iter()
        .map(|part| value(part.trim()))
        .collect()
}

fn value(text: &str) -> Option<Value> {
    match text {
        "True" => return Some(Value::Bool(true)),
        "False" => return Some(Value::Bool(false)),
        _ => {}
    }
    if let Some((inside, rest)) = literal(text) {
        let is_all = rest.trim().is_empty();
        return is_all.then(|| Value::Str(intern(&inside)));
    }
    let float = || {
        text.parse()
            .ok()
            .filter(|value: &f64| value.is_finite() && text.contains('.'))
    };
    let whole = integer(text).map(Value::Int);
    whole
        .or_else(|| float().map(Value::Float))
        .or_else(|| eval(text, "", Value::Int(0)))
}

fn integer(text: &str) -> Option<i64> {
    match value_of(text.trim(), "", Value::Int(0))? {
        Value::Int(value) => Some(value),
        _ => None,
    }
}

fn eval(text: &str, name: &str, item: Value) -> Option<Value> {
    value_of(text.trim(), name, item)
}

/// An expression of Python over one name.
fn value_of(text: &str, name: &str, item: Value) -> Option<Value> {
    if let Ok(value) = text.parse() {
        return Some(Value::Int(value));
    }
    // What is true of `x == ..` for no other value says nothing; the expression itself is wanted.
    let parameters = [(name.to_string(), vec![item])];
    let ours = crate::replay::expression(text, &parameters).ok()?;
    let names = if name.is_empty() {
        Vec::new()
    } else {
        vec![name]
    };
    let expr = parse_expr(ours.parse().ok()?, &names, Arithmetic::Integer).ok()?;
    let names: Vec<String> = names.into_iter().map(String::from).collect();
    let facts = bico_device::this_cpu();
    let compiled =
        Expression::compile(&expr, Arithmetic::Integer, &names, &Scope::default(), facts);
    compiled.ok()?.eval(&[item]).ok()
}

/// The statements of a script, each in one line without comments.
fn statements(text: &str) -> Vec<String> {
    let (mut all, mut one, mut depth) = (Vec::new(), String::new(), 0i64);
    let mut quote: Option<char> = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), c) => {
                one.push(c);
                if c == '\\' {
                    one.extend(rest.next());
                } else if c == open {
                    quote = None;
                }
                continue;
            }
            (None, '#') => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
                continue;
            }
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, '\n') if depth <= 0 => {
                all.push(std::mem::take(&mut one));
                depth = 0;
                continue;
            }
            _ => {}
        }
        one.push(if c == '\n' { ' ' } else { c });
    }
    all.push(one);
    all.retain(|statement| !statement.trim().is_empty());
    all
}

/// The two sides of an assignment.
fn assigned(statement: &str) -> Option<(&str, &str)> {
    let at = statement.find('=')?;
    let (target, value) = (&statement[..at], &statement[at + 1..]);
    (!value.starts_with('=') && !target.ends_with(['!', '<', '>', '+', '(']))
        .then_some((target, value))
}

/// What stands between the brackets that a text begins and ends with.
fn inside<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let text = text.trim();
    let at = text.find(open)?;
    let before = text[..at].trim_end_matches('.');
    let plain = before
        .chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if !plain || (!before.is_empty() && !open.starts_with(|c: char| c.is_alphabetic())) {
        return None;
    }
    let rest = &text[at + open.len()..];
    let mut depth = 1i64;
    let mut quote: Option<char> = None;
    for (end, c) in rest.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return rest[end..].starts_with(close).then(|| &rest[..end]);
        }
    }
    None
}

/// The same, where nothing stands behind: `[1, 2][::2]` is another list.
fn whole<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let found = inside(text, open, close)?;
    let (_, rest) = text.trim().split_once(open)?;
    (rest.len() == found.len() + close.len()).then_some(found)
}

/// A list at its outer commas.
fn split(text: &str) -> Vec<&str> {
    split_at(text, ',')
}

/// A text at a sign that stands in no brackets and no quotes.
fn split_at(text: &str, sign: char) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0i64, 0);
    let mut quote: Option<char> = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, c) if c == sign && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// The string that a text begins with, and the rest.
fn literal(text: &str) -> Option<(String, &str)> {
    let text = text.trim();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (inside, rest) = text[1..].split_once(quote)?;
    (!inside.contains('\\')).then(|| (inside.to_string(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_a_script() {
        let text = r#"
import kernel_tuner as kt
tune_params = dict()
tune_params["block_size_x"] = [16*i for i in range(1, 4)]  # threads
tune_params['use'] = [True, False]
tune_params["f"] = [2**i for i in range(3)]
more_params = {"type": ["float", "half"],
    "r": list(range(2, 9, 3)), "p": [0.5, 1.0]}
tune_params["x"] = make()
tune_params["tile"] = [1, 2] + [2*i for i in range(1, 4)]
tune_params["every"] = [1, 2, 3][::2]
tune_params["use"] = [False, True]
restrict = ["block_size_x*f<=64", "unknown > 1"]
kt.tune_kernel("convolution_kernel", "convolution.cu", problem_size, args, tune_params,
    restrictions=["use or f == 1"])
"#;
        let script = script(text);
        let shown: Vec<String> = script
            .parameters
            .iter()
            .map(|of| format!("{} {}", of.name, of.domain))
            .collect();
        assert_eq!(
            shown,
            [
                "block_size_x [16, 32, 48]",
                "f [1, 2, 4]",
                "type [\"float\", \"half\"]",
                "r [2, 5, 8]",
                "p [0.5, 1.0]",
                "tile [1, 2, 4, 6]",
                "use [false, true]",
            ]
        );
        assert_eq!(script.kernel.as_deref(), Some("convolution_kernel"));
        assert_eq!(script.require.len(), 2, "{:?}", script.require);
        assert_eq!(script.require[0], "block_size_x * f <= 64");
        let said = [
            "left out `x`",
            "left out `every`: its values `[1, 2, 3][::2]` are no literals",
            "`use` is set twice: the later values are taken",
            "`unknown` is no parameter",
        ];
        for (note, said) in script.notes.iter().zip(said) {
            assert!(note.contains(said), "{note}");
        }
        assert_eq!(script.notes.len(), said.len(), "{:?}", script.notes);
    }
}
