//! From a schedule to what the model wants to know of it.

use crate::{Launch, Mapping, Problem, Tile};
use bico_contraction::{ContractionError, DataType, DimType, ExecType, LastTouch, Schedule};

impl Mapping {
    /// The order of the blocks of a schedule: its Par dimensions, outermost first.
    ///
    /// # Errors
    ///
    /// As [`Schedule::verify`], and where the Par dimensions are not `c, m_out, n_out, m_l2, n_l2`: any number of C, then a
    /// pair of M and N in either order, then perhaps another one.
    pub fn of_schedule(schedule: &Schedule) -> Result<Mapping, ContractionError> {
        Launch::of_schedule(schedule, 1, 0).map(|launch| launch.mapping)
    }
}

impl Launch {
    /// A launch of a schedule's blocks on a device with so many slots and a cache of so many bytes.
    ///
    /// # Errors
    ///
    /// As [`Mapping::of_schedule`].
    pub fn of_schedule(
        schedule: &Schedule,
        slots: u64,
        l2_bytes: u64,
    ) -> Result<Launch, ContractionError> {
        schedule.verify()?;
        let order = Order::of(schedule)?;
        let input_bytes = match schedule.data_type {
            DataType::F16 => 2,
            DataType::F32 => 4,
        };
        let problem = Problem {
            batches: product(schedule, |dim| schedule.dim_types[dim] == DimType::C),
            m: size(schedule, DimType::M),
            n: size(schedule, DimType::N),
            k: size(schedule, DimType::K),
            input_bytes,
            // What a generated kernel of a single schedule writes.
            output_bytes: 4,
            last_bytes: match schedule.prim_last {
                LastTouch::None => 0,
                LastTouch::ElementwiseMul => input_bytes,
            },
        };
        let inside = |kind, exec| {
            product(schedule, |dim| {
                schedule.dim_types[dim] == kind && schedule.exec_types[dim] == exec
            })
        };
        let tile = Tile {
            m: inside(DimType::M, ExecType::Seq) * inside(DimType::M, ExecType::Prim),
            n: inside(DimType::N, ExecType::Seq) * inside(DimType::N, ExecType::Prim),
            k: inside(DimType::K, ExecType::Prim),
        };
        let launch = Launch::new(problem, tile, slots, l2_bytes);
        let grouped = launch.mapping.grouped(
            order.size(schedule, DimType::M),
            order.size(schedule, DimType::N),
        );
        Ok(launch.mapped(grouped.walked(
            order.last_is_n(schedule, &order.outer),
            order.last_is_n(schedule, &order.inner),
        )))
    }
}

/// The Par dimensions of M and N.
struct Order {
    outer: Vec<usize>,
    inner: Vec<usize>,
}

impl Order {
    fn of(schedule: &Schedule) -> Result<Order, ContractionError> {
        let of_kind = |kind| {
            (0..schedule.dim_types.len()).filter(move |dim| schedule.exec_types[*dim] == kind)
        };
        for kind in [ExecType::Seq, ExecType::Prim] {
            if let Some(dim) = of_kind(kind).find(|dim| schedule.dim_types[*dim] == DimType::C) {
                return Err(ContractionError::new(format!(
                    "the order of blocks wants all C dimensions Par, but `{}` is not: set_exec(\"{0}\", ExecType::Par)",
                    schedule.names[dim]
                )));
            }
        }
        let par: Vec<usize> = of_kind(ExecType::Par).collect();
        let batches = par
            .iter()
            .take_while(|dim| schedule.dim_types[**dim] == DimType::C)
            .count();
        let tiles = &par[batches..];
        let different = |dims: &[usize]| match dims {
            [] => true,
            [one] => schedule.dim_types[*one] != DimType::C,
            [one, two] => {
                let kinds = [schedule.dim_types[*one], schedule.dim_types[*two]];
                !kinds.contains(&DimType::C) && kinds[0] != kinds[1]
            }
            _ => false,
        };
        (0..=tiles.len().min(2))
            .rev()
            .map(|at| tiles.split_at(at))
            .find(|(outer, inner)| different(outer) && different(inner))
            .map(|(outer, inner)| Order {
                outer: outer.to_vec(),
                inner: inner.to_vec(),
            })
            .ok_or_else(|| {
                let names: Vec<&str> = par.iter().map(|dim| schedule.names[*dim].as_str()).collect();
                ContractionError::new(format!(
                    "the Par dimensions `{}` are not in the order c, m_out, n_out, m_l2, n_l2 (m and n may change places): use permute_dims and fuse_dims",
                    names.join(", ")
                ))
            })
    }

    /// Tiles of a group along M or N.
    fn size(&self, schedule: &Schedule, kind: DimType) -> u64 {
        let of_kind = |dim: &&usize| schedule.dim_types[**dim] == kind;
        match (
            self.inner.iter().find(of_kind),
            self.outer.iter().find(of_kind),
        ) {
            (Some(dim), _) => schedule.dim_sizes[*dim],
            // `m_out, n_out` alone: groups of one tile.
            _ => 1,
        }
    }

    /// Whether N is innermost of these; with none of them it is, as in row-major order.
    fn last_is_n(&self, schedule: &Schedule, dims: &[usize]) -> bool {
        dims.last()
            .is_none_or(|dim| schedule.dim_types[*dim] == DimType::N)
    }
}

fn product(schedule: &Schedule, wanted: impl Fn(usize) -> bool) -> u64 {
    let dims = (0..schedule.dim_sizes.len()).filter(|dim| wanted(*dim));
    dims.map(|dim| schedule.dim_sizes[dim]).product()
}

/// All indices of a type, without what padding added.
fn size(schedule: &Schedule, kind: DimType) -> u64 {
    let whole = product(schedule, |dim| schedule.dim_types[dim] == kind);
    let bounds = schedule.bounds.iter().filter_map(|bound| {
        let (first, _) = bound.terms.first()?;
        (schedule.dim_types[*first] == kind).then(|| {
            let bounded = |dim| bound.terms.iter().any(|(other, _)| *other == dim);
            let least = bound.terms.iter().map(|(_, factor)| *factor).min();
            let rest = product(schedule, |dim| {
                schedule.dim_types[dim] == kind && !bounded(dim)
            });
            let bounded = bound.limit.div_ceil(least.unwrap_or(1).max(1));
            bounded.saturating_mul(rest)
        })
    });
    bounds.fold(whole, u64::min)
}
