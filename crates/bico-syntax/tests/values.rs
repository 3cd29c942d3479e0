//! `#[value]`: numbers that are no part of a problem.

mod common;

use bico_syntax::{ArgumentKind, Element, TunableSpec, canonical, fingerprint};
use common::right;

const ITEM: &str = r#"
#[bico::tunable(
    source = "k.cu",
    space(A in [1, 2]),
    launch(grid = (n - first).div_ceil(A), block = A),
    problem(n = 8, seed = n + 1, scale = 2.0),
    problem(first = 3, seed = 7, scale = 2.0, n = 16),
)]
fn f(
    s: &Arc<CudaStream>,
    #[value] seed: u64,
    #[len(n + first)] c: &mut CudaSlice<f32>,
    n: u32,
    #[value(0..n)] first: u32,
    #[value] scale: f32,
    #[value(-3..=4)] shift: i8,
) -> bico::Result<()>;
"#;

fn values(spec: &TunableSpec, problem: usize) -> Vec<String> {
    let values = spec.problems[problem].values.iter();
    let values = values.map(|(name, value)| format!("{} = {value}", name.text));
    values.collect()
}

#[test]
fn they_have_values_and_are_no_sizes() {
    let spec = right(ITEM).spec;
    let sizes = spec.problems.iter().map(|problem| problem.sizes.len());
    assert_eq!(sizes.collect::<Vec<_>>(), [1, 1]);
    // Where none is written, the middle of the range.
    let first = [
        "seed = n + 1",
        "first = 0 + (n - 0) / 2",
        "scale = 2.0",
        "shift = -3 + (4 - -3) / 2",
    ];
    assert_eq!(values(&spec, 0), first);
    assert_eq!(values(&spec, 1)[..2], ["seed = 7", "first = 3"]);
    let kinds = spec
        .arguments
        .iter()
        .filter_map(|argument| match &argument.kind {
            ArgumentKind::Value { element, range } => {
                Some((*element, range.as_ref().map(ToString::to_string)))
            }
            _ => None,
        });
    let range = |text: &str| Some(text.to_string());
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [
            (Element::U64, None),
            (Element::U32, range("0..n")),
            (Element::F32, None),
            (Element::I8, range("-3..=4")),
        ]
    );
}

#[test]
fn they_count_as_arguments_do() {
    let base = right(ITEM).spec;
    for (from, to) in [("#[value] seed", "#[value(0..=9)] seed"), ("0..n", "0..=n")] {
        let other = right(&ITEM.replace(from, to)).spec;
        assert_ne!(canonical(&other).launch, canonical(&base).launch, "{from}");
    }
    // What one is tuned with makes no result stale, but the macro and the build must agree.
    let other = right(&ITEM.replace("seed = 7", "seed = 8")).spec;
    assert_eq!(canonical(&other).launch, canonical(&base).launch);
    assert_ne!(fingerprint(&other), fingerprint(&base));
}
