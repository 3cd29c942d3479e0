//! Einsums and the functions below them.

use crate::check;

/// A contraction on a CPU with other options.
fn einsum(einsum: &str, options: &str) -> String {
    let comma = if options.is_empty() { "" } else { ", " };
    format!(
        "#[bico::tunable(problem(m = 8, n = 8, k = 8),
einsum = {einsum}{comma}{options}
)]
fn f(c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32) -> bico::Result<()>;
"
    )
}

/// A contraction with other arguments.
fn operands(arguments: &str) -> String {
    format!(
        "#[bico::tunable(problem(m = 8, n = 8, k = 8), einsum = \"mk, kn -> mn\")]
fn f({arguments}) -> bico::Result<()>;
"
    )
}

#[test]
fn einsums() {
    let mut items: Vec<String> = [
        // The text.
        "\"\"",
        "\"mk, kn\"",
        "\"mk -> m\"",
        "\"mk, kn, mn, mn -> mn\"",
        "\"mk, kn, m -> mn\"",
        "\"mk, kn -> mnz\"",
        "\"mkq, kn -> mn\"",
        "\"mmk, kn -> mn\"",
        "\"mk, k1 -> mn\"",
        "\"m..., kn -> mn\"",
        "\"mk, kn => mn\"",
        "\"mk, kn, -> mn\"",
        "r#\"mk, kn -> mz\"#",
        "\"mk, kn \\x2d> mz\"",
        "\"mk, kn -> mnz, qq\"",
        "\"mk, kµ -> mn\"",
        // What a tile lacks.
        "\"mk, k -> m\"",
        "\"mkn, mkn -> m\"",
        // Letters and arguments.
        "\"mk, kj -> mj\"",
        "mk",
    ]
    .iter()
    .map(|text| einsum(text, ""))
    .collect();
    let right = "\"mk, kn -> mn\"";
    items.extend(
        [
            "source = \"k.c\"",
            "entry = \"k\", template = [MR], launch(grid = 1, block = 1), scratch(P: f32, len = m)",
            "space(MPRIM in [64])",
            "space(M_PRIM in [64], M_PRIM in [32])",
            "space(M_PRIM)",
            "space(const M_PRIM = 3)",
            "space(M_PRIM in [m])",
            "require(M_PRIM < q)",
            "verify(reference = \"naive\", rtol = 1e-3)",
            "verify(entry = \"naive\")",
            "problem(m = 8, n = 8)",
            "problem(m = 1, n = 2, k = 3, const ACT = 3)",
            "flags = [\"-DX={Q}\"], flags = []",
            "score = MR +",
            "einsum = \"mk, kn -> mn\"",
        ]
        .map(|options| einsum(right, options)),
    );
    items.extend(
        [
            "c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32",
            "c: &mut [f32], a: &[f32], b: &[f32], m: f32, n: bool, k: &[u32]",
            "c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32, alpha: f32, by: &str",
            "a: &[f32], b: &[f32], m: u32, n: u32, k: u32",
            "c: &mut [f32], d: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32",
            "c: &mut [f32], a: &[f32], m: u32, n: u32, k: u32",
            "c: &mut [f32], a: &[f32], b: &[f32], d: &[f32], m: u32, n: u32, k: u32",
            "c: &mut [f64], a: &[f16], b: &[i32], m: u32, n: u32, k: u32",
            "#[init(zeros)] c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32",
            "c: &mut [f32], a: &Vec<f32>, b: &[f32], m: u32, n: u32, k: u32",
            "#[len(q)] c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32",
            "c: &mut CudaSlice<f32>, a: &CudaSlice<f32>, b: &CudaSlice<f32>, m: u32, n: u32, k: u32",
            "s: &Arc<CudaStream>, c: &mut CudaSlice<bf16>, a: &CudaSlice<f16>, b: &CudaSlice<f32>, m: u32, n: u32, k: u32",
            "s: &Arc<CudaStream>, c: &mut CudaSlice<f16>, a: &CudaSlice<f32>, b: &CudaSlice<f32>, m: u32, n: u32, k: u32",
            "s: &Arc<CudaStream>, c: &mut CudaSlice<f32>, a: &CudaSlice<f64>, b: &CudaSlice<f64>, m: u32, n: u32, k: u32",
            "s: &Arc<CudaStream>, c: &mut [f32], a: &[f32], b: &[f32], m: u32, n: u32, k: u32",
        ]
        .map(operands),
    );
    check("einsums", &items);
}
