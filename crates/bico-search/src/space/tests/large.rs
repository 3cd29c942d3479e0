//! Spaces that nobody could list.

use super::super::fixture::space;
use super::super::*;
use Value::Int;
use bico_core::Value;

/// Three groups of parameters with conditions of their own: their sizes multiply.
const GROUPS: [&str; 3] = [
    "A in 1..=64, B in 1..=64, C in 1..=32",
    "D in 1..=48, E in 1..=64, F in [1, 2, 4, 8, 16]",
    "G in 0..100, H in 0..G",
];
const CONDITIONS: [&str; 3] = [
    "A * B <= 512, (A * B) % C == 0",
    "D * F <= E * 4",
    "(G + H) % 3 != 1",
];

fn parts() -> Vec<Space> {
    let part = |(domains, conditions)| space(&format!("space({domains}), require({conditions})"));
    GROUPS
        .into_iter()
        .zip(CONDITIONS)
        .map(part)
        .map(Result::unwrap)
        .collect()
}

fn whole() -> Space {
    let (domains, conditions) = (GROUPS.join(", "), CONDITIONS.join(", "));
    space(&format!("space({domains}), require({conditions})")).unwrap()
}

#[test]
fn groups_multiply() {
    let (parts, whole) = (parts(), whole());
    let product: u64 = parts.iter().map(|part| part.len()).product();
    assert_eq!(whole.len(), product);
    assert!(whole.len() > 1_000_000_000, "{}", whole.len());
    assert!(whole.nodes() < 20_000, "{}", whole.nodes());
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..2000 {
        let number = rng.u64(0..whole.len());
        let values = whole.config(number);
        assert_eq!(whole.index_of(&values), Some(number));
        assert_eq!(whole.why_not(&values), None);
        // The number is that of the groups, the last one counting fastest.
        let mut rest = &values[..];
        let mut expected = 0;
        for part in &parts {
            let (own, others) = rest.split_at(part.names().len());
            expected = expected * part.len() + part.index_of(own).unwrap();
            rest = others;
        }
        assert_eq!(number, expected);
    }
    let near = whole.neighbours(whole.len() / 2);
    assert!(near.len() > 20 && near.iter().all(|config| *config < whole.len()));
}

#[test]
fn samples_are_uniform() {
    let whole = whole();
    let draw = Draw::new(whole.len(), fastrand::Rng::with_seed(11));
    let sample: Vec<u64> = draw.take(40_000).collect();
    let distinct: std::collections::HashSet<u64> = sample.iter().copied().collect();
    assert_eq!(distinct.len(), sample.len());
    // By the valid configs of each F: against the exact shares.
    let mut seen = [0f64; 5];
    for config in &sample {
        seen[whole.ids(*config)[5] as usize] += 1.0;
    }
    let group = &parts()[1];
    let mut exact = [0f64; 5];
    let all: Vec<u64> = (0..group.len()).collect();
    group.for_some(&all, &mut |_, ids| exact[ids[2] as usize] += 1.0);
    let scale = sample.len() as f64 / group.len() as f64;
    let chi: f64 = exact
        .iter()
        .zip(seen)
        .map(|(e, s)| (s - e * scale).powi(2) / (e * scale))
        .sum();
    // Four degrees of freedom: 18.5 is passed once in a thousand.
    assert!(chi < 18.5, "{chi}");
}

#[test]
fn the_largest_and_beyond() {
    let names: Vec<String> = (0..16).map(|at| format!("P{at} in 0..16")).collect();
    let most = space(&format!("space({})", names[..15].join(", "))).unwrap();
    assert_eq!(most.len(), 1 << 60);
    assert_eq!(most.config((1 << 60) - 1), vec![Int(15); 15]);
    let error = space(&format!("space({})", names.join(", "))).unwrap_err();
    assert!(
        error
            .message
            .contains("more than 18446744073709551615 valid configs"),
        "{error}"
    );
}

#[test]
fn one_and_two_configs() {
    let one = space("space(A in [7], B = A)").unwrap();
    assert_eq!((one.len(), one.config(0)), (1, vec![Int(7), Int(7)]));
    assert!(one.neighbours(0).is_empty());
    let two = space("space(A in [0, 1])").unwrap();
    assert_eq!(
        (two.len(), two.neighbours(0), two.neighbours(1)),
        (2, vec![1], vec![0])
    );
    let switches: Vec<String> = (0..40).map(|at| format!("P{at} in [0, 1]")).collect();
    let switches = space(&format!(
        "space({}), require(P0 + P1 + P2 != 3)",
        switches.join(", ")
    ))
    .unwrap();
    assert_eq!(switches.len(), 7 << 37);
    assert_eq!(switches.neighbours(0).len(), 40);
}
