use super::*;
use crate::space::Space;
use crate::space::fixture::{bound, scope, spec};
use bico_core::Value;
use bico_syntax::bind::{Bound, SpaceError};
use proptest::prelude::*;

fn ranked(options: &str) -> Result<(Space, Bound<'static>, Ranked), SpaceError> {
    let bound = bound(spec(options))?;
    let space = Space::new(&bound)?;
    let ranked = rank(&space, &bound)?;
    Ok((space, bound, ranked))
}

/// The first parameter of each config, best first.
fn order(options: &str) -> Vec<Value> {
    let (space, _, ranked) = ranked(options).unwrap();
    ranked
        .order
        .iter()
        .map(|config| space.config(*config)[0])
        .collect()
}

#[test]
fn the_highest_score_comes_first_and_ties_keep_their_order() {
    let order = order("space(A in [1, 2, 3, 4, 5]), score = if A == 4 { 1 } else { A % 2 / 2 }");
    assert_eq!(order, [4, 1, 3, 5, 2].map(Value::Int));
    let (_, _, ranked) = ranked("space(A in [1, 2]), score = A / 4").unwrap();
    assert_eq!(
        (ranked.kind, ranked.predicted),
        (Kind::Score, vec![0.5, 0.25])
    );
}

#[test]
fn scores_that_are_no_numbers_are_errors() {
    let error = |options: &str| ranked(options).unwrap_err().message;
    assert_eq!(
        error("space(A in [2, 1, 0]), score = 1 / A"),
        "in `1 / A`: attempt to divide 1.0 by 0.0: division by zero (A = 0)"
    );
    assert!(
        error("space(A in [2]), score = NAME").contains("\"silu\""),
        "{}",
        error("space(A in [2]), score = NAME")
    );
    let negative = error("space(A in [1, 2]), scratch(S: f32, len = 1 - A)");
    assert!(
        negative.starts_with("in `1 - A`") && negative.contains("negative (A = 2)"),
        "{negative}"
    );
}

#[test]
fn less_work_comes_first() {
    assert_eq!(
        order("space(A in [4, 1, 2]), work(flops = 1000000 * A, bytes = 10)"),
        [1, 2, 4].map(Value::Int)
    );
    // Division is real: in integers all of these would be equal.
    assert_eq!(
        order("space(A in [3, 5, 4]), work(bytes = 100000 * (1 / A))"),
        [5, 4, 3].map(Value::Int)
    );
    // How large a block is says nothing of its time.
    assert_eq!(
        order("space(A in [9, 3, 5]), scratch(S: f64, len = A * 1000)"),
        [9, 3, 5].map(Value::Int)
    );
}

#[test]
fn wider_vectors_come_first() {
    let options = "space(ISA in [\"x86-64-v2\", \"x86-64-v3\"]), work(flops = m * n * 1000), flags = [\"-O3\", \"-march={ISA}\"]";
    assert_eq!(
        order(options),
        [Value::Str("x86-64-v3"), Value::Str("x86-64-v2")]
    );
}

#[test]
fn work_sums_all_arguments() {
    let options = "space(A in [2, 3]), work(flops = m * A), scratch(S: f64, len = A)";
    let (space, bound, _) = ranked(options).unwrap();
    let work = bound.work(&space.config(1)).unwrap();
    assert_eq!((work.flops, work.bytes), (Some(192.0), None));
    assert_eq!(work.footprint, 4.0 * 6400.0 + 4.0 * 100.0);
}

#[test]
fn large_spaces_are_ranked_by_a_sample_with_the_first_config() {
    let options = "space(A in 0..1100, B in 0..1000), score = A * B";
    let (space, _, ranked) = ranked(options).unwrap();
    assert_eq!(space.len(), 1_100_000);
    assert!(ranked.len() >= 1_000_000 && (ranked.len() as u64) < space.len());
    assert!(ranked.position(0).is_some());
    let best = ranked.order[0];
    assert_eq!(ranked.position(best), Some(0));
    assert_eq!(
        ranked
            .predicted
            .windows(2)
            .filter(|pair| pair[0] < pair[1])
            .count(),
        0
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn positions_and_order_agree(values in proptest::collection::vec(-3i32..3, 0..40), stride in 1u64..3, score: bool) {
        let kind = if score { Kind::Score } else { Kind::Seconds };
        let configs: Vec<u64> = (0..values.len() as u64).map(|c| c * stride).collect();
        let predicted: Vec<f64> = values.iter().map(|v| f64::from(*v) / 2.0).collect();
        let ranked = Ranked::new(configs.clone(), predicted.clone(), kind);
        let mut expected: Vec<usize> = (0..values.len()).collect();
        expected.sort_by_key(|at| if score { -values[*at] } else { values[*at] });
        let order: Vec<u64> = expected.iter().map(|at| configs[*at]).collect();
        prop_assert_eq!(&ranked.order, &order);
        for (place, config) in order.iter().enumerate() {
            prop_assert_eq!(ranked.position(*config), Some(place));
            prop_assert_eq!(ranked.predicted[place], predicted[expected[place]]);
        }
        prop_assert_eq!(ranked.position(1000), None);
        prop_assert_eq!(ranked.len(), values.len());
    }
}

#[test]
fn a_launch_is_ranked_for_the_gpu() {
    use bico_core::device::{CudaFacts, Facts};

    let attribute = "source = \"k.cu\", problem(n = 65536), space(BLOCK in [32, 250, 256, 2048]), \
        launch(grid = n.div_ceil(BLOCK), block = BLOCK, shared = 4 * BLOCK), work(flops = n, bytes = 8 * n)";
    let item = "pub fn k(stream: &Arc<CudaStream>, #[len(n)] a: &mut CudaSlice<f32>, n: u32) -> bico::Result<()>;";
    let spec = match bico_syntax::parse(attribute.parse().unwrap(), item.parse().unwrap()) {
        Ok(wrapper) => wrapper.spec,
        Err(errors) => panic!("{errors}"),
    };
    let facts = Facts::Cuda(CudaFacts::typical("a GPU", "", 80));
    let scope = scope().with_size("n", Value::Int(65536));
    let bound = Bound::new(&spec, &facts, &scope).unwrap();
    let space = Space::new(&bound).unwrap();
    let launch = bound.work(&[Value::Int(250)]).unwrap().launch.unwrap();
    assert_eq!(
        (
            launch.blocks,
            launch.threads,
            launch.width,
            launch.shared_bytes
        ),
        (263.0, 250, 250, 1000)
    );
    let ranked = rank(&space, &bound).unwrap();
    // Whole warps before broken ones, small blocks later; what cannot run is not there.
    assert_eq!(ranked.order, [2, 1, 0]);
    // On a CPU there is no launch.
    let cpu = crate::space::fixture::facts();
    let bound = Bound::new(&spec, &cpu, &scope).unwrap();
    assert_eq!(bound.work(&[Value::Int(32)]).unwrap().launch, None);
}
