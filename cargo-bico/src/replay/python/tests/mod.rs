mod table;
mod value;

use super::translate;
use crate::replay::rules;
use bico_core::Value;
use proptest::prelude::*;
use value::value;

/// The parameters that the table was made with.
fn parameters() -> Vec<(String, Vec<Value>)> {
    let ints = |values: &[i64]| values.iter().copied().map(Value::Int).collect();
    let floats = |values: &[f64]| values.iter().copied().map(Value::Float).collect();
    [
        ("a", ints(&[-7, -3, -1, 0, 2, 5, 8])),
        ("b", ints(&[-4, -2, 1, 3, 8])),
        ("p", ints(&[1, 2, 4, 8, 16, 32])),
        ("q", ints(&[8, 16, 32])),
        ("f", floats(&[0.5, 1.0, 2.5])),
        ("g", floats(&[-1.5, 0.25])),
        ("t", vec![Value::Bool(false), Value::Bool(true)]),
        ("s", vec![Value::Str("float"), Value::Str("half")]),
    ]
    .map(|(name, values): (&str, Vec<Value>)| (name.into(), values))
    .to_vec()
}

/// For each combination of values whether the front door takes it for valid.
fn truths(expression: &str, parameters: &[(String, Vec<Value>)]) -> Result<String, String> {
    let space = rules::configs(parameters, &[expression.into()])?;
    let mut truths = String::new();
    let combinations: usize = parameters.iter().map(|(_, values)| values.len()).product();
    for combination in 0..combinations {
        let values = combined(parameters, combination);
        truths.push(if space.index_of(&values).is_some() {
            '1'
        } else {
            '0'
        });
    }
    Ok(truths)
}

/// The last parameter changes fastest.
fn combined(parameters: &[(String, Vec<Value>)], mut combination: usize) -> Vec<Value> {
    let mut values = Vec::new();
    for (_, domain) in parameters.iter().rev() {
        values.push(domain[combination % domain.len()]);
        combination /= domain.len();
    }
    values.reverse();
    values
}

fn reads(names: &str) -> Vec<(String, Vec<Value>)> {
    let all = parameters();
    let wanted = names.split(' ');
    wanted
        .map(|name| all.iter().find(|(known, _)| known == name).unwrap().clone())
        .collect()
}

#[test]
fn every_row_means_what_python_says() {
    for (expression, names, expected) in table::TABLE {
        let parameters = reads(names);
        let found = truths(expression, &parameters);
        let text = translate(expression, &parameters);
        assert_eq!(found.as_deref(), Ok(*expected), "{expression}: {text:?}");
    }
}

#[test]
fn our_own_reading_of_python_agrees_with_it() {
    for (expression, names, expected) in table::TABLE {
        let parameters = reads(names);
        let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
        let parsed = super::parser::parse(expression, &names).unwrap();
        let not = super::parser::Expr::Not(Box::new(parsed));
        let mut found = String::new();
        for combination in 0..expected.len() {
            let truth = value(&not, &combined(&parameters, combination));
            found.push(match truth {
                Ok(Value::Bool(not)) => {
                    if not {
                        '0'
                    } else {
                        '1'
                    }
                }
                other => panic!("{expression}: {other:?}"),
            });
        }
        assert_eq!(&found, expected, "{expression}");
    }
}

#[test]
fn the_text_is_as_simple_as_the_values_allow() {
    let text = |expression| translate(expression, &parameters()).unwrap();
    assert_eq!(text("q % ((p * q) / p) == 0"), "q % (p * q / p) == 0");
    assert_eq!(text("8 <= p * q <= 128"), "8 <= p * q && p * q <= 128");
    assert_eq!(
        text("p // 3 == 1 and p % 3 == 0"),
        "p / 3 == 1 && p % 3 == 0"
    );
    assert_eq!(text("a // 3 == 1"), "-(-a).div_ceil(3) == 1");
    assert_eq!(text("p and q"), "p != 0 && q != 0");
    assert_eq!(text("(p and q) == 8"), "(if p != 0 { q } else { p }) == 8");
    assert_eq!(text("t or p > 4"), "t || p > 4");
    assert_eq!(text("p / 3 > 2"), "(p as f64) / (3 as f64) > (2 as f64)");
}

