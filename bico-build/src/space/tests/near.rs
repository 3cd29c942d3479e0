//! Configs close to one, and spaces given as lists.

use super::super::fixture::space;
use super::super::*;
use Value::{Bool, Int, Str};

fn values(space: &Space, configs: &[u64]) -> Vec<Vec<Value>> {
    configs.iter().map(|config| space.config(*config)).collect()
}

#[test]
fn adjacent_values_in_both_directions() {
    let space = space(
        "space(A in [8, 1, 4, 2], B in [\"x\", \"y\", \"z\"], C = A * 2, ON in [false, true]), \
         require(A != 4 || B == \"x\")",
    )
    .unwrap();
    let config = space
        .index_of(&[Int(2), Str("y"), Int(4), Bool(false)])
        .unwrap();
    assert_eq!(
        values(&space, &space.adjacent(config)),
        [
            vec![Int(1), Str("y"), Int(2), Bool(false)],
            // 4 would be nearer, but is not valid here.
            vec![Int(8), Str("y"), Int(16), Bool(false)],
            vec![Int(2), Str("x"), Int(4), Bool(false)],
            vec![Int(2), Str("z"), Int(4), Bool(false)],
            vec![Int(2), Str("y"), Int(4), Bool(true)],
        ]
    );
    for config in 0..space.len() {
        let neighbours = space.neighbours(config);
        let adjacent = space.adjacent(config);
        assert!(adjacent.iter().all(|near| neighbours.contains(near)));
    }
}

#[test]
fn columns_list_what_each_config_holds() {
    let space =
        space("space(A in 0..300, B in [0, 1, 2], C = A * B), require(A % 7 != B)").unwrap();
    let columns = space.columns(|value| value);
    let Columns::U16(ids) = space.id_columns() else {
        panic!("300 values need 16 bits");
    };
    for config in 0..space.len() {
        let row: Vec<Value> = columns
            .iter()
            .map(|column| column[config as usize])
            .collect();
        assert_eq!(row, space.config(config));
        let row: Vec<u32> = ids
            .iter()
            .map(|column| column[config as usize].into())
            .collect();
        assert_eq!(row, space.ids(config));
    }
    let some: Vec<u64> = (0..space.len()).filter(|config| config % 11 < 2).collect();
    let mut visited = Vec::new();
    space.for_some(&some, |config, ids| visited.push((config, ids.to_vec())));
    let expected: Vec<_> = some
        .iter()
        .map(|config| (*config, space.ids(*config)))
        .collect();
    assert_eq!(visited, expected);
}
