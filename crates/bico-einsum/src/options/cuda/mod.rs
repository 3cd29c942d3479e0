//! The space of a contraction on a GPU.

mod layout;
mod registers;
mod tensor_cores;

use super::l2::Blocks;
use super::{Operands, Text, product};
use crate::Float;
use layout::Layout;

/// The options of a CUDA contraction.
///
/// What the kernel's text asserts are conditions here; the score is the FLOP/s of a model of a multiprocessor, those of
/// `bico-kernels`' gemm_f16 and gemm_regtile, with what comes from device memory as [`Blocks`] has it.
pub(crate) fn text(operands: &Operands<'_>) -> Text {
    let layout = Layout::of(operands);
    let half = operands.input == Float::F16;
    let mut text = if half {
        tensor_cores::space(&layout)
    } else {
        registers::space(&layout)
    };
    let groups = "in [1, 4, 8, 16, 32]".to_string();
    text.space.push(("M_L2", groups.clone()));
    text.space.push(("N_L2", groups));
    text.space.push(("ORDER", "in [\"mn\", \"nm\"]".into()));
    let widest = if half { 8 } else { 4 };
    text.space.push(("VECTOR", layout.vector_domain(widest)));
    text.require.extend([
        "M_L2 >= 1 && N_L2 >= 1".to_string(),
        "ORDER == \"mn\" || ORDER == \"nm\"".to_string(),
        // In groups of one row, blocks go along it whatever the groups' width is.
        "if ORDER == \"mn\" { M_L2 > 1 || N_L2 == 1 } else { N_L2 > 1 || M_L2 == 1 }".to_string(),
        format!("{} <= 2147483647", layout.blocks()),
    ]);
    text.require.extend(layout.vector_condition(widest));
    let tensors = operands.einsum.tensors();
    let [a, b, c] = [0, 1, 2].map(|tensor| product(tensors[tensor]));
    let [of_input, of_output] = [operands.input.size(), operands.output.size()];
    let d = if tensors.len() > 3 { of_input } else { 0 };
    text.bytes = Some(format!(
        "{of_input} * ({a} * {}.div_ceil(N_PRIM) + {b} * {}.div_ceil(M_PRIM)) + {} * {c}",
        layout.n,
        layout.m,
        of_output + d
    ));
    text.reference_launch = Some(format!("grid = {c}.div_ceil(256), block = 256"));
    let device = Blocks {
        batches: &layout.batches,
        sizes: [&layout.m, &layout.n, &layout.all_k],
        tile: ["M_PRIM", "N_PRIM", "K_PRIM"],
        group: ["M_L2", "N_L2"],
        groups_along_n: "ORDER == \"mn\"",
        blocks_along_n: "ORDER == \"mn\"",
        resident: "resident_",
        drift: "1",
        element: [of_input, of_output, d],
        line: 1,
    };
    let (model, wide) = (
        if half {
            tensor_cores::SCORE
        } else {
            registers::SCORE
        },
        layout.wide(),
    );
    text.score = Some(format!(
        "{{
        let across_blocks_ = {blocks};
        let steps_ = {steps};
        let load_width_ = if {wide} {{ VECTOR }} else {{ {narrow} }};
        {model}
        let stores_ = {of_output} * M_PRIM * N_PRIM / 40;
        let resident_ = (room_ as i64).max(1).min(each_.div_ceil(1));
        {cycles}
        {lines}
        let memory_ = device_bytes_ / device.memory_bytes_per_second * device.clock_hz;
        {flops} / (cycles_.max(memory_) + 0.3 * cycles_.min(memory_))
        }}",
        blocks = layout.blocks(),
        steps = layout.steps(),
        // Element by element and at once.
        narrow = if half { "0.25" } else { "1" },
        cycles = if half {
            tensor_cores::CYCLES
        } else {
            registers::CYCLES
        },
        lines = device.lines(),
        flops = operands.flops(),
    ));
    text.rtol = match (operands.input, operands.output) {
        (_, Float::F16) => Some("1e-2".to_string()),
        (Float::F16, _) => Some("1e-3".to_string()),
        _ => Some("2e-4".to_string()),
    };
    text
}
