//! Whether a reference in the kernel's source is the same for all configs: it is compiled for one of them, and all are
//! compared with it.

use crate::compile::{Service, Unit, names, reach};
use bico_core::sorted::sort_by;
use bico_core::{Lists, Set, Value};
use bico_search::space::Space;
use bico_syntax::bind::Bound;
use bico_syntax::{ReferenceKind, TunableSpec};

/// Configs among which the one is sought that differs most.
const LOOKED_AT: u64 = 4096;

/// Configs all over a space of this size; all of them, if they are no more.
pub(super) fn spread(size: u64, most: u64) -> impl Iterator<Item = u64> {
    (0..size.min(most)).map(move |place| match size <= most {
        true => place,
        // The fractional parts of multiples of the golden ratio lie far from each other.
        false => ((place as f64 * 0.618_033_988_749_895).fract() * size as f64) as u64,
    })
}

/// Looks at the reference under `config` and a config that differs from it in as many parameters as possible. `unit` is
/// how it is compiled for a config.
///
/// # Errors
///
/// Its code or its launch depends on parameters; the text names them.
pub(super) fn check(
    bound: &Bound<'_>,
    space: &Space,
    config: u64,
    unit: &dyn Fn(u64) -> Result<Unit, String>,
    service: &Service,
) -> Result<(), String> {
    let Some((entry, own_launch)) = shared(bound.spec) else {
        return Ok(());
    };
    let ids = space.ids(config);
    let differing = |other: &u64| {
        let others = space.ids(*other).into_iter();
        others.zip(&ids).filter(|(other, id)| other != *id).count()
    };
    let other = spread(space.len(), LOOKED_AT).max_by_key(differing);
    let pair = [config, other.unwrap_or(config)];
    let values = pair.map(|config| bound.reference_values(&space.config(config)));
    let [first, second] = values;
    let (first, second) = (first?, second?);
    let differ: Vec<usize> = (0..first.len())
        .filter(|at| first[*at] != second[*at])
        .collect_vec();
    let by_launch = match bound.reference_dims(&first)? == bound.reference_dims(&second)? {
        true => Set::default(),
        false => bound.reference_depends(),
    };
    let launched = differ.iter().filter(|at| by_launch.contains(at));
    let launched: Vec<usize> = launched.copied().collect_vec();
    let coded = by_code(bound.names(), &differ, entry, &pair, unit, service)?;
    let (what, mut by) = match (launched.is_empty(), coded.is_empty()) {
        (true, true) => return Ok(()),
        (true, false) => ("code depends", coded),
        (false, true) => ("launch depends", launched),
        (false, false) => ("code and launch depend", [launched, coded].concat()),
    };
    sort_by(&mut by, &Ord::cmp);
    by.dedup();
    let own = match what {
        "launch depends" if !own_launch => ", or give it a `launch(..)` of its own",
        _ => "",
    };
    let list = |text: &dyn Fn(&str, &Value) -> String| {
        let parts = by.iter().map(|at| text(&bound.names()[*at], &first[*at]));
        parts.collect_vec().join(", ")
    };
    let (names, with) = (
        list(&|name, _| format!("`{name}`")),
        list(&|name, value| format!("{name} = {value}")),
    );
    Err(format!(
        "the reference `{entry}` is not the same for all configs: its {what} on {names}, and what it gives for one config would be expected of all\n  = help: fix what it is compiled and launched with by `verify(reference = \"{entry}\", .., with({with}))`{own}"
    ))
}

/// The reference's function, where it shares the kernel's source, and whether it has a launch of its own.
fn shared(spec: &TunableSpec) -> Option<(&str, bool)> {
    let reference = spec.verify.reference.as_ref()?;
    // A Rust function's reference has no const parameters.
    if spec.rust.is_some() {
        return None;
    }
    match &reference.kind {
        ReferenceKind::Entry(entry) => Some((entry, reference.launch.is_some())),
        ReferenceKind::File { .. } => None,
    }
}

