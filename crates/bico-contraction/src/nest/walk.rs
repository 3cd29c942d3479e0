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
            exec: exec(group.dim_type),
            extent: size(group),
            strides: self.strides(group),
        }
    }

    fn tiled(&self, dim_type: DimType) -> Option<&Group> {
        self.groups
            .iter()
            .find(|group| group.tiled && group.dim_type == dim_type)
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
        nest.loops
            .push(self.steps(group, "out", &step, size(group).div_ceil(&step)));
        nest.bounds.push(bound(group, vec![(at, step)]));
        Some(at)
    }

    /// Adds the loops of CUDA's blocks: groups of `M_L2` x `N_L2` tiles, then the tiles in them.
    pub(super) fn add_grouped(&self, nest: &mut Nest) {
        let tiled: Vec<(&Group, Term, Term)> = [(DimType::M, "M_L2"), (DimType::N, "N_L2")]
            .into_iter()
            .filter_map(|(dim_type, count)| {
                Some((self.tiled(dim_type)?, prim(dim_type), Term::named(count)))
            })
            .collect();
        let first = nest.loops.len();
        for (group, step, count) in &tiled {
            let step = step.times(count);
            let extent = size(group).div_ceil(&step);
            nest.loops.push(self.steps(group, "out", &step, extent));
        }
        for (at, (group, step, count)) in tiled.iter().enumerate() {
            nest.loops
                .push(self.steps(group, "l2", step, count.clone()));
            let loops = vec![
                (first + at, step.times(count)),
                (first + tiled.len() + at, step.clone()),
            ];
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
            self.groups
                .iter()
                .filter(|other| {
                    other
                        .letters
                        .first()
                        .is_some_and(|first| letters[at + 1..].contains(first))
                })
                .fold(Term::known(1), |product, other| product.times(&size(other)))
        })
    }
}

/// What exists of a group that is walked in steps of `loops` and one tile.
fn bound(group: &Group, loops: Vec<(usize, Term)>) -> Bound {
    Bound {
        limit: size(group),
        loops,
        tile: TILED
            .iter()
            .position(|tiled| *tiled == group.dim_type)
            .map(|side| (side, Term::known(1))),
    }
}

pub(super) fn size(group: &Group) -> Term {
    Term::named(format!("size_{}", group.name()))
}

fn prim(dim_type: DimType) -> Term {
    Term::named(format!("{}_PRIM", dim_type.name()))
}

fn exec(dim_type: DimType) -> ExecType {
    match dim_type {
        DimType::K => ExecType::Seq,
        _ => ExecType::Par,
    }
}
