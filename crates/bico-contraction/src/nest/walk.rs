//! The loops over the groups of a plan.

use super::{Bound, Loop, Nest, Term};
use crate::{DimType, ExecType};
use bico_einsum::Group;

/// The types that are tiled, in the order of [`Nest::tile`].
pub(super) const TILED: [DimType; 3] = [DimType::M, DimType::N, DimType::K];

/// The letters of the tensors and how they are grouped.
pub(super) struct Walk<'a> {
    pub(super) tensors: Vec<&'a [char]>,
    pub(super) groups: &'a [Group],
}

impl Walk<'_> {
    /// The whole group as one loop.
    pub(super) fn whole(&self, group: &Group) -> Loop {
        Loop {
            name: group.name(),
            dim_type: group.dim_type,
            exec: match group.dim_type {
                DimType::K => ExecType::Seq,
                _ => ExecType::Par,
            },
            extent: size(group),
            strides: self.strides(group),
        }
    }

    fn tiled(&self, dim_type: DimType) -> Option<&Group> {
        let is_it = |group: &&Group| group.tiled && group.dim_type == dim_type;
        self.groups.iter().find(is_it)
    }

    /// The side of the inner product. An einsum without this type has one of length 1.
    pub(super) fn tile(&self, dim_type: DimType) -> Loop {
        match self.tiled(dim_type) {
            Some(group) => Loop {
                name: format!("{}_prim", group.name()),
                exec: ExecType::Prim,
                extent: prim(dim_type),
                ..self.whole(group)
            },
            None => Loop {
                name: format!("no_{}", dim_type.name().to_lowercase()),
                dim_type,
                exec: ExecType::Prim,
                extent: Term::known(1),
                strides: std::array::from_fn(|_| Term::known(0)),
            },
        }
    }

    /// Adds the loop over the tiles of a type and their bound; its number.
    pub(super) fn add_tiles(&self, nest: &mut Nest, dim_type: DimType) -> Option<usize> {
        let group = self.tiled(dim_type)?;
        let at = nest.loops.len();
        let step = prim(dim_type);
        let extent = size(group).div_ceil(&step);
        nest.loops.push(self.steps(group, "out", &step, extent));
        nest.bounds.push(bound(group, vec![(at, step)]));
        Some(at)
    }

    /// Adds the loops of CUDA's blocks: groups of `M_L2` x `N_L2` tiles, then the tiles in them.
    pub(super) fn add_grouped(&self, nest: &mut Nest) {
        let first = nest.loops.len();
        let mut tiles = Vec::new();
        for (dim_type, count) in [(DimType::M, "M_L2"), (DimType::N, "N_L2")] {
            if let Some(group) = self.tiled(dim_type) {
                let (step, count) = (prim(dim_type), Term::named(count));
                let all = step.times(&count);
                let extent = size(group).div_ceil(&all);
                nest.loops.push(self.steps(group, "out", &all, extent));
                tiles.push((group, all, step, count));
            }
        }
        let within = nest.loops.len();
        for (at, (group, all, step, count)) in tiles.into_iter().enumerate() {
            nest.loops.push(self.steps(group, "l2", &step, count));
            let loops = vec![(first + at, all), (within + at, step)];
            nest.bounds.push(bound(group, loops));
        }
    }

    /// A loop that advances by `step` indices of the group.
    fn steps(&self, group: &Group, suffix: &str, step: &Term, extent: Term) -> Loop {
        Loop {
            name: format!("{}_{suffix}", group.name()),
            extent,
            strides: self.strides(group).map(|stride| stride.times(step)),
            ..self.whole(group)
        }
    }

    /// Row-major: the product of the sizes to the right of the group.
    fn strides(&self, group: &Group) -> [Term; 4] {
        std::array::from_fn(|tensor| {
            let letters = self.tensors.get(tensor).copied().unwrap_or(&[]);
            let last = group.letters.last();
            let Some(at) = letters.iter().position(|letter| Some(letter) == last) else {
                return Term::known(0);
            };
            // The letters of a group stand together, so its first one stands for all of them.
            let is_right = |other: &&Group| letters[at + 1..].contains(&other.letters[0]);
            let right = self.groups.iter().filter(is_right);
            right.fold(Term::known(1), |product, other| product.times(&size(other)))
        })
    }
}

/// What exists of a group that is walked in steps of `loops` and one tile.
fn bound(group: &Group, loops: Vec<(usize, Term)>) -> Bound {
    let side = TILED.iter().position(|tiled| *tiled == group.dim_type);
    Bound {
        limit: size(group),
        loops,
        tile: side.map(|side| (side, Term::known(1))),
    }
}

pub(super) fn size(group: &Group) -> Term {
    Term::named(format!("size_{}", group.name()))
}

fn prim(dim_type: DimType) -> Term {
    Term::named(format!("{}_PRIM", dim_type.name()))
}
