//! What `device.has` is asked for: a name that no CPU has would be false without a word.

use bico_core::{Lists, Map};
use bico_syntax::bind::SpaceError;
use bico_syntax::{Domain, Expr, ExprKind, TunableSpec, nearest};

/// All that `device.has` can be true for.
const KNOWN: &str = "aarch64 abm adx aes arm avx avx2 avx512bf16 avx512bitalg avx512bw avx512cd avx512dq \
    avx512f avx512fp16 avx512ifma avx512vbmi avx512vbmi2 avx512vl avx512vnni \
    avx512vp2intersect avx512vpopcntdq avxvnni bmi bmi1 bmi2 cmpxchg16b cx16 f16c fma fxsr \
    gfni loongarch64 lzcnt movbe neon pclmul pclmulqdq popcnt powerpc64 rdrand rdrnd rdseed \
    riscv64 s390x sha sse sse2 sse3 sse4 sse4.1 sse4.2 sse4a ssse3 vaes vpclmulqdq x86-64 \
    x86-64-v2 x86-64-v3 x86-64-v4 xsave";

fn known() -> Vec<&'static str> {
    KNOWN.split(' ').collect_vec()
}

/// A name that `device.has` does not know: one that is written there, or a slip among the values of a
/// parameter that is asked for. Other values may mean something else: `ISA == "native" || device.has(ISA)`.
pub(super) fn unknown(spec: &TunableSpec, lists: &Map<String, Expr>) -> Option<SpaceError> {
    let domains = spec.parameters.iter().map(|of| match &of.domain {
        Domain::In(expr) | Domain::Derived(expr) => expr,
    });
    let mut places = domains.chain(&spec.require).chain(&spec.score);
    let mut found = None;
    places.any(|place| {
        place.any(&mut |expr| {
            if let ExprKind::DeviceHas(asked) = &expr.kind {
                found = match &asked.kind {
                    ExprKind::Str(name) => fault(name, asked),
                    ExprKind::Name(name) => slip(spec, lists, name),
                    _ => None,
                };
            }
            found.is_some()
        })
    });
    found
}

fn slip(spec: &TunableSpec, lists: &Map<String, Expr>, parameter: &str) -> Option<SpaceError> {
    let parameter = spec.parameters.iter().find(|p| p.name.text == parameter)?;
    let Domain::In(domain) = &parameter.domain else {
        return None;
    };
    let ExprKind::List(items) = &domain.listed(lists).kind else {
        return None;
    };
    items.iter().find_map(|item| match &item.kind {
        ExprKind::Str(name) if nearest(name, &known()).is_some() => fault(name, item),
        _ => None,
    })
}

fn fault(name: &str, at: &Expr) -> Option<SpaceError> {
    let known = known();
    if known.contains(&name) {
        return None;
    }
    let near = nearest(name, &known).map(|near| format!("; did you mean `{near}`?"));
    let (near, known) = (near.unwrap_or_default(), known.join(", "));
    let message = format!("`device.has` knows no `{name}`{near} (it knows {known})");
    Some(SpaceError::new(at.span, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bico_core::device::Facts;
    use bico_search::space::fixture::spec;

    fn said(options: &str) -> Option<String> {
        unknown(&spec(options), &Map::default()).map(|error| error.message)
    }

    #[test]
    fn slips_are_found() {
        let text = said("space(A in [1]), require(A == 1 || device.has(\"avx3\"))").unwrap();
        assert!(text.contains("`avx3`; did you mean `avx`?"), "{text}");
        let isa = "space(ISA in [\"x86-64-v3\", \"x86-64-v5\"]), require(device.has(ISA))";
        let text = said(isa).unwrap();
        assert!(text.contains("no `x86-64-v5`; did you mean"), "{text}");
        let text = said("space(A in [1]), require(!device.has(\"banana\"))").unwrap();
        assert!(text.contains("avx512vnni"), "{text}");
    }

    #[test]
    fn other_words_are_no_slips() {
        assert_eq!(said("space(A in [1]), require(device.has(\"avx2\"))"), None);
        let isa = "space(ISA in [\"native\", \"x86-64-v3\"]), require(ISA == \"native\" || device.has(ISA))";
        assert_eq!(said(isa), None);
    }

    /// What this CPU has is known.
    #[test]
    fn the_list_is_complete() {
        let Facts::Cpu(cpu) = bico_host::this_cpu().clone() else {
            panic!("no CPU");
        };
        for feature in &cpu.features {
            assert!(known().contains(&feature.as_str()), "{feature}");
        }
    }
}
