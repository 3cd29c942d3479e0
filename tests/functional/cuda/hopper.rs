//! A kernel that only Hopper can run as a variant beside one for all: searched, verified and called on the stand-in H100.

use super::kernel::TYPES;
use crate::harness::Package;

const GEMM: &str = include_str!("../../../kernels/src/gemm_f16.rs");
const GLU: &str = include_str!("../../../kernels/src/glu_f16.rs");
const ATTENTION: &str = include_str!("../../../kernels/src/attention.rs");

/// What the kernels of `bico-kernels` consist of.
const FILES: [(&str, &str); 14] = [
    (
        "gemm_hopper.cuh",
        include_str!("../../../kernels/kernels/gemm_hopper.cuh"),
    ),
    (
        "glu_f16.cu",
        include_str!("../../../kernels/kernels/glu_f16.cu"),
    ),
    (
        "glu_hopper.cu",
        include_str!("../../../kernels/kernels/glu_hopper.cu"),
    ),
    ("glu.cuh", include_str!("../../../kernels/kernels/glu.cuh")),
    (
        "gemm_f16.cu",
        include_str!("../../../kernels/kernels/gemm_f16.cu"),
    ),
    (
        "gemm_hopper.cu",
        include_str!("../../../kernels/kernels/gemm_hopper.cu"),
    ),
    (
        "attention.cu",
        include_str!("../../../kernels/kernels/attention.cu"),
    ),
    (
        "attention_hopper.cu",
        include_str!("../../../kernels/kernels/attention_hopper.cu"),
    ),
    (
        "attention.cuh",
        include_str!("../../../kernels/kernels/attention.cuh"),
    ),
    (
        "async_copy.cuh",
        include_str!("../../../kernels/kernels/async_copy.cuh"),
    ),
    (
        "number.cuh",
        include_str!("../../../kernels/kernels/number.cuh"),
    ),
    (
        "tensor_copy.cuh",
        include_str!("../../../kernels/kernels/tensor_copy.cuh"),
    ),
    (
        "tensor_core.cuh",
        include_str!("../../../kernels/kernels/tensor_core.cuh"),
    ),
    (
        "warpgroup.cuh",
        include_str!("../../../kernels/kernels/warpgroup.cuh"),
    ),
];

const PRODUCTS: &str = r#"
use half::{bf16, f16};

fn value(i: usize) -> f32 {
    (i * 37 % 64) as f32 / 8.0 - 4.0
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    for size in [[33, 72, 40], [65, 136, 72], [7, 5, 3], [130, 64, 8], [5, 0, 8], [5, 8, 0]] {
        let [m, n, k] = size;
        let a: Vec<bf16> = (0..m * k).map(|i| bf16::from_f32(value(i))).collect();
        let b: Vec<bf16> = (0..k * n).map(|i| bf16::from_f32(value(i + 5))).collect();
        let upload = |of: &[bf16]| stream.clone_htod(if of.is_empty() { &[bf16::ZERO][..] } else { of });
        let (a_on, b_on) = (upload(&a)?, upload(&b)?);
        let mut c_on = stream.clone_htod(&vec![bf16::NAN; (m * n).max(1)])?;
        let [rows, columns, depth] = size.map(|size| size as u32);
        gemm_bf16(&stream, &mut c_on, &a_on, &b_on, rows, columns, depth)?;
        let said = bico::config_of(gemm_bf16_tunable(), &size.map(|size| size as i64))?.to_string();
        println!("{m} {n} {k}: {}", if said.contains("VARIANT=hopper") { "hopper" } else { "ampere" });
        let c = stream.clone_dtoh(&c_on)?;
        for at in 0..m * n {
            let sum: f32 = (0..k).map(|p| a[at / n * k + p].to_f32() * b[p * n + at % n].to_f32()).sum();
            assert!((c[at].to_f32() - sum).abs() <= 0.01 * (1.0 + sum.abs()), "{m} {n} {k} {at}: {} {sum}", c[at]);
        }
    }
    // FP16 is the same kernel.
    let ones = stream.clone_htod(&vec![f16::ONE; 64 * 64])?;
    let mut c = stream.alloc_zeros::<f16>(64 * 64)?;
    gemm_f16(&stream, &mut c, &ones, &ones, 64, 64, 64)?;
    assert!(stream.clone_dtoh(&c)?.iter().all(|c| c.to_f32() == 64.0));
    println!("all right");
    Ok(())
}
"#;

const GATED: &str = r#"
use half::f16;
const LATENCY: i64 = 800;
const L2_BYTES: i64 = 64;

