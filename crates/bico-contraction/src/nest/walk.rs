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
    pub(super) fn add_tiles(
        &self,
        nest: &mut Nest,
        dim_type: DimType,
        suffix: &str,
    ) -> Option<usize> {
        let group = self.tiled(dim_type)?;
        let at = nest.loops.len();
        let step = prim(dim_type);
        let side = TILED.iter().position(|tiled| *tiled == dim_type);
        nest.loops.push(Loop {
            name: format!("{}_{suffix}", group.name()),
            extent: size(group).div_ceil(&step),
            strides: self.strides(group).map(|stride| stride.times(&step)),
            ..self.whole(group)
        });
        nest.bounds.push(Bound {
            limit: size(group),
            loops: vec![(at, step)],
            tile: side.map(|side| (side, Term::known(1))),
        });
        Some(at)
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

pub(super) fn size(group: &Group) -> Term {
    Term::named(format!("size_{}", group.name()))
}

fn prim(dim_type: DimType) -> Term {
    Term::named(format!("{}_PRIM", dim_type.name()))
}
