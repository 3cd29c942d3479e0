//! From an einsum alone to loops whose numbers the call knows.

use super::{Bound, Loop, Nest, Size, TILED, Target, Term};
use crate::{DataType, DimType, ExecType, LastTouch};
use bico_einsum::{Einsum, Group, Plan};

impl Nest {
    /// The loops of bico's own tunable of this contraction: sizes are parameters of the kernel
    /// (`size_m`), tiles are macros (`M_PRIM N_PRIM K_PRIM`, in CUDA `M_L2 N_L2` too).
    ///
    /// For C the loop over tiles of M is outside and that of N inside of those over K, so that a
    /// packed block of A serves all of them; `ORDER=nm` swaps them. In CUDA tiles are the blocks, in groups of `M_L2` x
    /// `N_L2`.
    pub fn of_plan(einsum: &Einsum, input: DataType, output: DataType, target: Target) -> Nest {
        let plan = einsum.plan();
        let walk = Walk {
            tensors: einsum.tensors(),
            plan: &plan,
        };
        let mut nest = Nest {
            input,
            output,
            last: LastTouch::of(einsum),
            loops: Vec::new(),
            swap: None,
            tile: TILED.map(|dim_type| walk.tile(dim_type)),
            bounds: Vec::new(),
            plain: plan.groups.iter().map(|group| walk.whole(group)).collect(),
            plain_bounds: Vec::new(),
            sizes: plan.groups.iter().map(named).collect(),
            heading: heading(einsum, &plan.groups),
        };
        let untiled = |dim_type| {
            let groups = plan.groups.iter();
            let groups = groups.filter(move |group| group.dim_type == dim_type && !group.tiled);
            groups.map(|group| walk.whole(group))
        };
        for dim_type in [DimType::C, DimType::M, DimType::N] {
            nest.loops.extend(untiled(dim_type));
        }
        let mut add = |dim_type: DimType, suffix: &str| {
            if dim_type == DimType::K {
                nest.loops.extend(untiled(DimType::K));
            }
            walk.add_tiles(&mut nest, dim_type, suffix)
        };
        let (m, n);
        match target {
            Target::C => {
                m = add(DimType::M, "out");
                add(DimType::K, "out");
                n = add(DimType::N, "out");
            }
            Target::Cuda => {
                m = add(DimType::M, "tile");
                n = add(DimType::N, "tile");
                add(DimType::K, "out");
            }
        }
        nest.swap = m.zip(n);
        nest
    }
}

fn named(group: &Group) -> Size {
    Size {
        name: size(group).text,
        letters: group.letters.clone(),
    }
}

fn heading(einsum: &Einsum, groups: &[Group]) -> Vec<String> {
    let first = format!("The contraction `{einsum}`, all tensors row-major and dense.");
    let mut lines = vec![first];
    let name = |group: &Group| {
        let what = match (group.letters.len(), group.tiled) {
            (1, true) => " (in tiles)",
            (1, false) => "",
            (_, true) => " (one index, in tiles)",
            (_, false) => " (one index)",
        };
        group.name() + what
    };
    for (dim_type, what) in [
        (DimType::C, "batch, in A, B and C"),
        (DimType::M, "rows (M), in A and C"),
        (DimType::N, "columns (N), in B and C"),
        (DimType::K, "sums (K), in A and B"),
    ] {
        let groups = groups.iter().filter(|group| group.dim_type == dim_type);
        let names: Vec<String> = groups.map(name).collect();
        if !names.is_empty() {
            lines.push(format!("  {what}: {}", names.join(", ")));
        }
    }
    lines
}

/// The letters of the tensors and how they are grouped.
struct Walk<'a> {
    tensors: Vec<&'a [char]>,
    plan: &'a Plan,
}

impl Walk<'_> {
    /// The whole group as one loop.
    fn whole(&self, group: &Group) -> Loop {
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

    /// The side of the inner product. An einsum without this type has one of length 1.
    fn tile(&self, dim_type: DimType) -> Loop {
        match self.plan.tiled(dim_type) {
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
    fn add_tiles(&self, nest: &mut Nest, dim_type: DimType, suffix: &str) -> Option<usize> {
        let group = self.plan.tiled(dim_type)?;
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
            let right = self.plan.groups.iter().filter(is_right);
            right.fold(Term::known(1), |product, other| product.times(&size(other)))
        })
    }
}

fn size(group: &Group) -> Term {
    Term::named(format!("size_{}", group.name()))
}

fn prim(dim_type: DimType) -> Term {
    Term::named(format!("{}_PRIM", dim_type.name()))
}
