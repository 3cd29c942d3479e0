//! The same contraction as data: from the einsum to what a kernel with given tiles executes.

use crate::{EINSUM, SIZES};
use bico::Value;
use bico_contraction::{ContractionError, DataType, Schedule};

/// As the einsum says it: one loop per index, all of them sequential.
pub fn before() -> Result<Schedule, ContractionError> {
    let [c, m, n, k] = SIZES.map(u64::from);
    Schedule::from_einsum(EINSUM, &[&[c, m, k], &[c, k, n]], DataType::F32)
}

/// Tiles split off, the rest in parallel or summed up one after the other.
pub fn after(tiles: [u64; 3]) -> Result<Schedule, ContractionError> {
    let mut schedule = before()?;
    let [_, m, n, k] = SIZES.map(u64::from);
    for ((name, size), tile) in [("m", m), ("n", n), ("k", k)].into_iter().zip(tiles) {
        // A block that is larger than all of it is all of it.
        let tile = tile.min(size);
        let outer = size.div_ceil(tile);
        if outer * tile != size {
            schedule = schedule.pad_dim(name, outer * tile)?;
        }
        let (out, prim) = (format!("{name}_out"), format!("{name}_prim"));
        schedule = schedule.split_dim(name, (out.as_str(), outer), (prim.as_str(), tile))?;
    }
    let order = ["c", "m_out", "n_out", "k_out", "m_prim", "n_prim", "k_prim"];
    let schedule = schedule.permute_dims(&order)?.make_executable()?;
    schedule.verify()?;
    Ok(schedule)
}

/// The tiles of a config of the kernel.
pub fn tiles(config: &bico::Config) -> Option<[u64; 3]> {
    let value = |name| match config.get(name) {
        Some(Value::Int(value)) => u64::try_from(value).ok(),
        _ => None,
    };
    Some([value("M_PRIM")?, value("N_PRIM")?, value("K_PRIM")?])
}
