//! The space of a contraction on a CPU.

use super::{Operands, product};
use crate::DimType;

/// One side of the output: M with the first input, N with the second.
struct Side {
    /// The length of the register tile.
    width: &'static str,
    /// The length of a block.
    prim: &'static str,
    /// Elements along the tiled dimension.
    size: String,
    /// Elements of the input.
    input: String,
    /// The order in which a packed block of the input is kept.
    keeps: &'static str,
}

/// The options of a contraction in C.
///
/// Blocked and packed as in GotoBLAS and BLIS: blocks of `M_PRIM` x `K_PRIM` and of `K_PRIM` x `N_PRIM` are packed and
/// computed by register tiles of `MR` x `NR`, in which vectors run along the side along which the output is contiguous.
/// Blocks have lengths that every width divides that is worth it. The score is one over the cycles of a rough model,
/// that of `bico-kernels`' gemm.
pub(crate) fn options(operands: &Operands<'_>) -> String {
    let tensors = operands.einsum.tensors();
    let side = |kind, input, [width, prim, keeps]: [&'static str; 3]| Side {
        width,
        prim,
        size: operands.tiled_size(kind),
        input: product(tensors[input]),
        keeps,
    };
    let m = side(DimType::M, 0, ["MR", "M_PRIM", "mn"]);
    let n = side(DimType::N, 1, ["NR", "N_PRIM", "nm"]);
    let last = operands.einsum.output.last();
    let along_m = last.and_then(|last| operands.einsum.dim_type(*last)) == Some(DimType::M);
    // Each number of a row meets whole vectors of a column.
    let (row, col) = if along_m { (n, m) } else { (m, n) };
    let (mr, nr, m_prim, n_prim) = (row.width, col.width, row.prim, col.prim);
    // Some conditions say what the text asserts, or would not end with: the author may give a domain of his own.
    format!(
        r#"entry = "{kernel}", space(
            ISA in ["x86-64-v2", "x86-64-v3", "x86-64-v4"],
            VL in if ISA == "x86-64-v2" {{ [4] }} else {{ if ISA == "x86-64-v3" {{ [4, 8] }} else {{ [4, 8, 16] }} }},
            {mr} in [1, 2, 4, 6, 8, 12],
            {nr} in [4, 8, 16, 32, 48, 64],
            {m_prim} in [24, 96, 384],
            {n_prim} in [192, 384, 3072],
            K_PRIM in [32, 128, 256, 512],
            ORDER in ["mn", "nm"],
            KU in [1, 4],
            PF_A in [0, 16],
            PF_C in [0, 1],
        ),
        require(
            device.has(ISA),
            VL == 4 || VL == 8 || VL == 16,
            MR >= 1 && NR >= 1,
            K_PRIM >= 1 && KU >= 1,
            ORDER == "mn" || ORDER == "nm",
            {nr}.is_multiple_of(VL),
            M_PRIM.is_multiple_of(MR),
            N_PRIM.is_multiple_of(NR),
            {mr} * ({nr} / VL) + {nr} / VL + 1 <= if ISA == "x86-64-v4" {{ 32 }} else {{ 16 }},
            4 * K_PRIM * {nr} <= 2 * device.l1d_bytes,
            4 * {m_prim} * K_PRIM <= device.l2_bytes,
            4 * K_PRIM * {n_prim} <= device.l3_bytes.max(device.l2_bytes),
            {require}
        ),
        scratch(PACK_A: f32, len = M_PRIM * K_PRIM),
        scratch(PACK_B: f32, len = K_PRIM * N_PRIM),
        flags = ["-march={{ISA}}", "-mprefer-vector-width=512"],
        work(flops = {flops}, bytes = {bytes}),
        score = {score},
        verify(reference = "{reference}", rtol = 1e-4)"#,
        kernel = operands.kernel,
        require = operands.require,
        flops = operands.flops(),
        bytes = bytes(operands, &row, &col),
        score = score(operands, &row, &col),
        reference = operands.reference,
    )
}

/// How often the input of one side is packed as a whole.
fn packs(side: &Side, other: &Side) -> String {
    format!(
        "if ORDER == \"{}\" {{ 1 }} else {{ {}.div_ceil({}) }}",
        side.keeps, other.size, other.prim
    )
}

/// Reads and writes of the output, and packing.
fn bytes(operands: &Operands<'_>, row: &Side, col: &Side) -> String {
    format!(
        "{{
        let passes_ = {k}.div_ceil(K_PRIM);
        let row_packs_ = {row_packs};
        let col_packs_ = {col_packs};
        4 * ({c} * (2 * passes_ - 1) + 2 * {a} * row_packs_ + 2 * {b} * col_packs_)
        }}",
        row_packs = packs(row, col),
        col_packs = packs(col, row),
        k = operands.tiled_size(DimType::K),
        c = product(&operands.einsum.output),
        a = row.input,
        b = col.input,
    )
}

fn score(operands: &Operands<'_>, row: &Side, col: &Side) -> String {
    let k = operands.tiled_size(DimType::K);
    // How often a product of the tiled sizes is computed.
    let times = operands.untiled_size(&[DimType::C, DimType::M, DimType::N, DimType::K]);
    let (mr, nr, m_prim, n_prim) = (row.width, col.width, row.prim, col.prim);
    let (m, n) = (&row.size, &col.size);
    format!(
        "{{
        let vectors_ = {nr} / VL;
        let fused_ = if ISA == \"x86-64-v2\" {{ 2 }} else {{ 1 }};
        let tiles_ = {m}.div_ceil({mr}) * {n}.div_ceil({nr});
        let arithmetic_ = {mr} * vectors_ * fused_ / 2;
        let loads_ = ({mr} + vectors_) / 2;
        let latency_ = 4 * fused_;
        let front_ = ({mr} * vectors_ * fused_ + vectors_ + {mr} + 3 / KU) / 4;
        let panels_ = {mr} / 8 + if 4 * K_PRIM * ({nr} + {mr}) <= device.l1d_bytes {{ 0 }} else {{ {nr} / 8 }};
        let block_ = 4 * {nr} * {mr} / {m_prim}.min({m})
            / if 4 * K_PRIM * ({n_prim}.min({n}) + {m_prim}) <= device.l2_bytes {{ 32 }} else {{ 16 }};
        let step_ = arithmetic_.max(loads_).max(latency_).max(front_).max(panels_) + block_;
        let passes_ = {k}.div_ceil(K_PRIM);
        let row_packs_ = {row_packs};
        let col_packs_ = {col_packs};
        1e9 / ({times} * (tiles_ * {k} * step_ + 20 * tiles_ * passes_ + (2 * passes_ - 1) * {m} * {n} / 4
            + {m} * {k} * row_packs_ / 2 + {k} * {n} * col_packs_ / 2))
        }}",
        row_packs = packs(row, col),
        col_packs = packs(col, row),
    )
}
