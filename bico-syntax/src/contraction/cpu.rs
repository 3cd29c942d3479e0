//! The space of a contraction on a CPU.

use super::{Operands, Text, product};
use crate::einsum::DimType;

/// The options of a contraction in C.
///
/// Blocked and packed as in GotoBLAS and BLIS: blocks of `M_PRIM` x `K_PRIM` and `K_PRIM` x `N_PRIM` are packed, and
/// computed by register tiles whose rows are vectors along that of M and N along which the output is contiguous.
/// The score is one over the cycles of a rough model, that of `bico-kernels`' gemm.
pub(crate) fn text(operands: &Operands<'_>) -> Text {
    let [m, n, k] = [DimType::M, DimType::N, DimType::K].map(|kind| operands.tiled_size(kind));
    // How often a product of tiled sizes is computed.
    let times = operands.untiled_size(&[DimType::C, DimType::M, DimType::N, DimType::K]);
    let tensors = operands.einsum.tensors();
    let [a, b, c] = [0, 1, 2].map(|tensor| product(tensors[tensor]));
    let last = operands.einsum.output.last();
    let swapped = last.and_then(|last| operands.einsum.dim_type(*last)) == Some(DimType::M);
    // The register tile: floats across its vectors, and along them.
    let (rows, cols) = if swapped { ("NR", "MR") } else { ("MR", "NR") };
    let broadcast = "in [1, 2, 4, 6, 8, 12]";
    let vectors = "in [4, 8, 16, 32, 48, 64]";
    let (mr, nr) = if swapped {
        (vectors, broadcast)
    } else {
        (broadcast, vectors)
    };
    let space = [
        ("ISA", "in [\"x86-64-v2\", \"x86-64-v3\", \"x86-64-v4\"]"),
        (
            "VL",
            "in if ISA == \"x86-64-v2\" { [4] } else { if ISA == \"x86-64-v3\" { [4, 8] } else { [4, 8, 16] } }",
        ),
        ("MR", mr),
        ("NR", nr),
        ("M_PRIM", "in [24, 96, 384]"),
        ("N_PRIM", "in [64, 384, 3072]"),
        ("K_PRIM", "in [32, 128, 256, 512]"),
        ("ORDER", "in [\"mn\", \"nm\"]"),
        ("KU", "in [1, 4]"),
        ("PF_C", "in [0, 1]"),
    ];
    let score = format!(
        "{{
        let nv_ = {cols} / VL;
        let fused_ = if ISA == \"x86-64-v2\" {{ 2 }} else {{ 1 }};
        let steps_ = {m}.div_ceil(MR) * {n}.div_ceil(NR);
        let arithmetic_ = {rows} * nv_ * fused_ / 2;
        let loads_ = ({rows} + nv_) / 2;
        let latency_ = 4 * fused_;
        let front_ = ({rows} * nv_ * fused_ + nv_ + {rows} + 3 / KU) / 4;
        let panels_ = {rows} / 8 + if 4 * K_PRIM * (NR + MR) <= device.l1d_bytes {{ 0 }} else {{ {cols} / 8 }};
        let block_ = 4 * NR * MR / M_PRIM.min({m})
            / if 4 * K_PRIM * (N_PRIM.min({n}) + M_PRIM) <= device.l2_bytes {{ 32 }} else {{ 16 }};
        let step_ = arithmetic_.max(loads_).max(latency_).max(front_).max(panels_) + block_;
        let passes_ = {k}.div_ceil(K_PRIM);
        let packs_a_ = if ORDER == \"mn\" {{ 1 }} else {{ {n}.div_ceil(N_PRIM) }};
        let packs_b_ = if ORDER == \"nm\" {{ 1 }} else {{ {m}.div_ceil(M_PRIM) }};
        1e9 / {times} / (steps_ * {k} * step_ + 20 * steps_ * passes_ + (2 * passes_ - 1) * {m} * {n} / 4
            + {m} * {k} * packs_a_ / 2 + {k} * {n} * packs_b_ / 2)
        }}"
    );
    let registers = format!(
        "{rows} * ({cols} / VL) + {cols} / VL + 1 <= if ISA == \"x86-64-v4\" {{ 32 }} else {{ 16 }}"
    );
    let require = [
        "device.has(ISA)",
        &format!("{cols}.is_multiple_of(VL)"),
        "M_PRIM.is_multiple_of(MR)",
        "N_PRIM.is_multiple_of(NR)",
        &registers,
        &format!("4 * K_PRIM * {cols} <= 2 * device.l1d_bytes"),
        "4 * M_PRIM * K_PRIM <= device.l2_bytes.max(device.l3_bytes)",
        "4 * K_PRIM * N_PRIM <= device.l3_bytes.max(device.l2_bytes)",
    ];
    Text {
        space: space
            .map(|(name, domain)| (name, domain.to_string()))
            .to_vec(),
        require: require.map(String::from).to_vec(),
        flags: ["-march={ISA}", "-mprefer-vector-width=512"]
            .map(String::from)
            .to_vec(),
        scratch: vec![
            "PACK_A: f32, len = M_PRIM * K_PRIM".to_string(),
            "PACK_B: f32, len = K_PRIM * N_PRIM".to_string(),
        ],
        bytes: Some(format!(
            "4 * ({c} * (2 * {k}.div_ceil(K_PRIM) - 1) + {a} * {n}.div_ceil(N_PRIM) + {b} * {m}.div_ceil(M_PRIM))"
        )),
        score: Some(score),
        rtol: Some("1e-4".to_string()),
        ..Text::default()
    }
}
