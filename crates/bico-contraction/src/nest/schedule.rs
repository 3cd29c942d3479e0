//! From one schedule to loops whose numbers are all known.

use super::walk::TILED;
use super::{Bound, Loop, Nest, Plain, Term};
use crate::{ContractionError, DataType, DimType, ExecType, Schedule};

impl Nest {
    /// The loops of a schedule. Dimensions of the inner product that are one in memory become one; what
    /// then is left of a type beyond its tile is a loop around the inner product.
    ///
    /// # Errors
    ///
    /// What the schedule violates.
    pub fn of_schedule(schedule: &Schedule) -> Result<Nest, ContractionError> {
        schedule.verify()?;
        let all: Vec<usize> = (0..schedule.dim_types.len()).collect();
        let plain = Plain {
            loops: all.iter().map(|dim| to_loop(schedule, *dim)).collect(),
            bounds: bounds(schedule, &all, &[]),
        };
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
            plain,
            sizes: Vec::new(),
            heading: heading(schedule),
        })
    }
}

/// Fuses Prim dimensions until no two are one in memory.
fn fused(mut schedule: Schedule) -> Schedule {
    let prim = |schedule: &Schedule| {
        let dims = schedule.exec_types.iter();
        dims.take_while(|exec| **exec != ExecType::Prim).count()..schedule.exec_types.len()
    };
    while let Some(next) = prim(&schedule).find_map(|a| {
        let others = (a + 1..schedule.exec_types.len())
            .filter(|b| schedule.dim_types[a] == schedule.dim_types[*b]);
        others
            .into_iter()
            .find_map(|b| schedule.clone().fuse_dims(b, a).ok())
    }) {
        schedule = next;
    }
    schedule
}

/// The dimension of a type that becomes a side of the tile: Prim, contiguous somewhere if one is, the longest.
fn side(schedule: &Schedule, dim_type: DimType) -> usize {
    let is_dense = |dim: usize| {
        let mut strides = schedule.strides.iter();
        schedule.dim_sizes[dim] > 1 && strides.any(|strides| strides[dim] == 1)
    };
    (0..schedule.dim_types.len())
        .filter(|dim| schedule.dim_types[*dim] == dim_type)
        .filter(|dim| schedule.exec_types[*dim] == ExecType::Prim)
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
        let terms = || bound.terms.iter();
        let greatest = terms().fold(0u64, |sum, (dim, factor)| {
            sum.saturating_add(factor.saturating_mul(schedule.dim_sizes[*dim] - 1))
        });
        let of = |dims: &[usize]| -> Vec<(usize, Term)> {
            let place = |dim: &usize| dims.iter().position(|own| own == dim);
            terms()
                .filter_map(|(dim, factor)| Some((place(dim)?, Term::known(*factor))))
                .collect()
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
    let text = schedule.to_string();
    let lines = text.lines().map(|line| format!("  {line}"));
    let mut heading = vec!["A contraction:".to_string()];
    heading.extend(lines);
    heading
}
