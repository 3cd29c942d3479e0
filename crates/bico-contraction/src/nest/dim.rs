//! Dimensions while a nest is made of a schedule.

use super::{Loop, Term, Tile};
use crate::{DimType, ExecType, Schedule};

/// A dimension, or several fused.
#[derive(Debug, Clone)]
pub(super) struct Dim {
    pub(super) name: String,
    pub(super) dim_type: DimType,
    pub(super) exec: ExecType,
    pub(super) size: u64,
    pub(super) strides: [u64; 4],
    /// Its factor in each of the schedule's bounds.
    pub(super) factors: Vec<u64>,
}

impl Dim {
    pub(super) fn of(schedule: &Schedule, at: usize) -> Dim {
        let factor = |bound: &crate::Bound| {
            let own = bound.terms.iter().filter(|(dim, _)| *dim == at);
            own.map(|(_, factor)| factor).sum()
        };
        Dim {
            name: schedule.names.get(at).cloned().unwrap_or_default(),
            dim_type: schedule.dim_types[at],
            exec: schedule.exec_types[at],
            size: schedule.dim_sizes[at],
            strides: std::array::from_fn(|tensor| {
                let of_tensor = schedule.strides.get(tensor);
                of_tensor.and_then(|s| s.get(at)).copied().unwrap_or(0)
            }),
            factors: schedule.bounds.iter().map(factor).collect(),
        }
    }

    /// One index: the side of a tile that the schedule lacks.
    pub(super) fn unit(dim_type: DimType) -> Dim {
        Dim {
            name: format!("no_{}", dim_type.name().to_lowercase()),
            dim_type,
            exec: ExecType::Prim,
            size: 1,
            strides: [0; 4],
            factors: Vec::new(),
        }
    }

    /// True if neighbours of this dimension are neighbours in memory, in some tensor.
    pub(super) fn is_dense(&self) -> bool {
        self.size > 1 && self.strides.contains(&1)
    }

    /// Both as one, this one outside, if they are one in memory and in every bound.
    pub(super) fn around(&self, inner: &Dim) -> Option<Dim> {
        let factors = self.factors.iter().zip(&inner.factors);
        let follows = |outer: u64, own: u64| own.checked_mul(inner.size) == Some(outer);
        let one = self.dim_type == inner.dim_type
            && (0..4).all(|tensor| follows(self.strides[tensor], inner.strides[tensor]))
            && factors.clone().all(|(outer, own)| follows(*outer, *own));
        one.then(|| Dim {
            name: format!("{}_{}", self.name, inner.name),
            size: self.size * inner.size,
            ..inner.clone()
        })
    }

    pub(super) fn to_loop(&self) -> Loop {
        Loop {
            name: self.name.clone(),
            dim_type: self.dim_type,
            exec: self.exec,
            extent: Term::known(self.size),
            strides: self.strides.map(Term::known),
        }
    }

    pub(super) fn to_tile(&self) -> Tile {
        Tile {
            name: self.name.clone(),
            size: Term::known(self.size),
            strides: self.strides.map(Term::known),
        }
    }
}
