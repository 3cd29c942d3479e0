//! Configs close to one, walks, and spaces given as lists.

use super::super::fixture::space;
use super::super::*;
use Value::{Bool, Int, Str};
use bico_core::Value;

fn values(space: &Numbered, configs: &[u64]) -> Vec<Vec<Value>> {
    configs.iter().map(|config| space.config(*config)).collect()
}

#[test]
fn some_configs_are_visited_with_their_ids() {
    let space =
        space("space(A in 0..300, B in [0, 1, 2], C = A * B), require(A % 7 != B)").unwrap();
    let some: Vec<u64> = (0..space.len()).filter(|config| config % 11 < 2).collect();
    let mut visited = Vec::new();
    space.for_some(&some, &mut |config, ids| {
        visited.push((config, ids.to_vec()))
    });
    let expected: Vec<_> = some
        .iter()
        .map(|config| (*config, space.ids(*config)))
        .collect();
    assert_eq!(visited, expected);
}

#[test]
fn a_list_is_numbered_as_a_space_is() {
    let parameters = [
        ("A".to_string(), vec![Int(4), Int(2)]),
        ("B".to_string(), [1, 2, 3].map(Int).to_vec()),
        ("S".to_string(), vec![Str("x"), Str("y")]),
    ];
    let rows = [
        (4, 1, "x"),
        (2, 1, "y"),
        (4, 2, "y"),
        (4, 1, "y"),
        (2, 3, "x"),
        (4, 1, "y"),
    ];
    let rows = rows.map(|(a, b, s)| vec![Int(a), Int(b), Str(s)]);
    let space = Numbered::listed(&parameters, rows.clone()).unwrap();
    // By the parameters' values: 4 before 2, 1 before 2 before 3, x before y.
    let order = [0, 3, 2, 1, 4].map(|at: usize| rows[at].clone());
    assert_eq!(values(&space, &[0, 1, 2, 3, 4]), order);
    for (number, row) in order.iter().enumerate() {
        assert_eq!(space.index_of(row), Some(number as u64));
    }
    assert_eq!(space.len(), 5);
    assert_eq!(space.neighbours(1), [3, 2, 0]);
    assert_eq!(space.index_of(&[Int(2), Int(2), Str("x")]), None);
    assert_eq!(space.index_of(&[Int(3), Int(2), Str("x")]), None);
    assert!(!space.derived[0]);
}

#[test]
fn mistakes_in_a_list() {
    let parameters = ["A", "B"].map(|name| (name.to_string(), vec![Int(1), Int(2)]));
    let error = |rows: &[&[Value]]| {
        let rows = rows.iter().map(|row| row.to_vec());
        Numbered::listed(&parameters, rows).unwrap_err().message
    };
    assert_eq!(
        error(&[&[Int(1), Int(2)], &[Int(1)]]),
        "row 2 has 1 values, but there are 2 parameters"
    );
    assert_eq!(
        error(&[&[Int(1), Int(2)], &[Int(1), Bool(true)]]),
        "row 2: true is no value of B"
    );
    let none = Numbered::listed(&parameters, []).unwrap();
    assert_eq!((none.len(), none.index_of(&[Int(1), Int(2)])), (0, None));
}
