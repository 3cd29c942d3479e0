//! A list of configs is numbered and connected as if rules had made it.

use crate::replay::rules;
use bico_core::Value;
use bico_search::space::Numbered;
use proptest::prelude::*;

fn parameters() -> Vec<(String, Vec<Value>)> {
    let ints = |values: &[i64]| values.iter().copied().map(Value::Int).collect();
    vec![
        ("A".into(), ints(&[4, 1, 2])),
        ("B".into(), ints(&[7])),
        ("C".into(), ints(&[0, 3, 5, 6])),
        ("D".into(), [false, true].map(Value::Bool).to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_values_and_neighbours_are_those_of_the_space(
        divisor in 1i64..6,
        least in 0i64..12,
        with_d: bool,
    ) {
        let rule = format!("(A * C + B) % {divisor} != 1 and A + C >= {least}{}", if with_d { " or D" } else { "" });
        let parameters = parameters();
        let space = rules::configs(&parameters, &[rule]).unwrap();
        let rows = (0..space.len()).rev().map(|config| space.config(config));
        let listed = Numbered::listed(&parameters, rows).unwrap();
        prop_assert_eq!(listed.len(), space.len());
        for config in 0..space.len() {
            prop_assert_eq!(listed.config(config), space.config(config));
            prop_assert_eq!(listed.neighbours(config), space.neighbours(config));
            prop_assert_eq!(listed.index_of(&space.config(config)), Some(config));
        }
        prop_assert_eq!(listed.index_of(&[Value::Int(4)]), None);
        prop_assert_eq!(listed.index_of(&[8, 7, 0, 0].map(Value::Int)), None);
    }
}
