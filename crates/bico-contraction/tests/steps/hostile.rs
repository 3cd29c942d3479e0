//! Schedules from outside: none makes anything panic, and none that is accepted leaves its tensors.

use super::*;
use bico_einsum::Einsum;
use fastrand::Rng;
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn json_keeps_everything() {
    let schedule = batched()
        .pad_dim("m", 4100)
        .unwrap()
        .split_dim("m", 41, 100)
        .unwrap()
        .make_executable()
        .unwrap();
    let text = serde_json::to_string_pretty(&schedule).unwrap();
    assert!(text.contains("\"prim_main\": \"Gemm\""), "{text}");
    assert_eq!(serde_json::from_str::<Schedule>(&text).unwrap(), schedule);
    let json = serde_json::to_value(&schedule).unwrap();
    assert_eq!(json["dim_types"], json!(["C", "M", "M", "K", "N"]));
    let unknown = text.replace("\"C\"", "\"X\"");
    let error = serde_json::from_str::<Schedule>(&unknown).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("unknown type `X` of a dimension: expected M, N, K or C")
    );
}

/// A product with one field changed, as read from a file.
fn changed(field: &str, value: Value) -> Vec<String> {
    let mut json = serde_json::to_value(product(2, 3, 4)).unwrap();
    json[field] = value;
    let schedule: Schedule = serde_json::from_value(json).unwrap();
    let error = schedule.validate().unwrap_err();
    // Whatever is done with it, the same is said.
    assert_eq!(schedule.verify(), Err(error.clone()));
    assert_eq!(evaluate(&schedule, &[]), Err(error.clone()));
    assert_eq!(schedule.clone().make_executable(), Err(error.clone()));
    assert_eq!(schedule.fuse_dims(0, 1), Err(error.clone()));
    error.messages
}

#[test]
fn lists_that_do_not_fit_each_other() {
    assert_eq!(
        changed("dim_types", json!(["M"])),
        [
            "exec_types has length 3, but dim_types 1: give one entry per dimension",
            "dim_sizes has length 3, but dim_types 1: give one entry per dimension",
            "names has length 3, but dim_types 1: give one entry per dimension",
            "strides[0] has length 3, but dim_types 1: give one entry per dimension",
            "strides[1] has length 3, but dim_types 1: give one entry per dimension",
            "strides[2] has length 3, but dim_types 1: give one entry per dimension",
        ]
    );
    assert_eq!(
        changed("prim_last", json!("ElementwiseMul")),
        [
            "strides has length 3, but with the last touch ElementwiseMul there are 4 tensors",
            "elements has length 3, but with the last touch ElementwiseMul there are 4 tensors",
        ]
    );
}

#[test]
fn sizes_names_and_strides_that_mean_nothing() {
    assert_eq!(
        changed("dim_sizes", json!([0, 4, 3])),
        ["`m` has size 0: sizes are at least 1"]
    );
    assert_eq!(
        changed("dim_sizes", json!([u64::MAX, 4, 3])),
        ["the product of all sizes is 2^64 or more: use smaller sizes"]
    );
    assert_eq!(
        changed("names", json!(["m", "m", "n;"])),
        [
            "two dimensions are called `m`: give each a name of its own",
            "`n;` is no name of a dimension: use letters, digits and `_`, no digit first",
        ]
    );
    assert_eq!(
        changed("strides", json!([[4, 1, 0], [0, 3, 1], [0, 1, 1]])),
        [
            "`m` (M) has stride 0 in the output (C): its iterations would write over each other",
            "`k` (K) has stride 1 in the output (C), which has no dimensions of that type: it must be 0",
        ]
    );
}

#[test]
fn loops_that_leave_a_tensor() {
    assert_eq!(
        changed("elements", json!([8, 11, 6])),
        ["the dimensions reach element 11 of the second input (B), which has 11"]
    );
    let huge = json!([[1u64 << 63, 1u64 << 63, 0], [0, 3, 1], [3, 0, 1]]);
    assert_eq!(
        changed("strides", huge),
        ["the dimensions reach element 2^64 of the first input (A), which has 8"]
    );
}

