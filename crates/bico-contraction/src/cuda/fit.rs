//! The sides of a schedule's inner product in tiles of a size that a block computes.

use crate::ExecType;
use crate::nest::{Bound, Loop, Nest, Term};

/// The nest with sides of `M_PRIM` x `N_PRIM` x `K_PRIM`, which `tile` knows unless they are 0: a side that is longer is
/// cut into parts, what is beyond its end is out of bounds.
pub(super) fn fit(nest: &Nest, tile: [u64; 3]) -> Nest {
    let mut nest = nest.clone();
    for (side, name) in ["M_PRIM", "N_PRIM", "K_PRIM"].into_iter().enumerate() {
        let Some(length) = nest.tile[side].extent.value else {
            continue;
        };
        nest.tile[side].extent = Term::named(name);
        let step = tile[side];
        let limit = Term::known(length);
        let mut loops = Vec::new();
        if step > 0 && length > step {
            let at = nest.loops.len();
            let step = Term::known(step);
            for bound in &mut nest.bounds {
                if let Some((_, factor)) = bound.tile.as_ref().filter(|(own, _)| *own == side) {
                    bound.loops.push((at, factor.times(&step)));
                }
            }
            nest.loops.push(part(&nest, side, &limit, &step));
            loops.push((at, step));
        }
        if !length.is_multiple_of(step) {
            let tile = Some((side, Term::known(1)));
            nest.bounds.push(Bound { limit, loops, tile });
        }
    }
    nest
}

/// The loop over the parts of a side.
fn part(nest: &Nest, side: usize, length: &Term, step: &Term) -> Loop {
    let tile = &nest.tile[side];
    let mut name = format!("{}_part", tile.name);
    while nest.loops.iter().any(|other| other.name == name) {
        name.push('_');
    }
    Loop {
        name,
        exec: ExecType::Prim,
        extent: length.div_ceil(step),
        strides: tile.strides.each_ref().map(|stride| stride.times(step)),
        ..tile.clone()
    }
}
