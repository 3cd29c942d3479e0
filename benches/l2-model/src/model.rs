//! The model: the very text that ranks CUDA contractions, evaluated by the interpreter that ranks with it.

use crate::Launch;
use bico_core::Value;
use bico_core::device::{CudaFacts, Facts};
use bico_einsum::l2::Blocks;
use bico_syntax::Arithmetic;
use bico_syntax::bind::{Expression, Scope};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the text is written for; values are bound in this order.
const NAMES: [&str; 14] = [
    "batches", "m", "n", "k", "M_PRIM", "N_PRIM", "K_PRIM", "M_L2", "N_L2", "GROUPS", "BLOCKS",
    "slots", "drift", "l2_bytes",
];

/// Bytes that a launch moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// Read from the device's memory and written to it.
    pub device_bytes: f64,
    /// From the second-level cache to the multiprocessors: every block reads its panels through it.
    pub requested_bytes: f64,
    /// What the panels of one wave take, with its part of the output: blocks that walk in step need less at a time, the
    /// next wave finds this.
    pub wave_bytes: f64,
    /// What one step of a wave takes.
    pub step_bytes: f64,
}

/// Predicts what a launch moves. `bico_einsum::l2` derives it.
///
/// # Panics
///
/// When the text is no expression of the attribute's language, or has no value for this launch.
pub fn predict(launch: &Launch) -> Traffic {
    Traffic {
        device_bytes: device_bytes(launch),
        requested_bytes: evaluate("cache_bytes_", launch),
        wave_bytes: evaluate(
            "used_rows_ * panel_a_ + used_columns_ * panel_b_ + flight_ * (tile_c_ + tile_d_)",
            launch,
        ),
        step_bytes: evaluate("step_", launch),
    }
}

/// What a launch moves to and from the device's memory, alone.
///
/// # Panics
///
/// As [`predict`].
pub fn device_bytes(launch: &Launch) -> f64 {
    evaluate("device_bytes_", launch)
}

/// A number of the text: an expression over what its lines define.
pub(crate) fn evaluate(figure: &'static str, launch: &Launch) -> f64 {
    type Texts = BTreeMap<([u64; 3], u64, &'static str), Rc<Expression>>;
    thread_local!(static TEXTS: RefCell<Texts> = RefCell::default());
    let problem = &launch.problem;
    let element = [
        problem.input_bytes,
        problem.output_bytes,
        problem.last_bytes,
    ];
    // Reading a text takes longer than evaluating it a thousand times.
    let text = TEXTS.with_borrow_mut(|texts| {
        let known = texts.entry((element, launch.line_bytes, figure));
        Rc::clone(known.or_insert_with(|| Rc::new(read(element, launch.line_bytes, figure))))
    });
    let int = |value: u64| Value::Int(value as i64);
    let order = |along_n: bool| Value::Str(if along_n { "mn" } else { "nm" });
    let mapping = &launch.mapping;
    let values = [
        int(problem.batches),
        int(problem.m),
        int(problem.n),
        int(problem.k),
        int(launch.tile.m),
        int(launch.tile.n),
        int(launch.tile.k),
        int(mapping.m_l2),
        int(mapping.n_l2),
        order(mapping.groups_along_n),
        order(mapping.blocks_along_n),
        int(launch.slots),
        Value::Float(launch.drift),
        int(launch.l2_bytes),
    ];
    text.number(&values)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn read(element: [u64; 3], line: u64, figure: &str) -> Expression {
    let blocks = Blocks {
        batches: "batches",
        sizes: ["m", "n", "k"],
        tile: ["M_PRIM", "N_PRIM", "K_PRIM"],
        group: ["M_L2", "N_L2"],
        groups_along_n: "GROUPS == \"mn\"",
        blocks_along_n: "BLOCKS == \"mn\"",
        resident: "slots",
        drift: "drift",
        element,
        line,
    };
    // The text takes half of the device's cache; a launch says how much of it counts.
    let lines = blocks
        .lines()
        .replace("device.l2_bytes", "(2 * l2_bytes)")
        .replace("device.multiprocessors", "1");
    let text = format!("{{ {lines} {figure} }}");
    let expr = bico_syntax::parse_expr(text.parse().expect("tokens"), &NAMES, Arithmetic::Real)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let facts = Facts::Cuda(CudaFacts::typical("a GPU", "", 90));
    Expression::compile(
        &expr,
        Arithmetic::Real,
        &NAMES.map(String::from),
        &Scope::default(),
        &facts,
    )
    .unwrap_or_else(|error| panic!("{error}"))
}
