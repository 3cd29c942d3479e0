//! The matrix product of `kernels/`: every config is right at sizes that no tile divides.

use super::kernel::{A100, TYPES};
use crate::harness::{Package, WORKSPACE};

const MAIN: &str = r#"
#[bico::tunable(
    source = "kernels/gemm.cu",
    entry = "matrix_multiply_kernel",
    template = [TILE_M, TILE_N, TILE_K, BLOCK_X, BLOCK_Y],
    space(
        TILE_M in [4, 32],
        TILE_N in [8, 32, 64],
        TILE_K in [4, 64],
        BLOCK_X = TILE_N,
        BLOCK_Y = TILE_M,
    ),
    launch(
        grid = (n.div_ceil(TILE_N), m.div_ceil(TILE_M)),
        block = (BLOCK_X, BLOCK_Y),
        shared = 4 * TILE_K * (TILE_M + TILE_N),
    ),
    problem(m = 64, n = 96, k = 32),
    work(flops = 2 * m * n * k, bytes = 4 * (m * k * n.div_ceil(TILE_N) + k * n * m.div_ceil(TILE_M) + m * n)),
    verify(reference = "gemm_naive", rtol = 1e-3, launch(grid = (n.div_ceil(32), m.div_ceil(8)), block = (32, 8))),
    budget(evaluations = 20, seconds = 60, strategy = "guided"),
)]
fn gemm(
    stream: &Arc<CudaStream>,
    #[len(m * n)] c: &mut CudaSlice<f32>,
    #[len(m * k)] a: &CudaSlice<f32>,
    #[len(k * n)] b: &CudaSlice<f32>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    let mut calls = 0;
    for (m, n, k) in [(64usize, 96usize, 32usize), (1, 1, 1), (37, 53, 29), (31, 65, 63), (2, 97, 5), (33, 1, 64)] {
        // Small integers: every sum is exact.
        let a: Vec<f32> = (0..m * k).map(|i| (i % 7) as f32 - 3.0).collect();
        let b: Vec<f32> = (0..k * n).map(|i| (i % 5) as f32 - 2.0).collect();
        let c: Vec<f32> = (0..m * n)
            .map(|i| (0..k).map(|p| a[i / n * k + p] * b[p * n + i % n]).sum())
            .collect();
        let (a, b) = (stream.clone_htod(&a)?, stream.clone_htod(&b)?);
        for config in gemm_tunable().candidates() {
            let mut got = stream.alloc_zeros::<f32>(m * n)?;
            gemm_with(&config, &stream, &mut got, &a, &b, m as u32, n as u32, k as u32)?;
            assert_eq!(stream.clone_dtoh(&got)?, c, "{config} m={m} n={n} k={k}");
            calls += 1;
        }
        let mut got = stream.alloc_zeros::<f32>(m * n)?;
        gemm(&stream, &mut got, &a, &b, m as u32, n as u32, k as u32)?;
        assert_eq!(stream.clone_dtoh(&got)?, c, "m={m} n={n} k={k}");
    }
    println!("{calls} calls");
    println!("{}", gemm_tunable().config_on(&stream, &[37, 53, 29])?);
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn every_config_at_awkward_sizes() {
    let package = Package::cuda("gemm");
    let kernel = std::fs::read_to_string(format!("{WORKSPACE}/kernels/kernels/gemm.cu")).unwrap();
    package.file("kernels/gemm.cu", &kernel);
    package.file("src/main.rs", &format!("{TYPES}{MAIN}"));
    package.build("auto").ok();
    // 32 x 64 threads are too many.
    let entry = &package.entries("gemm")["k=32, m=64, n=96"];
    assert_eq!(entry["space_size"], 10, "{entry:#}");
    assert_eq!(entry["evaluations"], 10, "{entry:#}");
    let trail = package.trail("gemm");
    assert!(
        trail.iter().all(|row| row["seconds"].is_number()),
        "{trail:#?}"
    );
    let printed = package.run();
    let (calls, choice) = printed.split_once(" calls\n").unwrap();
    // The program carries several, each was called at six sizes.
    let calls: u32 = calls.parse().unwrap();
    assert!(calls >= 12 && calls.is_multiple_of(6), "{printed}");
    assert!(
        choice.contains("nearest size m=64, n=96, k=32") && choice.contains(A100),
        "{printed}"
    );
}