fn value(i: usize) -> f32 {
    (i * 37 % 64) as f32 / 32.0 - 1.0
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    for size in [[33, 72, 40], [7, 5, 3], [130, 64, 8], [0, 8, 8], [5, 8, 0]] {
        let [m, n, k] = size;
        let of = |len: usize, seed: usize| -> Vec<f16> { (0..len.max(1)).map(|i| f16::from_f32(value(i + seed))).collect() };
        let (x, w, v) = (of(m * k, 1), of(k * n, 2), of(k * n, 3));
        let (x_on, w_on, v_on) = (stream.clone_htod(&x)?, stream.clone_htod(&w)?, stream.clone_htod(&v)?);
        let mut y = stream.clone_htod(&vec![f16::NAN; (m * n).max(1)])?;
        let [rows, columns, depth] = size.map(|size| size as u32);
        glu_f16(&stream, "silu", &mut y, &x_on, &w_on, &v_on, rows, columns, depth)?;
        let y = stream.clone_dtoh(&y)?;
        for at in 0..m * n {
            let sum = |of: &[f16]| -> f32 { (0..k).map(|p| x[at / n * k + p].to_f32() * of[p * n + at % n].to_f32()).sum() };
            let (left, right) = (sum(&w), sum(&v));
            let expected = left * right / (1.0 + (-right).exp());
            assert!((y[at].to_f32() - expected).abs() <= 0.01 * (1.0 + expected.abs()), "{size:?} {at}: {} {expected}", y[at]);
        }
    }
    println!("all right");
    Ok(())
}
"#;

const WEIGHTED: &str = r#"
use half::f16;

fn value(i: usize) -> f32 {
    (i * 37 % 61) as f32 / 16.0 - 1.9
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    for (head, causal, [heads, kv_heads, m, n]) in [
        (128, true, [2, 1, 65, 100]),
        (64, false, [3, 3, 7, 1]),
        (64, false, [2, 2, 70, 130]),
        (128, true, [1, 1, 70, 3]),
        (64, false, [2, 2, 0, 5]),
    ] {
        let of = |len: usize, seed: usize| -> Vec<f16> { (0..len.max(1)).map(|i| f16::from_f32(value(i + seed))).collect() };
        let (q, k, v) = (of(heads * m * head, 1), of(kv_heads * n * head, 2), of(kv_heads * n * head, 3));
        let mut o = stream.clone_htod(&vec![f16::NAN; (heads * m * head).max(1)])?;
        let (q_on, k_on, v_on) = (stream.clone_htod(&q)?, stream.clone_htod(&k)?, stream.clone_htod(&v)?);
        let [h, kv, rows, columns] = [heads, kv_heads, m, n].map(|size| size as u32);
        attention_f16(&stream, head as u32, causal, &mut o, &q_on, &k_on, &v_on, h, kv, rows, columns, 0.125)?;
        let o = stream.clone_dtoh(&o)?;
        for row in 0..heads * m {
            let first = row / m / (heads / kv_heads) * n;
            let seen = if causal { (row % m + n + 1).saturating_sub(m) } else { n };
            let dot = |column: usize| -> f32 {
                (0..head).map(|d| q[row * head + d].to_f32() * k[(first + column) * head + d].to_f32()).sum()
            };
            let weights: Vec<f32> = (0..seen).map(|column| (0.125 * dot(column)).exp()).collect();
            let sum: f32 = weights.iter().sum();
            for d in 0..head {
                let all: f32 = weights.iter().enumerate().map(|(at, weight)| weight * v[(first + at) * head + d].to_f32()).sum();
                let expected = if seen == 0 { 0.0 } else { all / sum };
                assert!((o[row * head + d].to_f32() - expected).abs() <= 0.01, "{head} {row} {d}: {} {expected}", o[row * head + d]);
            }
        }
    }
    let q = stream.alloc_zeros::<f16>(64)?;
    let mut o = stream.alloc_zeros::<f16>(64)?;
    println!("{}", attention_f16(&stream, 32, true, &mut o, &q, &q, &q, 1, 1, 1, 1, 1.0).unwrap_err());
    println!("all right");
    Ok(())
}
"#;

