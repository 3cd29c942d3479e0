//! The model as the attribute says it.

use super::super::{Launch, cases, predict};
use crate::space::{Expression, Scope};
use bico_core::Value;
use bico_core::device::{CudaFacts, Facts};
use bico_syntax::{Arithmetic, Expr};
use std::collections::BTreeMap;

/// Parsing takes longest: texts differ by the bytes of elements only.
#[derive(Default)]
struct Texts(BTreeMap<[u64; 3], Expr>);

const NAMES: [&str; 13] = [
    "batches", "m", "n", "k", "M_PRIM", "N_PRIM", "K_PRIM", "M_L2", "N_L2", "GROUPS", "BLOCKS",
    "resident", "drift",
];

impl Texts {
    /// The text that the score of a tunable holds, evaluated by the build's interpreter.
    fn evaluate(&mut self, launch: &Launch) -> f64 {
        let problem = &launch.problem;
        let element = [
            problem.input_bytes,
            problem.output_bytes,
            problem.last_bytes,
        ];
        let expr = self.0.entry(element).or_insert_with(|| parse(element));
        let order = |along_n: bool| Value::Str(if along_n { "mn" } else { "nm" });
        let int = |value: u64| Value::Int(value as i64);
        let values = [
            int(problem.batches),
            int(problem.m),
            int(problem.n),
            int(problem.k),
            int(launch.tile.m),
            int(launch.tile.n),
            int(launch.tile.k),
            int(launch.mapping.m_l2),
            int(launch.mapping.n_l2),
            order(launch.mapping.groups_along_n),
            order(launch.mapping.blocks_along_n),
            int(launch.slots),
            Value::Float(launch.drift),
        ];
        let facts = Facts::Cuda(CudaFacts {
            multiprocessors: 1,
            // Of which the text takes half.
            l2_bytes: 2 * launch.l2_bytes as i64,
            ..CudaFacts::typical("a GPU", "", 90)
        });
        let parameters = NAMES.map(String::from);
        Expression::compile(
            expr,
            Arithmetic::Real,
            &parameters,
            &Scope::default(),
            &facts,
        )
        .and_then(|expression| expression.number(&values))
        .unwrap_or_else(|error| panic!("{error}"))
    }
}

/// One number of both results.
fn parse(element: [u64; 3]) -> Expr {
    let blocks = bico_syntax::l2::Blocks {
        batches: "batches",
        sizes: ["m", "n", "k"],
        tile: ["M_PRIM", "N_PRIM", "K_PRIM"],
        group: ["M_L2", "N_L2"],
        groups_along_n: "GROUPS == \"mn\"",
        blocks_along_n: "BLOCKS == \"mn\"",
        resident: "resident",
        drift: "drift",
        element,
    };
    let text = format!("{{ {} device_bytes_ + 3 * cache_bytes_ }}", blocks.lines());
    bico_syntax::parse_expr(text.parse().unwrap(), &NAMES, Arithmetic::Real)
        .unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn the_expression_of_the_attribute_is_the_model() {
    let mut cases = cases(3, 10, false);
    cases.extend(super::super::cases(4, 10, true));
    let mut texts = Texts::default();
    for case in &cases {
        let launch = Launch {
            line_bytes: 1,
            ..case.launch
        };
        let traffic = predict(&launch);
        let model = traffic.device_bytes() + 3.0 * traffic.requested_bytes;
        let expression = texts.evaluate(&launch);
        assert!(
            (model - expression).abs() <= 1e-9 * model,
            "{expression} is not {model}: {traffic:?} {launch:?}"
        );
    }
}
