//! The space of a contraction on a GPU.

mod layout;
mod registers;
mod tensor_cores;

use super::l2::Blocks;
use super::{Operands, product};
use crate::Float;
use layout::Layout;

/// What depends on where products are computed: on the CUDA cores or on tensor cores.
struct Kind {
    /// Domains, each followed by a comma.
    space: String,
    /// Conditions, each followed by a comma.
    require: String,
    threads: String,
    /// Bytes of shared memory.
    shared: String,
    /// Lines of the score: what a step of a block takes, and what all steps take.
    score: &'static str,
    cycles: &'static str,
    /// Elements of the widest load, and of one where the sizes allow no wide ones.
    widest: u64,
    narrow: &'static str,
}

/// The options of a CUDA contraction.
///
/// What the kernel's text asserts are conditions here; the score is the FLOP/s of a model of a multiprocessor, those of
/// `bico-kernels`' gemm_f16 and gemm_regtile, with what comes from device memory as [`Blocks`] has it.
pub(crate) fn options(operands: &Operands<'_>) -> String {
    let layout = Layout::of(operands);
    let kind = match layout.half {
        true => tensor_cores::kind(&layout),
        false => registers::kind(&layout),
    };
    let tensors = operands.einsum.tensors();
    let [a, b, c] = [0, 1, 2].map(|tensor| product(tensors[tensor]));
    let [of_input, of_output] = [operands.input.size(), operands.output.size()];
    let d = if tensors.len() > 3 { of_input } else { 0 };
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
    let Layout {
        m, n, k, outer_k, ..
    } = &layout;
    // In groups of one row, blocks go along it whatever the groups' width is.
    format!(
        r#"entry = "{kernel}", space(
            {space}
            M_L2 in [1, 4, 8, 16, 32],
            N_L2 in [1, 4, 8, 16, 32],
            ORDER in ["mn", "nm"],
            VECTOR in {vector},
        ),
        require(
            {conditions}
            M_L2 >= 1 && N_L2 >= 1,
            ORDER == "mn" || ORDER == "nm",
            if ORDER == "mn" {{ M_L2 > 1 || N_L2 == 1 }} else {{ N_L2 > 1 || M_L2 == 1 }},
            {blocks} <= 2147483647,
            {vector_condition}
            {require}
        ),
        launch(grid = {blocks}, block = {threads}, shared = {shared}),
        work(flops = {flops}, bytes = {of_input} * ({a} * {n}.div_ceil(N_PRIM) + {b} * {m}.div_ceil(M_PRIM)) + {of_c} * {c}),
        score = {{
            let across_blocks_ = {blocks};
            let steps_ = {outer_k} * {k}.div_ceil(K_PRIM);
            let load_width_ = if {wide} {{ VECTOR }} else {{ {narrow} }};
            {score}
            let stores_ = {of_output} * M_PRIM * N_PRIM / 40;
            let resident_ = (room_ as i64).max(1).min(each_.div_ceil(1));
            {cycles}
            {lines}
            let memory_ = device_bytes_ / device.memory_bytes_per_second * device.clock_hz;
            {flops} / (cycles_.max(memory_) + 0.3 * cycles_.min(memory_))
        }},
        verify(reference = "{reference}", launch(grid = {c}.div_ceil(256), block = 256), rtol = {rtol})"#,
        kernel = operands.kernel,
        space = kind.space,
        vector = layout.vector_domain(kind.widest),
        conditions = kind.require,
        blocks = layout.blocks(),
        vector_condition = layout.vector_condition(kind.widest),
        require = operands.require,
        threads = kind.threads,
        shared = kind.shared,
        flops = operands.flops(),
        of_c = of_output + d,
        wide = layout.wide(),
        narrow = kind.narrow,
        score = kind.score,
        cycles = kind.cycles,
        lines = device.lines(),
        reference = operands.reference,
        rtol = match (operands.input, operands.output) {
            (_, Float::F16) => "2e-3",
            (Float::F16, _) => "1e-3",
            _ => "2e-4",
        },
    )
}
