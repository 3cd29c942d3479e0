use super::*;
use crate::space::{Expression, Scope};
use bico::Value;
use bico::device::{CudaFacts, Facts};
use bico_syntax::Arithmetic;

#[test]
fn the_model_orders_launches_as_the_simulation_does() {
    let agreement = agreement(&cases(7, 25, false));
    println!("{agreement:?}");
    assert_eq!(agreement.cases, 200);
    assert!(agreement.bytes >= 0.9, "{agreement:?}");
    assert!(agreement.excess >= 0.9, "{agreement:?}");
}

/// The text that the score of a tunable holds, evaluated by the build's interpreter.
fn by_expression(launch: &Launch) -> f64 {
    let problem = &launch.problem;
    let blocks = bico_syntax::l2::Blocks {
        batches: "batches",
        sizes: ["m", "n", "k"],
        tile: ["M_PRIM", "N_PRIM", "K_PRIM"],
        group: ["M_L2", "N_L2"],
        groups_along_n: "GROUPS == \"mn\"",
        blocks_along_n: "BLOCKS == \"mn\"",
        resident: "resident",
        drift: "drift",
        element: [
            problem.input_bytes,
            problem.output_bytes,
            problem.last_bytes,
        ],
    };
    let order = |along_n: bool| Value::Str(if along_n { "mn" } else { "nm" });
    let int = |value: u64| Value::Int(value as i64);
    let values = [
        ("batches", int(problem.batches)),
        ("m", int(problem.m)),
        ("n", int(problem.n)),
        ("k", int(problem.k)),
        ("M_PRIM", int(launch.tile.m)),
        ("N_PRIM", int(launch.tile.n)),
        ("K_PRIM", int(launch.tile.k)),
        ("M_L2", int(launch.mapping.m_l2)),
        ("N_L2", int(launch.mapping.n_l2)),
        ("GROUPS", order(launch.mapping.groups_along_n)),
        ("BLOCKS", order(launch.mapping.blocks_along_n)),
        ("resident", int(launch.slots)),
        ("drift", Value::Float(launch.drift)),
    ];
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    let parameters: Vec<String> = names.iter().map(ToString::to_string).collect();
    let facts = Facts::Cuda(CudaFacts {
        multiprocessors: 1,
        l2_bytes: launch.l2_bytes as i64,
        ..CudaFacts::typical("a GPU", "", 90)
    });
    // One number of both results.
    let text = format!("{{ {} device_bytes_ + 3 * cache_bytes_ }}", blocks.lines());
    let expr = bico_syntax::parse_expr(text.parse().unwrap(), &names, Arithmetic::Real)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let scope = Scope::default();
    let t = std::time::Instant::now();
    let e = Expression::compile(&expr, Arithmetic::Real, &parameters, &scope, &facts).unwrap();
    println!("{} compiled {:?}", text.len(), t.elapsed());
    let t = std::time::Instant::now();
    for _ in 0..1000 {
        e.number(&values.map(|(_, value)| value)).unwrap();
    }
    println!("1000 evals {:?}", t.elapsed());
    Expression::compile(&expr, Arithmetic::Real, &parameters, &scope, &facts)
        .and_then(|expression| expression.number(&values.map(|(_, value)| value)))
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_expression_of_the_attribute_is_the_model() {
    let mut cases = cases(3, 10, false);
    cases.extend(super::cases(4, 10, true));
    for case in &cases {
        let launch = Launch {
            line_bytes: 1,
            ..case.launch
        };
        let traffic = predict(&launch);
        let model = traffic.device_bytes() + 3.0 * traffic.requested_bytes;
        let expression = by_expression(&launch);
        assert!(
            (model - expression).abs() <= 1e-9 * model,
            "{expression} is not {model}: {traffic:?} {launch:?}"
        );
    }
}

#[test]
fn zz_time() {
    let launch = Launch {
        line_bytes: 1,
        l2_bytes: 50 << 20,
        ..cases(3, 1, false)[1].launch
    };
    let t = std::time::Instant::now();
    by_expression(&launch);
    println!("all {:?}", t.elapsed());
}
