//! From an einsum alone to loops whose numbers the call knows.

use super::super::{DataType, DimType, ExecType, LastTouch};
use super::{Bound, Loop, Nest, Plain, Size, Target, Term, Tile};
use bico_syntax::einsum::{Einsum, Group};

/// The types that are tiled, in the order of [`Nest::tile`].
const TILED: [DimType; 3] = [DimType::M, DimType::N, DimType::K];

impl Nest {
    /// The loops of bico's own tunable of this contraction: sizes are parameters of the kernel
    /// (`size_m`), tiles are macros (`M_PRIM N_PRIM K_PRIM`, in CUDA `M_L2 N_L2` too).
    ///
    /// For C the loop over tiles of M is outside and that of N inside of those over K, so that a
    /// packed block of A serves all of them; `ORDER=nm` swaps them.
    pub fn of_plan(einsum: &Einsum, input: DataType, output: DataType, target: Target) -> Nest {
        let plan = einsum.plan();
        let walk = Walk {
            tensors: einsum.tensors(),
            groups: &plan.groups,
        };
        let mut nest = Nest {
            input,
            output,
            last: if einsum.inputs.len() > 2 {
                LastTouch::ElementwiseMul
            } else {
                LastTouch::None
            },
            loops: Vec::new(),
            swap: None,
            tile: TILED.map(|dim_type| walk.tile(dim_type)),
            bounds: Vec::new(),
            plain: Plain {
                loops: plan.groups.iter().map(|group| walk.whole(group)).collect(),
                bounds: Vec::new(),
            },
            sizes: plan
                .groups
                .iter()
                .map(|group| Size {
                    name: size(group).text,
                    letters: group.letters.clone(),
                })
                .collect(),
            heading: heading(einsum, &plan.groups),
        };
        let untiled = |dim_type| {
            walk.groups
                .iter()
                .filter(move |group| group.dim_type == dim_type && !group.tiled)
                .map(|group| walk.whole(group))
        };
        for dim_type in [DimType::C, DimType::M, DimType::N] {
            nest.loops.extend(untiled(dim_type));
        }
        match target {
            Target::C => {
                let m = walk.add_tiles(&mut nest, DimType::M);
                nest.loops.extend(untiled(DimType::K));
                walk.add_tiles(&mut nest, DimType::K);
                let n = walk.add_tiles(&mut nest, DimType::N);
                nest.swap = m.zip(n);
            }
            Target::Cuda => {
                walk.add_grouped(&mut nest);
                nest.loops.extend(untiled(DimType::K));
                walk.add_tiles(&mut nest, DimType::K);
            }
        }
        nest
    }
}

/// The letters of the tensors and how they are grouped.
struct Walk<'a> {
    tensors: Vec<&'a [char]>,
    groups: &'a [Group],
}

impl Walk<'_> {
    /// The whole group as one loop.
    fn whole(&self, group: &Group) -> Loop {
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
    fn tile(&self, dim_type: DimType) -> Tile {
        match self.tiled(dim_type) {
            Some(group) => Tile {
                name: format!("{}_prim", group.name()),
                size: prim(dim_type),
                strides: self.strides(group),
            },
            None => Tile {
                name: format!("no_{}", dim_type.name().to_lowercase()),
                size: Term::known(1),
                strides: std::array::from_fn(|_| Term::known(0)),
            },
        }
    }

    /// Adds the loop over the tiles of a type and their bound; its number.
    fn add_tiles(&self, nest: &mut Nest, dim_type: DimType) -> Option<usize> {
        let group = self.tiled(dim_type)?;
        let at = nest.loops.len();
        let step = prim(dim_type);
        nest.loops
            .push(self.steps(group, "out", &step, size(group).div_ceil(&step)));
        nest.bounds.push(bound(group, vec![(at, step)]));
        Some(at)
    }

    /// Adds the loops of CUDA's blocks: groups of `M_L2` x `N_L2` tiles, then the tiles in them.
    fn add_grouped(&self, nest: &mut Nest) {
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

fn size(group: &Group) -> Term {
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

fn heading(einsum: &Einsum, groups: &[Group]) -> Vec<String> {
    let mut lines = vec![format!(
        "The contraction {einsum}, all tensors row-major and dense."
    )];
    let of = |dim_type: DimType| {
        groups
            .iter()
            .filter(|group| group.dim_type == dim_type)
            .map(|group| match (group.letters.len(), group.tiled) {
                (1, true) => format!("{} (in tiles)", group.name()),
                (1, false) => group.name(),
                (_, true) => format!("{} (one index, in tiles)", group.name()),
                (_, false) => format!("{} (one index)", group.name()),
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    for (dim_type, what) in [
        (DimType::C, "in all tensors"),
        (DimType::M, "in A and C"),
        (DimType::N, "in B and C"),
        (DimType::K, "summed over"),
    ] {
        let names = of(dim_type);
        if !names.is_empty() {
            lines.push(format!("  {dim_type}, {what}: {names}"));
        }
    }
    lines
}
