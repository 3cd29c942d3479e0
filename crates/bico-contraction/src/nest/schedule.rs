//! From one schedule to loops whose numbers are all known.

use super::{Bound, Loop, Nest, TILED, Term};
use crate::{DataType, DimType, ExecType, Result, Schedule};

impl Nest {
    /// The loops of a schedule. Dimensions of the inner product that are one in memory become one; what
    /// then is left of a type beyond its tile is a loop around the inner product.
    ///
    /// # Errors
    ///
    /// What the schedule violates.
    pub fn of_schedule(schedule: &Schedule) -> Result<Nest> {
        schedule.verify()?;
        let all: Vec<usize> = (0..schedule.dim_types.len()).collect();
        let fused = fused(schedule.clone());
        let tiles = TILED.map(|dim_type| side(&fused, dim_type));
        let outer: Vec<usize> = (0..fused.dim_types.len())
            .filter(|dim| !tiles.contains(dim))
            .collect();
        Ok(Nest {
            input: schedule.data_type,
            output: DataType::F32,
            last: schedule.prim_last,
            loops: outer.iter().map(|dim| to_loop(&fused, *dim)).collect(),
            swap: None,
            tile: tiles.map(|dim| to_loop(&fused, dim)),
            bounds: bounds(&fused, &outer, &tiles),
            plain: all.iter().map(|dim| to_loop(schedule, *dim)).collect(),
            plain_bounds: bounds(schedule, &all, &[]),
            sizes: Vec::new(),
            heading: heading(schedule),
        })
    }
}

/// Fuses Prim dimensions until no two are one in memory.
fn fused(mut schedule: Schedule) -> Schedule {
    // All others are left of them.
    let is_prim = |exec: &&ExecType| **exec == ExecType::Prim;
    let next = |schedule: &Schedule| {
        let dims = schedule.dim_types.len();
        let first = dims - schedule.exec_types.iter().filter(is_prim).count();
        let mut pairs = (first..dims).flat_map(|a| (a + 1..dims).map(move |b| (a, b)));
        pairs.find_map(|(a, b)| schedule.clone().fuse_dims(b, a).ok())
    };
    while let Some(fused) = next(&schedule) {
        schedule = fused;
    }
    schedule
}

/// The dimension of a type that becomes a side of the tile: Prim, contiguous somewhere if one is, the longest.
fn side(schedule: &Schedule, dim_type: DimType) -> usize {
    let is_dense = |dim: usize| {
        let mut strides = schedule.strides.iter();
        schedule.dim_sizes[dim] > 1 && strides.any(|strides| strides[dim] == 1)
    };
    let is_it = |dim: &usize| {
        schedule.dim_types[*dim] == dim_type && schedule.exec_types[*dim] == ExecType::Prim
    };
    (0..schedule.dim_types.len())
        .filter(is_it)
        .max_by_key(|dim| (is_dense(*dim), schedule.dim_sizes[*dim], usize::MAX - dim))
        .unwrap_or_default()
}

/// A dimension as a loop.
fn to_loop(schedule: &Schedule, dim: usize) -> Loop {
    Loop {
        name: schedule.names[dim].clone(),
        dim_type: schedule.dim_types[dim],
        exec: schedule.exec_types[dim],
        extent: Term::known(schedule.dim_sizes[dim]),
        strides: std::array::from_fn(|tensor| {
            let of_tensor = schedule.strides.get(tensor);
            Term::known(of_tensor.map_or(0, |strides| strides[dim]))
        }),
    }
}

/// The bounds over these loops and sides of the tile; those that always hold are left out.
fn bounds(schedule: &Schedule, loops: &[usize], tiles: &[usize]) -> Vec<Bound> {
    let of_bound = |bound: &crate::Bound| {
        let greatest = bound.terms.iter().fold(0u64, |sum, (dim, factor)| {
            sum.saturating_add(factor.saturating_mul(schedule.dim_sizes[*dim] - 1))
        });
        let of = |dims: &[usize]| -> Vec<(usize, Term)> {
            let place = |dim: &usize| dims.iter().position(|own| own == dim);
            let terms = bound.terms.iter();
            let terms = terms.filter_map(|(dim, by)| Some((place(dim)?, Term::known(*by))));
            terms.collect()
        };
        (greatest >= bound.limit).then(|| Bound {
            limit: Term::known(bound.limit),
            loops: of(loops),
            tile: of(tiles).pop(),
        })
    };
    schedule.bounds.iter().filter_map(of_bound).collect()
}

/// What stands above the text: the schedule as it prints itself.
fn heading(schedule: &Schedule) -> Vec<String> {
    let text = format!("A contraction:\n{schedule}");
    vec![text.trim_end().replace('\n', "\n  ")]
}
