//! The sides of a schedule's inner product in tiles of a size that a block computes.

use crate::ExecType;
use crate::nest::{Bound, Loop, Nest, Term};

/// The macros of the tile's sides.
pub(super) const SIDES: [&str; 3] = ["M_PRIM", "N_PRIM", "K_PRIM"];

/// The nest with sides of `M_PRIM` x `N_PRIM` x `K_PRIM`, whose values `tile` knows where the text defines
/// them: a side that is longer is cut into parts, what is beyond its end is out of bounds.
pub(super) fn fit(nest: &Nest, tile: [Option<u64>; 3]) -> Nest {
    let mut nest = nest.clone();
    for side in 0..3 {
        let Some(length) = nest.tile[side].extent.value else {
            continue;
        };
        nest.tile[side].extent = Term::named(SIDES[side]);
        let step = tile[side].unwrap_or(0);
        let mut loops = Vec::new();
        if step > 0 && length > step {
            let at = nest.loops.len();
            let step = Term::known(step);
            for bound in &mut nest.bounds {
                if let Some((_, factor)) = bound.tile.as_ref().filter(|(own, _)| *own == side) {
                    bound.loops.push((at, factor.times(&step)));
                }
            }
            nest.loops
                .push(part(&nest, side, &Term::known(length), &step));
            loops.push((at, step));
        }
        if step == 0 || !length.is_multiple_of(step) {
            nest.bounds.push(Bound {
                limit: Term::known(length),
                loops,
                tile: Some((side, Term::known(1))),
            });
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
