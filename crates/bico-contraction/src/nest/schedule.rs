//! From one schedule to loops whose numbers are all known.

use super::dim::Dim;
use super::walk::TILED;
use super::{Bound, Nest, Plain, Term};
use crate::{ContractionError, DataType, ExecType, Schedule};

impl Nest {
    /// The loops of a schedule. Dimensions of the inner product that are one in memory become one; what
    /// then is left of a type beyond its tile is a loop around the inner product.
    ///
    /// # Errors
    ///
    /// What the schedule violates.
    pub fn of_schedule(schedule: &Schedule) -> Result<Nest, ContractionError> {
        schedule.verify()?;
        let dims: Vec<Dim> = (0..schedule.dim_sizes.len())
            .map(|at| Dim::of(schedule, at))
            .collect();
        let plain = Plain {
            loops: dims.iter().map(Dim::to_loop).collect(),
            bounds: bounds(schedule, &dims, &[const { None }; 3]),
        };
        let mut outer: Vec<Dim> = Vec::new();
        let mut prim: Vec<Dim> = Vec::new();
        for exec in [ExecType::Par, ExecType::Seq, ExecType::Prim] {
            let of_exec = dims.iter().filter(|dim| dim.exec == exec).cloned();
            match exec {
                ExecType::Prim => prim.extend(of_exec),
                _ => outer.extend(of_exec),
            }
        }
        fuse(&mut prim, schedule);
        let mut tiles = [None, None, None];
        for (tile, dim_type) in tiles.iter_mut().zip(TILED) {
            let best = (0..prim.len())
                .filter(|at| prim[*at].dim_type == dim_type)
                .max_by_key(|at| (prim[*at].is_dense(), prim[*at].size, usize::MAX - at));
            *tile = best.map(|at| prim.remove(at));
        }
        outer.extend(prim);
        let bounds = bounds(schedule, &outer, &tiles);
        let tile = [0, 1, 2].map(|side| match &tiles[side] {
            Some(dim) => dim.to_tile(),
            None => Dim::unit(TILED[side]).to_tile(),
        });
        let mut nest = Nest {
            input: schedule.data_type,
            output: DataType::F32,
            last: schedule.prim_last,
            loops: outer.iter().map(Dim::to_loop).collect(),
            swap: None,
            tile,
            bounds,
            plain,
            sizes: Vec::new(),
            heading: heading(schedule),
        };
        nest.name_apart();
        Ok(nest)
    }

    /// Makes identifiers of the names, no two alike.
    fn name_apart(&mut self) {
        let mut known: Vec<String> = Vec::new();
        let loops = self.loops.iter_mut().map(|l| &mut l.name);
        for name in loops.chain(self.tile.iter_mut().map(|tile| &mut tile.name)) {
            *name = identifier(name, &known);
            known.push(name.clone());
        }
        known.clear();
        for l in &mut self.plain.loops {
            l.name = identifier(&l.name, &known);
            known.push(l.name.clone());
        }
    }
}

/// Fuses dimensions until no two are one.
fn fuse(dims: &mut Vec<Dim>, schedule: &Schedule) {
    debug_assert!(
        dims.iter()
            .all(|dim| dim.factors.len() == schedule.bounds.len())
    );
    while let Some((outer, inner, fused)) = (0..dims.len()).find_map(|outer| {
        let inner = (0..dims.len()).filter(|inner| *inner != outer);
        inner.into_iter().find_map(|inner| {
            let fused = dims[outer].around(&dims[inner])?;
            Some((outer, inner, fused))
        })
    }) {
        dims[inner] = fused;
        dims.remove(outer);
    }
}

/// The schedule's bounds over these loops and tiles; those that always hold are left out.
fn bounds(schedule: &Schedule, loops: &[Dim], tiles: &[Option<Dim>; 3]) -> Vec<Bound> {
    let of_bound = |(at, bound): (usize, &crate::Bound)| {
        let all = loops.iter().chain(tiles.iter().flatten());
        let greatest = all.fold(0u64, |sum, dim| {
            sum.saturating_add(dim.factors[at].saturating_mul(dim.size - 1))
        });
        (greatest >= bound.limit).then(|| Bound {
            limit: Term::known(bound.limit),
            loops: (0..loops.len())
                .filter(|l| loops[*l].factors[at] > 0)
                .map(|l| (l, Term::known(loops[l].factors[at])))
                .collect(),
            tile: (0..3).find_map(|side| {
                let factor = tiles[side].as_ref()?.factors[at];
                (factor > 0).then(|| (side, Term::known(factor)))
            }),
        })
    };
    schedule
        .bounds
        .iter()
        .enumerate()
        .filter_map(of_bound)
        .collect()
}

/// What stands above the text: the schedule as it prints itself.
fn heading(schedule: &Schedule) -> Vec<String> {
    let text = schedule.to_string();
    let lines = text.lines().map(|line| format!("  {line}"));
    let mut heading = vec!["A contraction:".to_string()];
    heading.extend(lines);
    heading
}

/// The name as a C identifier that is none of `known`.
fn identifier(name: &str, known: &[String]) -> String {
    let mut plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if plain.is_empty() {
        plain.push_str("dim");
    }
    let is_new = |name: &String| !known.contains(name);
    if is_new(&plain) {
        return plain;
    }
    (2..)
        .map(|number| format!("{plain}_{number}"))
        .find(is_new)
        .unwrap_or(plain)
}
