//! Random spaces, against the plain product filtered by a second evaluator.

use super::super::fixture::{space_of, spec};
use crate::space::Draw;
use Value::Int;
use bico_core::Value;
use bico_syntax::{
    BinaryOp, Domain as Declared, Expr, ExprKind, Method, Name, Parameter, TunableSpec,
};
use proc_macro2::Span;
use proptest::prelude::*;

fn expr(kind: ExprKind) -> Expr {
    Expr {
        kind,
        span: Span::call_site(),
    }
}

fn int(v: i64) -> Expr {
    expr(ExprKind::Int(v))
}

fn parameter_name(index: usize) -> String {
    format!("P{index}")
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

/// Integers over the parameters below `known`; nothing in it can fail.
fn number(known: usize) -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        (-4i64..12).prop_map(int),
        (0..known.max(1)).prop_map(move |index| match known {
            0 => int(3),
            _ => expr(ExprKind::Name(parameter_name(index))),
        }),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| binary(BinaryOp::Add, a, b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| binary(BinaryOp::Mul, a, b)),
            (inner.clone(), 1i64..5).prop_map(|(a, b)| binary(BinaryOp::Rem, a, int(b))),
            (inner.clone(), inner).prop_map(|(a, b)| expr(ExprKind::Method(
                Method::Min,
                Box::new(a),
                vec![b]
            ))),
        ]
    })
    .boxed()
}

fn condition(known: usize) -> impl Strategy<Value = Expr> {
    let op = prop_oneof![
        Just(BinaryOp::Le),
        Just(BinaryOp::Gt),
        Just(BinaryOp::Eq),
        Just(BinaryOp::Ne)
    ];
    (op, number(known), number(known)).prop_map(|(op, a, b)| binary(op, a, b))
}

fn declared(known: usize) -> impl Strategy<Value = Declared> {
    prop_oneof![
        3 => proptest::collection::btree_set(-3i64..9, 0..5)
            .prop_map(|values| Declared::In(expr(ExprKind::List(values.into_iter().rev().map(int).collect())))),
        2 => (number(known), 0i64..4, any::<bool>()).prop_map(|(start, width, inclusive)| {
            let end = binary(BinaryOp::Add, start.clone(), int(width));
            Declared::In(expr(ExprKind::Range { start: Box::new(start), end: Box::new(end), inclusive }))
        }),
        1 => number(known).prop_map(Declared::Derived),
    ]
}

fn any_spec() -> impl Strategy<Value = TunableSpec> {
    (1usize..5).prop_flat_map(|count| {
        let domains: Vec<_> = (0..count).map(|known| declared(known).boxed()).collect();
        (domains, proptest::collection::vec(condition(count), 0..4)).prop_map(
            |(domains, require)| {
                let mut spec = spec("space(A in [1])");
                spec.parameters = domains
                    .into_iter()
                    .enumerate()
                    .map(|(index, domain)| Parameter {
                        name: Name {
                            text: parameter_name(index),
                            span: Span::call_site(),
                        },
                        domain,
                        elsewhere: None,
                    })
                    .collect();
                spec.require = require;
                spec
            },
        )
    })
}

fn eval(e: &Expr, values: &[i64]) -> i64 {
    match &e.kind {
        ExprKind::Int(v) => *v,
        ExprKind::Name(name) => values[name[1..].parse::<usize>().unwrap()],
        ExprKind::Method(_, a, b) => eval(a, values).min(eval(&b[0], values)),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (eval(a, values), eval(b, values));
            match op {
                BinaryOp::Add => a + b,
                BinaryOp::Mul => a * b,
                BinaryOp::Rem => a % b,
                BinaryOp::Le => i64::from(a <= b),
                BinaryOp::Gt => i64::from(a > b),
                BinaryOp::Eq => i64::from(a == b),
                BinaryOp::Ne => i64::from(a != b),
                _ => unreachable!(),
            }
        }
        _ => unreachable!(),
    }
}

fn product(spec: &TunableSpec) -> Vec<Vec<i64>> {
    let mut rows = vec![Vec::new()];
    for parameter in &spec.parameters {
        let mut longer = Vec::new();
        for row in rows {
            let values: Vec<i64> = match &parameter.domain {
                Declared::Derived(e) => vec![eval(e, &row)],
                Declared::In(Expr {
                    kind: ExprKind::List(items),
                    ..
                }) => items.iter().map(|e| eval(e, &row)).collect(),
                Declared::In(Expr {
                    kind:
                        ExprKind::Range {
                            start,
                            end,
                            inclusive,
                        },
                    ..
                }) => (eval(start, &row)..eval(end, &row) + i64::from(*inclusive)).collect(),
                Declared::In(_) => unreachable!(),
            };
            longer.extend(
                values
                    .into_iter()
                    .map(|value| [row.clone(), vec![value]].concat()),
            );
        }
        rows = longer;
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_space_is_the_filtered_product(spec in any_spec(), seed: u64) {
        let space = space_of(&spec).unwrap();
        let raw = product(&spec);
        let (valid, invalid): (Vec<_>, Vec<_>) =
            raw.into_iter().partition(|row| spec.require.iter().all(|test| eval(test, row) == 1));
        let values = |row: &[i64]| -> Vec<Value> { row.iter().map(|v| Int(*v)).collect() };
        prop_assert_eq!(space.len(), valid.len() as u64);
        prop_assert_eq!(space.why_empty().is_some(), valid.is_empty());
        let free: Vec<usize> = (0..spec.parameters.len()).filter(|p| !space.derived[*p]).collect();
        for (number, row) in valid.iter().enumerate() {
            let number = number as u64;
            prop_assert_eq!(space.config(number), values(row));
            prop_assert_eq!(space.index_of(&values(row)), Some(number));
            prop_assert_eq!(space.why_not(&values(row)), None);
            let mut near = space.neighbours(number);
            near.sort_unstable();
            let expected: Vec<u64> = (0..valid.len() as u64)
                .filter(|other| free.iter().filter(|p| valid[*other as usize][**p] != row[**p]).count() == 1)
                .collect();
            prop_assert_eq!(near, expected);
        }
        for row in &invalid {
            prop_assert_eq!(space.index_of(&values(row)), None);
            prop_assert!(space.why_not(&values(row)).is_some());
        }
        let mut walked = Vec::new();
        let all: Vec<u64> = (0..space.len()).collect();
        space.for_some(&all, &mut |number, ids| walked.push((number, ids.to_vec())));
        let expected: Vec<_> = (0..space.len()).map(|number| (number, space.ids(number))).collect();
        prop_assert_eq!(walked, expected);
        let draw = Draw::new(space.len(), fastrand::Rng::with_seed(seed));
        let mut sample: Vec<u64> = draw.take(valid.len() / 2 + 1).collect();
        sample.sort_unstable();
        prop_assert_eq!(sample.len(), (valid.len() / 2 + 1).min(valid.len()));
        prop_assert!(sample.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(sample.iter().all(|number| *number < space.len()));
    }
}
