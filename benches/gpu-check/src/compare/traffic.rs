//! What a contraction's blocks must bring from the device's memory, by the model that its space is ranked with.

use super::family::Family;
use super::record::Traffic;
use bico::Value;
use bico_core::device::CudaFacts;
use bico_l2_model::{Launch, Mapping, Problem, Tile, predict};
use bico_search::space::Space;
use bico_syntax::Element;
use bico_syntax::bind::Scope;

/// Steps along K by which blocks in flight are apart on average: what the ranking takes.
const DRIFT: f64 = 1.0;

/// What the blocks of a config move of which a multiprocessor holds `resident` blocks; `elements` are those of C and of A and B. `None`: the
/// kernel has no such model.
pub(super) fn traffic(
    family: Family,
    (space, scope): (&Space, &Scope),
    config: &[Value],
    elements: [Element; 2],
    (facts, resident): (&CudaFacts, u32),
) -> Option<Traffic> {
    if family != Family::Batched {
        return None;
    }
    let value = |name: &str| {
        let at = space.names().iter().position(|known| known == name)?;
        config.get(at).copied()
    };
    let whole = |name: &str| match value(name)? {
        Value::Int(value) => u64::try_from(value).ok(),
        _ => None,
    };
    let [m, n, k] = family.product(scope)?.map(u64::from);
    let [output_bytes, input_bytes] = elements.map(|element| element.size() as u64);
    let problem = Problem {
        batches: family.batches(scope)?.into(),
        m,
        n,
        k,
        input_bytes,
        output_bytes,
        last_bytes: 0,
    };
    let tile = Tile {
        m: whole("M_PRIM")?,
        n: whole("N_PRIM")?,
        k: whole("K_PRIM")?,
    };
    let slots = u64::try_from(facts.multiprocessors).ok()? * u64::from(resident);
    let l2_bytes = u64::try_from(facts.l2_bytes).ok()?;
    let along_n = value("ORDER")? == Value::Str("mn");
    let launch = Launch::new(problem, tile, slots, l2_bytes);
    let mapping = Mapping::row_major(problem.batches, m.div_ceil(tile.m), n.div_ceil(tile.n))
        .grouped(whole("M_L2")?, whole("N_L2")?)
        .walked(along_n, along_n);
    let predicted = predict(&Launch {
        drift: DRIFT,
        ..launch.mapped(mapping)
    });
    Some(Traffic {
        resident,
        device_bytes: predicted.device_bytes,
        requested_bytes: predicted.requested_bytes,
        device_seconds: predicted.device_bytes / facts.memory_bytes_per_second as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn groups_save_what_rows_read_again() {
        let options = "space(M_PRIM in [128], N_PRIM in [128], K_PRIM in [32], M_L2 in [1, 8], N_L2 in [1, 8], \
            ORDER in [\"mn\"]), problem(c = 4, m = 4096, n = 4096, k = 4096)";
        let (space, scope) = fixture::space(options);
        let facts = CudaFacts::typical("a GPU", "", 80);
        let bytes = |group: i64| {
            let values = [128, 128, 32, group, group].map(Value::Int);
            let config = [&values[..], &[Value::Str("mn")]].concat();
            let elements = [Element::F16, Element::F16];
            let found = traffic(
                Family::Batched,
                (&space, &scope),
                &config,
                elements,
                (&facts, 2),
            )
            .unwrap();
            assert!(found.device_seconds > 0.0 && found.resident == 2);
            // Every tensor once, at least.
            assert!(found.device_bytes >= 3.0 * 4.0 * 2.0 * 4096.0 * 4096.0);
            found.device_bytes
        };
        assert!(bytes(8) < bytes(1), "{} {}", bytes(8), bytes(1));
    }
}
