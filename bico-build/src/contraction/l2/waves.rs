//! The exact count of what the closed form averages.

use super::{Launch, Mapping};

/// Panels that are read, each once per wave that uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loads {
    /// Row panels of A.
    pub a: u64,
    /// Column panels of B.
    pub b: u64,
    /// Waves.
    pub waves: u64,
}

/// Walks through all waves of a launch and counts the different panels of each.
pub fn loads(launch: &Launch) -> Loads {
    let mapping: &Mapping = &launch.mapping;
    let (blocks, in_flight) = (mapping.blocks(), launch.in_flight());
    let waves = blocks.div_ceil(in_flight);
    // The last wave that used the panel.
    let mut last_a = vec![0; (mapping.batches * mapping.rows) as usize];
    let mut last_b = vec![0; (mapping.batches * mapping.columns) as usize];
    let (mut a, mut b) = (0, 0);
    for number in 0..blocks {
        let wave = number / in_flight + 1;
        let block = mapping.block(number);
        let row = &mut last_a[(block.batch * mapping.rows + block.row) as usize];
        a += u64::from(std::mem::replace(row, wave) != wave);
        let column = &mut last_b[(block.batch * mapping.columns + block.column) as usize];
        b += u64::from(std::mem::replace(column, wave) != wave);
    }
    Loads { a, b, waves }
}