/// A package with the first tunable of a file, changed, after it was tuned on an H100.
fn tuned(name: &str, program: &str, file: &str, changes: &[(&str, &str)]) -> Package {
    let package = Package::halves(name);
    for (name, text) in FILES {
        package.file(&format!("kernels/{name}"), text);
    }
    let start = file.find("#[bico::tunable(").unwrap();
    let end = "-> bico::Result<()>;\n";
    let end = start + file[start..].find(end).unwrap() + end.len();
    let mut item = file[start..end].to_string();
    for (from, to) in changes {
        assert!(item.contains(from), "{from}");
        item = item.replace(from, to);
    }
    package.file("src/main.rs", &format!("{TYPES}{item}{program}"));
    package.cargo(&["build"]).gpus("H100", "").run().ok();
    package
}

/// So many configs of the variant for Hopper were measured, the one of each problem that every search begins with, and none of
/// them failed.
fn all_right(package: &Package, key: &str, least: usize) {
    let trail = package.trail(key);
    let hopper = trail
        .iter()
        .filter(|row| row["values"]["VARIANT"] == "hopper");
    assert!(hopper.clone().count() >= least, "{key}: {trail:#?}");
    for row in hopper {
        assert!(row["failure"].is_null(), "{row:#}");
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_product_by_warpgroups() {
    // A processor multiplies these in milliseconds; of the plain one there is the smallest config alone, so that each is asked for.
    let package = tuned(
        "hopper",
        PRODUCTS,
        GEMM,
        &[
            (
                "problem(m = 4096, n = 4096, k = 4096)",
                "problem(m = 130, n = 136, k = 136)",
            ),
            (
                "    problem(m = 8192, n = 8192, k = 8192),\n    problem(m = 64, n = 8192, k = 8192),\n    problem(m = 1024, n = 12288, k = 4096),\n",
                "",
            ),
            ("evaluations = 40", "evaluations = 8"),
            // With what two blocks leave for each other.
            ("SPLITS in [1, 2, 4]", "SPLITS in [2]"),
            (
                "TILE_N != 192",
                "TILE_M == 16 && TILE_N == 32 && GROUP_M == 1 && STAGES == 2",
            ),
        ],
    );
    for key in ["gemm_f16", "gemm_bf16"] {
        all_right(&package, key, 1);
    }
    let lock = package.lock();
    let entry = &lock["kernels"]["gemm_bf16"]["NVIDIA H100 80GB HBM3 (sm_90)"];
    assert!(!entry.is_null(), "{lock:#}");
    let said = package.start().gpus("H100", "").run().ok();
    said.says("7 5 3: ampere").says("all right");
    // The same program elsewhere.
    package
        .start()
        .gpus("A100", "")
        .run()
        .ok()
        .says("all right");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn attention_by_warpgroups() {
    let package = tuned(
        "attention",
        WEIGHTED,
        ATTENTION,
        &[
            (", bf16 = \"__nv_bfloat16\"", ""),
            (
                "heads = 32, kv_heads = 8, m = 2048, n = 2048",
                "heads = 2, kv_heads = 1, m = 70, n = 130",
            ),
            (
                "heads = 64, kv_heads = 64, m = 1024, n = 1024",
                "heads = 1, kv_heads = 1, m = 70, n = 200",
            ),
            (
                "    problem(heads = 32, kv_heads = 32, m = 4096, n = 4096, scale = 0.088388, const HEAD = 128, const CAUSAL = false),\n",
                "",
            ),
            (
                "    problem(heads = 64, kv_heads = 64, m = 2048, n = 2048, scale = 0.125, const HEAD = 64, const CAUSAL = true),\n",
                "",
            ),
            ("evaluations = 40", "evaluations = 5"),
        ],
    );
    all_right(&package, "attention_f16", 2);
    let said = package.start().gpus("H100", "").run().ok();
    said.says("all right");
    package
        .start()
        .gpus("A100", "")
        .run()
        .ok()
        .says("all right");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn linear_unit_by_warpgroups() {
    let package = tuned(
        "linear_unit",
        GATED,
        GLU,
        &[
            (
                "    problem(m = 16, n = 11008, k = 4096, const ACT = \"silu\"),\n",
                "",
            ),
            ("m = 2048, n = 11008, k = 4096", "m = 70, n = 136, k = 72"),
            (
                "    problem(m = 512, n = 2048, k = 1024, const ACT = \"gelu\"),\n",
                "",
            ),
            (
                "    problem(m = 512, n = 2048, k = 1024, const ACT = \"sigmoid\"),\n",
                "",
            ),
            (
                "BLOCK_M != 192",
                "BLOCK_M == 16 && BLOCK_N == 32 && GROUP_M == 1 && STAGES == 2",
            ),
            ("evaluations = 100", "evaluations = 6"),
        ],
    );
    all_right(&package, "glu_f16", 1);
    let said = package.start().gpus("H100", "").run().ok();
    said.says("all right");
}