#[test]
fn what_has_no_counterpart_is_refused() {
    for (expression, why) in [
        ("(p, ) == (2, )", "a list is compared"),
        ("p & 1 == 0", "`&` is not translated"),
        ("lambda: 1", "`lambda` is not expected there"),
        ("s < \"half\"", "strings are compared by their order"),
        ("a // f > 1", "`//` of numbers that may be no whole ones"),
        (
            "g % 0.5 == 0",
            "`%` of numbers that may be negative and no whole ones",
        ),
        ("2 ** a > 1", "`**` with an exponent that may be negative"),
        ("p is 4", "`is` is not expected there"),
        ("len(s) == 4", "`len(..)` is not translated"),
        ("\"half\" + s == 4", "`\"half\"` is used as a number"),
        (
            "a / 2 // 2 == 1",
            "`//` of numbers that may be no whole ones",
        ),
        ("p == 4 5", "`5` is not expected there"),
        ("(p == 4", "`)` is missing at the end"),
        ("p in 4", "`in` without a list"),
        ("x == 4", "`x` is no parameter"),
        ("", "it ends where a value is wanted"),
        (
            "99999999999999999999 > p",
            "`99999999999999999999` does not fit into 64 bits",
        ),
        ("1 if p", "`if` without `else`"),
        ("p == 'a", "a string has no end"),
    ] {
        assert_eq!(
            translate(expression, &parameters()),
            Err(why.into()),
            "{expression}"
        );
    }
}

#[test]
fn no_restriction_is_too_deep_for_the_stack() {
    let valid = |expression: &str| truths(expression, &reads("p"));
    for depth in [10_000, 121] {
        for (open, close) in [
            ("(", ")"),
            ("-", ""),
            ("not ", ""),
            ("abs(", ")"),
            ("2**", ""),
        ] {
            let text = open.repeat(depth) + "p" + &close.repeat(depth);
            assert!(translate(&text, &parameters()).is_err(), "{open}");
        }
    }
    for operator in ["+", "*", "%", "-"] {
        let many = format!("{}p", format!("p {operator} ").repeat(110));
        // The numbers may overflow, but the stack must not.
        assert!(translate(&many, &parameters()).is_ok());
        let _ = valid(&many);
        assert!(
            translate(
                &format!("{}p", format!("p {operator} ").repeat(121)),
                &parameters()
            )
            .is_err()
        );
    }
    let nested = "(".repeat(25) + "p" + &")".repeat(25);
    assert_eq!(valid(&format!("{nested} == 4")).as_deref(), Ok("001000"));
    let list: Vec<String> = (3..400).map(|value| value.to_string()).collect();
    assert_eq!(
        valid(&format!("p in [{}]", list.join(", "))).as_deref(),
        Ok("001111")
    );
}

/// Random expressions over two parameters.
fn any_expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("a".to_string()),
        Just("b".to_string()),
        Just("p".to_string()),
        (0i64..20).prop_map(|value| value.to_string()),
        Just("True".to_string()),
        Just("2.5".to_string()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        let operators = [
            "+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", "and", "or", "> 1 and not",
        ];
        prop_oneof![
            6 => (pair, proptest::sample::select(operators.to_vec()))
                .prop_map(|((a, b), operator)| format!("({a} {operator} {b})")),
            1 => inner.clone().prop_map(|a| format!("(-{a})")),
            1 => inner.clone().prop_map(|a| format!("abs({a})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("min({a}, {b})")),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("({a} < {b} <= {c})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn translated_or_refused_but_never_changed(expression in any_expression()) {
        let parameters = reads("a b p");
        let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
        let parsed = super::parser::parse(&expression, &names).unwrap();
        // Where Python divides by zero, so do we: then there is nothing to compare.
        let found = truths(&expression, &parameters);
        if let Err(why) = &found {
            prop_assert!(why.contains("is not translated") || why.contains("cannot be evaluated"), "{expression}: {why}");
        }
        if let Ok(found) = found {
            let not = super::parser::Expr::Not(Box::new(parsed));
            for (combination, found) in found.chars().enumerate() {
                if let Ok(not) = value(&not, &combined(&parameters, combination)) {
                    prop_assert_eq!(not, Value::Bool(found == '0'), "{}", translate(&expression, &parameters).unwrap());
                }
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        let _ = translate(&text, &parameters());
    }

    #[test]
    fn any_tokens_are_read_or_refused(tokens in proptest::collection::vec(proptest::sample::select(&[
        "a", "b", "f", "s", "t", "1", "0", "2.5", "'x'", "+", "-", "*", "/", "//", "%", "**", "(", ")", "[", "]", ",",
        "and", "or", "not", "in", "if", "else", "==", "<", ">=", "min", "abs", "int",
    ][..]), 0..20)) {
        let _ = translate(&tokens.join(" "), &parameters());
    }
}