#[test]
fn bounds_that_mean_nothing() {
    let bound =
        |limit: u64, terms: Value| changed("bounds", json!([{"limit": limit, "terms": terms}]));
    assert_eq!(
        bound(0, json!([])),
        [
            "bounds[0] has limit 0, which nothing fulfils: limits are at least 1",
            "bounds[0] has no terms: leave it out",
        ]
    );
    assert_eq!(
        bound(1, json!([[3, 1]])),
        ["bounds[0] names dimension 3, but there are 3"]
    );
    assert_eq!(
        bound(1, json!([[0, 1], [0, 1]])),
        ["bounds[0] must name each dimension once, in their order"]
    );
    assert_eq!(
        bound(1, json!([[0, 1], [1, 1]])),
        ["bounds[0] has dimensions of different types"]
    );
    assert_eq!(
        bound(1, json!([[1, u64::MAX]])),
        ["bounds[0] reaches 2^64 or more: use smaller factors"]
    );
}

/// Changes one number, name or length somewhere in a value.
fn disturb(rng: &mut Rng, value: &mut Value) {
    let number = |rng: &mut Rng| {
        let numbers = [0, 1, 2, 3, 7, 1 << 32, 1 << 63, u64::MAX];
        json!(numbers[rng.usize(0..numbers.len())])
    };
    match value {
        Value::Object(fields) => {
            let place = rng.usize(0..fields.len());
            if let Some(field) = fields.values_mut().nth(place) {
                disturb(rng, field);
            }
        }
        Value::Array(list) if list.is_empty() || rng.u8(0..6) == 0 => {
            if rng.bool() {
                list.pop();
            } else {
                let new = list.last().cloned().unwrap_or_else(|| number(rng));
                list.push(new);
            }
        }
        Value::Array(list) => {
            let place = rng.usize(0..list.len());
            disturb(rng, &mut list[place]);
        }
        Value::Number(_) => *value = number(rng),
        Value::String(_) => {
            let words = [
                "m",
                "",
                "x y",
                "é",
                "M",
                "N",
                "K",
                "C",
                "Par",
                "Prim",
                "ElementwiseMul",
            ];
            *value = json!(words[rng.usize(0..words.len())]);
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(seed: u64) {
        let rng = &mut Rng::with_seed(seed);
        let mut json = serde_json::to_value(random::schedule(rng, 60)).unwrap();
        for _ in 0..rng.usize(1..=3) {
            disturb(rng, &mut json);
        }
        let Ok(schedule) = serde_json::from_value::<Schedule>(json) else {
            return Ok(());
        };
        prop_assert!(!schedule.to_string().is_empty());
        let _ = schedule.verify();
        let _ = schedule.clone().make_executable();
        let _ = schedule.clone().split_dim(0, 1, 2);
        let _ = schedule.clone().split_dim(0, 1, 1);
        let _ = schedule.clone().fuse_dims(0, 1);
        let _ = schedule.clone().fuse_dims(1, 0);
        let _ = schedule.clone().pad_dim(0, 1 << 40);
        let _ = schedule.clone().permute_dims(&[0, 1, 2]);
        let product = schedule.dim_sizes.iter().try_fold(1u64, |product, size| product.checked_mul(*size));
        let elements = schedule.elements.iter().max().copied().unwrap_or(0);
        // What is valid stays within its tensors: else indexing would panic here.
        if product.is_some_and(|product| product < 10_000) && elements < 10_000 {
            let inputs = random::inputs(rng, &schedule);
            let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(evaluate(&schedule, &inputs).is_ok(), schedule.validate().is_ok());
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[a-d ,>é.-]{0,12}|[a-c]{0,3},[a-c]{0,3}(,[a-c]{0,2})?->[a-c]{0,3}") {
        match Einsum::parse(&text) {
            Ok(einsum) => {
                let letters: usize = einsum.plan().groups.iter().map(|group| group.letters.len()).sum();
                prop_assert_eq!(letters, einsum.letters().len());
                let again = Einsum::parse(&einsum.to_string()).unwrap();
                prop_assert_eq!((again.inputs, again.output), (einsum.inputs, einsum.output));
            }
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    prop_assert!(text.get(error.range.clone()).is_some(), "{:?}", error);
                    prop_assert!(!error.render(&text).is_empty());
                }
            }
        }
    }
}
