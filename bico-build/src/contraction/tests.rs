//! Properties of random chains.
use super::*;
use proptest::prelude::*;

fn same(config: &Config, expected: &[f64], inputs: &[&[f64]]) {
    assert_eq!(config.evaluate(inputs).unwrap(), expected, "{config}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_chain_of_accepted_steps_computes_the_einsum(seed: u64) {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let einsum = random::einsum(rng);
        let shapes = random::shapes(rng, &einsum, 1500);
        let shapes: Vec<&[u64]> = shapes.iter().map(Vec::as_slice).collect();
        let config = Config::from_einsum(&einsum.text, &shapes, DataType::F32).unwrap();
        let inputs = random::inputs(rng, &config);
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        let expected = naive(&einsum, &shapes, &inputs).unwrap();
        same(&config, &expected, &inputs);
        let config = random::chain(rng, config, 12, 6000);
        same(&config, &expected, &inputs);
        let config = config.make_executable().unwrap();
        config.verify().unwrap();
        same(&config, &expected, &inputs);
    }

    #[test]
    fn random_configs_are_executable_and_survive_json(seed: u64) {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let config = random::config(rng, 500);
        config.verify().unwrap();
        let text = serde_json::to_string(&config).unwrap();
        prop_assert_eq!(serde_json::from_str::<Config>(&text).unwrap(), config);
    }
}
