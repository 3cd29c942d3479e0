//! A kernel that only Hopper can run as a variant beside one for all: searched, verified and called on the stand-in H100.

use super::kernel::TYPES;
use crate::harness::Package;

const ATTRIBUTE: &str = include_str!("../../../kernels/src/gemm_f16.rs");

/// What the kernels of `bico-kernels` consist of.
const FILES: [(&str, &str); 7] = [
    (
        "gemm_f16.cu",
        include_str!("../../../kernels/kernels/gemm_f16.cu"),
    ),
    (
        "gemm_hopper.cu",
        include_str!("../../../kernels/kernels/gemm_hopper.cu"),
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

const MAIN: &str = r#"
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

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_product_by_warpgroups() {
    let package = Package::halves("hopper");
    for (name, text) in FILES {
        package.file(&format!("kernels/{name}"), text);
    }
    let start = ATTRIBUTE.find("#[bico::tunable(").unwrap();
    let end = "-> bico::Result<()>;\n";
    let end = start + ATTRIBUTE[start..].find(end).unwrap() + end.len();
    // A processor multiplies these in milliseconds; of the plain one there is the smallest config alone, so that each is asked for.
    let item = ATTRIBUTE[start..end]
        .replace("problem(m = 4096, n = 4096, k = 4096)", "problem(m = 130, n = 136, k = 136)")
        .replace("    problem(m = 8192, n = 8192, k = 8192),\n    problem(m = 64, n = 8192, k = 8192),\n", "")
        .replace("evaluations = 40", "evaluations = 8")
        .replace("TILE_N != 192", "TILE_M == 16 && TILE_N == 32 && GROUP_M == 1 && STAGES == 2");
    package.file("src/main.rs", &format!("{TYPES}{item}{MAIN}"));
    package.cargo(&["build"]).gpus("H100", "").run().ok();
    for key in ["gemm_f16", "gemm_bf16"] {
        let trail = package.trail(key);
        let hopper = trail
            .iter()
            .filter(|row| row["values"]["VARIANT"] == "hopper");
        assert!(hopper.clone().count() >= 3, "{key}: {trail:#?}");
        for row in hopper {
            assert!(row["failure"].is_null(), "{row:#}");
        }
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
