//! The space of a contraction on a CPU.

use super::{Operands, Text, product};
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
/// The score is one over the cycles of a rough model, that of `bico-kernels`' gemm.
pub(crate) fn text(operands: &Operands<'_>) -> Text {
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
    Text {
        space: space(&row, &col),
        require: require(&row, &col),
        flags: ["-march={ISA}", "-mprefer-vector-width=512"]
            .map(String::from)
            .to_vec(),
        scratch: vec![
            "PACK_A: f32, len = M_PRIM * K_PRIM".to_string(),
            "PACK_B: f32, len = K_PRIM * N_PRIM".to_string(),
        ],
        bytes: Some(bytes(operands, &row, &col)),
        score: Some(score(operands, &row, &col)),
        rtol: Some("1e-4".to_string()),
        ..Text::default()
    }
}

/// Blocks whose lengths every width divides that is worth it.
fn space(row: &Side, col: &Side) -> Vec<(&'static str, String)> {
    let space = [
        ("ISA", "in [\"x86-64-v2\", \"x86-64-v3\", \"x86-64-v4\"]"),
        (
            "VL",
            "in if ISA == \"x86-64-v2\" { [4] } else { if ISA == \"x86-64-v3\" { [4, 8] } else { [4, 8, 16] } }",
        ),
        (row.width, "in [1, 2, 4, 6, 8, 12]"),
        (col.width, "in [4, 8, 16, 32, 48, 64]"),
        (row.prim, "in [24, 96, 384]"),
        (col.prim, "in [192, 384, 3072]"),
        ("K_PRIM", "in [32, 128, 256, 512]"),
        ("ORDER", "in [\"mn\", \"nm\"]"),
        ("KU", "in [1, 4]"),
        ("PF_A", "in [0, 16]"),
        ("PF_C", "in [0, 1]"),
    ];
    space
        .map(|(name, domain)| (name, domain.to_string()))
        .to_vec()
}

fn require(row: &Side, col: &Side) -> Vec<String> {
    let (rows, cols) = (row.width, col.width);
    vec![
        "device.has(ISA)".to_string(),
        // What the text asserts, or would not end with: the author may give a domain of his own.
        "VL == 4 || VL == 8 || VL == 16".to_string(),
        "MR >= 1 && NR >= 1".to_string(),
        "K_PRIM >= 1 && KU >= 1".to_string(),
        "ORDER == \"mn\" || ORDER == \"nm\"".to_string(),
        format!("{cols}.is_multiple_of(VL)"),
        "M_PRIM.is_multiple_of(MR)".to_string(),
        "N_PRIM.is_multiple_of(NR)".to_string(),
        format!(
            "{rows} * ({cols} / VL) + {cols} / VL + 1 <= if ISA == \"x86-64-v4\" {{ 32 }} else {{ 16 }}"
        ),
        format!("4 * K_PRIM * {cols} <= 2 * device.l1d_bytes"),
        format!("4 * {} * K_PRIM <= device.l2_bytes", row.prim),
        format!(
            "4 * K_PRIM * {} <= device.l3_bytes.max(device.l2_bytes)",
            col.prim
        ),
    ]
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
        let row_packs_ = {};
        let col_packs_ = {};
        4 * ({c} * (2 * passes_ - 1) + 2 * {} * row_packs_ + 2 * {} * col_packs_)
        }}",
        packs(row, col),
        packs(col, row),
        row.input,
        col.input,
        k = operands.tiled_size(DimType::K),
        c = product(&operands.einsum.output),
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
