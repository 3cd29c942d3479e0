//! The order of blocks.

use crate::Mapping;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn mappings() -> impl Strategy<Value = Mapping> {
    (
        1u64..4,
        1u64..12,
        1u64..12,
        1u64..14,
        1u64..14,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(batches, rows, columns, m_l2, n_l2, groups, blocks)| {
            Mapping::row_major(batches, rows, columns)
                .grouped(m_l2, n_l2)
                .walked(groups, blocks)
        })
}

fn places(mapping: &Mapping) -> Vec<(u64, u64, u64)> {
    (0..mapping.blocks())
        .map(|number| mapping.block(number))
        .map(|block| (block.batch, block.row, block.column))
        .collect()
}

proptest! {
    #[test]
    fn every_tile_has_one_block(mapping in mappings()) {
        let places = places(&mapping);
        let all: BTreeSet<_> = places.iter().copied().collect();
        prop_assert_eq!(all.len() as u64, mapping.blocks());
        let inside = |place: &(u64, u64, u64)| {
            place.0 < mapping.batches && place.1 < mapping.rows && place.2 < mapping.columns
        };
        prop_assert!(places.iter().all(inside));
    }

    /// The order is that of five nested loops, less what is beyond the edges.
    #[test]
    fn groups_are_nested_loops(mapping in mappings()) {
        let mut places = places(&mapping);
        let before = places.clone();
        places.sort_by_key(|(batch, row, column)| {
            let groups = (row / mapping.m_l2, column / mapping.n_l2);
            let within = (row % mapping.m_l2, column % mapping.n_l2);
            let turned = |(a, b), along_n| if along_n { (a, b) } else { (b, a) };
            (*batch, turned(groups, mapping.groups_along_n), turned(within, mapping.blocks_along_n))
        });
        prop_assert_eq!(places, before);
    }
}

#[test]
fn groups_are_cut_at_the_edges() {
    let mapping = Mapping::row_major(1, 3, 3).grouped(2, 2);
    let places: Vec<(u64, u64)> = places(&mapping).iter().map(|(_, m, n)| (*m, *n)).collect();
    let expected = [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (0, 2),
        (1, 2),
        (2, 0),
        (2, 1),
        (2, 2),
    ];
    assert_eq!(places, expected);
}
