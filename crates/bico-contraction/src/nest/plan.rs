//! From an einsum alone to loops whose numbers the call knows.

use super::walk::{TILED, Walk, size};
use super::{Nest, Plain, Size, Target};
use crate::{DataType, DimType, LastTouch};
use bico_einsum::{Einsum, Group};

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
            groups: &plan.groups,
        };
        let mut nest = Nest {
            input,
            output,
            last: LastTouch::of(einsum),
            loops: Vec::new(),
            swap: None,
            tile: TILED.map(|dim_type| walk.tile(dim_type)),
            bounds: Vec::new(),
            plain: Plain {
                loops: plan.groups.iter().map(|group| walk.whole(group)).collect(),
                bounds: Vec::new(),
            },
            sizes: plan.groups.iter().map(named).collect(),
            heading: heading(einsum, &plan.groups),
        };
        let untiled = |dim_type| {
            let groups = walk.groups.iter();
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
