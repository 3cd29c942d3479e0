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

/// The text that the score of a tunable holds, evaluated by the build's interpreter on these launches.
fn by_expression(cases: &[Case]) -> Vec<(f64, f64)> {
    let mut out = Vec::new();
    for case in cases {
        let launch = &case.launch;
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
        let evaluate = |result: &str| {
            let text = format!("{{ {} {result} }}", blocks.lines());
            let expr = bico_syntax::parse_expr(text.parse().unwrap(), &names, Arithmetic::Real)
                .unwrap_or_else(|errors| panic!("{errors}"));
            let scope = Scope::default();
            Expression::compile(&expr, Arithmetic::Real, &parameters, &scope, &facts)
                .and_then(|expression| expression.number(&values.map(|(_, value)| value)))
                .unwrap_or_else(|error| panic!("{error}"))
        };
        out.push((evaluate("device_bytes_"), evaluate("cache_bytes_")));
    }
    out
}

#[test]
fn the_expression_of_the_attribute_is_the_model() {
    let mut cases = cases(3, 12, false);
    cases.extend(super::cases(4, 12, true));
    for (case, (device, cache)) in cases.iter().zip(by_expression(&cases)) {
        let traffic = predict(&case.launch);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs();
        assert!(
            close(traffic.device_bytes(), device),
            "{device} {traffic:?} {case:?}"
        );
        assert!(
            close(traffic.requested_bytes, cache),
            "{cache} {traffic:?} {case:?}"
        );
    }
}