/// Which of the differing parameters the reference's code depends on. No compiler is asked where the source says that it
/// names none of them.
fn by_code(
    parameters: &[String],
    differ: &[usize],
    entry: &str,
    pair: &[u64; 2],
    unit: &dyn Fn(u64) -> Result<Unit, String>,
    service: &Service,
) -> Result<Vec<usize>, String> {
    let units = [unit(pair[0])?, unit(pair[1])?];
    let mut source = String::new();
    let read = service.source(&units[0]);
    for file in read.map_err(|error| error.to_string())?.files {
        let text = std::fs::read(&file).unwrap_or_default();
        source.push_str(&String::from_utf8_lossy(&text));
        source.push('\n');
    }
    let reached = reach(&source, entry);
    let named = differ
        .iter()
        .filter(|at| names(&reached, &parameters[**at]));
    let named: Vec<usize> = named.copied().collect_vec();
    if named.is_empty() {
        return Ok(named);
    }
    let made = units.map(|unit| service.text(&unit, entry));
    let [Ok(first), Ok(second)] = made else {
        // What does not compile is told by whoever needs it.
        return Ok(Vec::new());
    };
    let same = reach(&first.0, &first.1) == reach(&second.0, &second.1);
    Ok(if same { Vec::new() } else { named })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{GpuTarget, GpuUnit, Options};
    use bico_core::device::{CudaFacts, Facts};
    use bico_syntax::Language;
    use bico_syntax::bind::Scope;

    const SOURCE: &str =
        "__global__ void k(float *y, unsigned n) { y[threadIdx.x] = BLOCK + WIDE; }
#define AT (blockIdx.x * BLOCK + threadIdx.x)
__global__ void plain(float *y, unsigned n) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void uses(float *y, unsigned n) { y[AT] = 1; }
";

    /// What is said of a reference. Nothing is compiled: there is no compiler.
    fn said(options: &str) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("k.cu"), SOURCE).unwrap();
        let attribute = format!(
            "source = \"k.cu\", space(WIDE in [1, 2], BLOCK in [32, 64], TWICE = 2 * BLOCK), problem(n = 64), \
             launch(grid = n.div_ceil(TWICE), block = BLOCK), verify({options})"
        );
        let item = "fn k(s: &Arc<CudaStream>, #[len(n)] y: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;";
        let parsed = bico_syntax::parse(attribute.parse().unwrap(), item.parse().unwrap());
        let spec = parsed.unwrap_or_else(|errors| panic!("{errors}")).spec;
        let facts = Facts::Cuda(CudaFacts::typical("a GPU", "", 80));
        let scope = Scope::default().with_size("n", Value::Int(64));
        let bound = Bound::new(&spec, &facts, &scope).unwrap();
        let space = Space::new(&bound).unwrap();
        let service = Service::new(Options {
            cache: folder.path().join("objects"),
            root: folder.path().into(),
            threads: 0,
            target: String::new(),
            host: String::new(),
            timeout: Options::TIMEOUT,
            nvrtc: Some("/nowhere".into()),
            program: None,
        });
        let unit = |config| {
            let values = bound.reference_values(&space.config(config)).unwrap();
            Ok(Unit {
                source: folder.path().join("k.cu"),
                language: Language::Cuda,
                defines: bound.defines(&values),
                flags: Vec::new(),
                gpu: Some(GpuUnit {
                    target: GpuTarget::Cubin(80),
                    expressions: vec!["plain".into()],
                    nvcc: false,
                }),
            })
        };
        check(&bound, &space, 0, &unit, &service)
    }

    #[test]
    fn a_launch_that_depends_on_parameters_is_no_references() {
        let text = said("reference = \"plain\"").unwrap_err();
        assert_eq!(
            text,
            "the reference `plain` is not the same for all configs: its launch depends on `BLOCK`, `TWICE`, and what it gives for one config would be expected of all\n  = help: fix what it is compiled and launched with by `verify(reference = \"plain\", .., with(BLOCK = 32, TWICE = 64))`, or give it a `launch(..)` of its own"
        );
        let own = "launch(grid = n.div_ceil(BLOCK), block = BLOCK)";
        let text = said(&format!("reference = \"plain\", {own}")).unwrap_err();
        assert!(text.ends_with("with(BLOCK = 32))`"), "{text}");
        // What is derived of what is fixed is fixed.
        for right in ["with(BLOCK = 16)", "launch(grid = n, block = 1)"] {
            assert_eq!(said(&format!("reference = \"plain\", {right}")), Ok(()));
        }
    }

    #[test]
    fn configs_lie_all_over_a_space() {
        assert_eq!(Vec::from_iter(spread(3, 4)), [0, 1, 2]);
        assert_eq!(Vec::from_iter(spread(100, 5)), [0, 61, 23, 85, 47]);
    }
}
