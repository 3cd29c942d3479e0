use super::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn config(values: &[i64], seconds: Option<f64>) -> Measured {
    Measured {
        values: values.iter().map(i64::to_string).collect(),
        seconds,
    }
}

/// All pairs of 4 values each, twice, with times of their own.
fn grid(time: impl Fn(f64, f64) -> f64) -> Vec<Measured> {
    let mut configs = Vec::new();
    for (a, b, c) in (0..32).map(|at| (at / 8, at / 2 % 4, at % 2)) {
        let noise = 1.0 + 0.001 * f64::from((a + 2 * b + c) % 3);
        let seconds = time(f64::from(a), f64::from(b)) * noise;
        configs.push(config(&[a.into(), b.into(), c.into()], Some(seconds)));
    }
    configs
}

#[test]
fn what_matters_comes_first() {
    // In logarithms these are sums: nothing depends on anything.
    let found = analyse(
        &names(&["A", "B", "C"]),
        &grid(|a, b| 2f64.powf(b) * 1.1f64.powf(a)),
    );
    let order: Vec<&str> = found
        .parameters
        .iter()
        .map(|of| of.names[0].as_str())
        .collect();
    assert_eq!(order, ["B", "A", "C"]);
    let shares: Vec<f64> = found.parameters.iter().filter_map(|of| of.share).collect();
    assert!(
        shares[0] > 0.95 && shares[1] < 0.05 && shares[2] < 0.01,
        "{shares:?}"
    );
    assert!(found.pair.unwrap().share < 0.001);
    let levels = &found.parameters[0].levels;
    assert_eq!((levels.len(), levels[0].measured), (4, 8));
    assert_eq!(levels[0].best, Some(1.0));
}

/// By hand: groups (0, 2) and (4, 6) have means 1 and 5, SSb = 16, SSw = 4, MSw = 2, SSt = 20: (16 - 2) / 22.
#[test]
fn the_share_is_omega_squared() {
    let share = variance::share(&[0, 0, 1, 1], &[0.0, 2.0, 4.0, 6.0]);
    assert!((share.unwrap() - 14.0 / 22.0).abs() < 1e-12);
    // One of a kind each, one group, no difference: nothing can be told.
    assert_eq!(variance::share(&[0, 1, 2], &[1.0, 2.0, 3.0]), None);
    assert_eq!(variance::share(&[0, 0], &[1.0, 2.0]), None);
    assert_eq!(variance::share(&[0, 0, 1], &[0.1, 0.1, 0.1]), None);
}

/// By hand: four cells with two numbers each, means 0, 0, 0, 4, spread 1 to each side. The cells leave 8, the sum of two effects 8 more
/// (residuals of 1 in each of 8): SSt = 24 + 8, MSw = 8 / 4: (8 - 2) / 34.
#[test]
fn a_pair_explains_what_its_parts_do_not() {
    let (a, b) = ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1]);
    let numbers = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 3.0, 5.0];
    let share = interaction::share(&a, &b, &numbers).unwrap();
    assert!((share - 6.0 / 34.0).abs() < 1e-9, "{share}");
    // A table in two parts that share nothing: each is as free as its only cell.
    assert_eq!(
        interaction::share(&[0, 0, 1, 1], &[0, 0, 1, 1], &numbers[..4]),
        None
    );
}

#[test]
fn the_strongest_pair_is_found_with_its_cells() {
    let matched = |a: f64, b: f64| if a == b { 1.0 } else { 4.0 };
    let found = analyse(&names(&["A", "B", "C"]), &grid(matched));
    let pair = found.pair.unwrap();
    let name = |at: usize| found.parameters[at].names[0].as_str();
    let mut of = pair.of.map(name);
    of.sort_unstable();
    assert_eq!(of, ["A", "B"]);
    assert!(pair.share > 0.9, "{}", pair.share);
    assert_eq!(pair.cells.len(), 4);
    for (row, cells) in pair.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            assert_eq!(cell.best < Some(2.0), row == column, "{cell:?}");
        }
    }
}

#[test]
fn parameters_that_change_together_are_one_and_constant_ones_none() {
    let mut configs: Vec<Measured> = (0..8)
        .map(|at| config(&[at % 4, 2 * (at % 4), 7], Some(1.0 + at as f64)))
        .collect();
    configs.push(config(&[9, 18, 7], None));
    let found = analyse(&names(&["TILE", "BLOCK", "SAME"]), &configs);
    assert_eq!(found.parameters.len(), 1);
    assert_eq!(found.parameters[0].names, ["TILE", "BLOCK"]);
    let failed = &found.parameters[0].levels[4];
    assert_eq!(
        (failed.value.as_str(), failed.failed, failed.best),
        ("9", 1, None)
    );
    assert_eq!(found.pair, None);
}

#[test]
fn values_are_in_order_and_medians_are_middles() {
    let configs: Vec<Measured> = [
        ("16", 3.0),
        ("8", 1.0),
        ("8", 2.0),
        ("x", 1.0),
        ("true", 1.0),
        ("8", 9.0),
    ]
    .map(|(value, seconds)| Measured {
        values: vec![value.to_string()],
        seconds: Some(seconds),
    })
    .to_vec();
    let found = analyse(&names(&["A"]), &configs);
    let values: Vec<&str> = found.parameters[0]
        .levels
        .iter()
        .map(|of| of.value.as_str())
        .collect();
    assert_eq!(values, ["8", "16", "true", "x"]);
    assert_eq!(found.parameters[0].levels[0].median, Some(2.0));
    assert_eq!(
        level(String::new(), &[&configs[1], &configs[2]]).median,
        Some(1.5)
    );
    // Nothing, or nothing that ran, says nothing.
    assert_eq!(analyse(&names(&["A"]), &[]), Analysis::default());
    let failed = [config(&[1], None), config(&[2], None)];
    let found = analyse(&names(&["A"]), &failed);
    assert_eq!((found.parameters[0].share, found.pair), (None, None));
}

#[test]
fn a_value_of_one_config_alone_explains_nothing() {
    let mut configs = grid(|_, b| 2f64.powf(b));
    configs.push(config(&[7, 9, 0], Some(1e6)));
    let found = analyse(&names(&["A", "B", "C"]), &configs);
    let share = |name: &str| {
        let effect = found
            .parameters
            .iter()
            .find(|of| of.names[0] == name)
            .unwrap();
        effect.share.unwrap()
    };
    assert!(
        share("B") > 0.9 && share("A") < 0.01,
        "{} {}",
        share("A"),
        share("B")
    );
    // It is shown all the same.
    assert_eq!(found.parameters[0].levels.last().unwrap().best, Some(1e6));
}
