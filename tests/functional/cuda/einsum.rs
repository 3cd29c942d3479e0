//! Contractions that bico writes in CUDA C++. Small tiles: the host driver is slow.

use super::kernel::TYPES;
use crate::harness::Package;

const MAIN: &str = r#"
use half::f16;

#[bico::tunable(
    einsum = "cmk, ckn -> cmn",
    space(M_PRIM in [32], N_PRIM in [32, 64], STAGES in [2], M_L2 in [1, 4], N_L2 in [1, 4]),
    problem(c = 2, m = 40, n = 48, k = 56),
    verify(rtol = 2e-3),
    measure(cache = warm),
    budget(evaluations = 3, seconds = 120),
)]
fn halves(
    stream: &Arc<CudaStream>,
    o: &mut CudaSlice<f16>,
    a: &CudaSlice<f16>,
    b: &CudaSlice<f16>,
    c: u32,
    m: u64,
    n: i32,
    k: u32,
) -> bico::Result<()>;

/// A third input, and another order of the letters.
#[bico::tunable(
    einsum = "mk, nk, nm -> mn",
    space(M_PRIM in [32], N_PRIM in [32, 64], K_PRIM in [8], STAGES in [2], M_L2 in [1, 4], N_L2 in [1, 4]),
    problem(m = 40, n = 48, k = 56),
    measure(cache = warm),
    budget(evaluations = 3, seconds = 120),
)]
fn floats(
    stream: &Arc<CudaStream>,
    a: &CudaSlice<f32>,
    b: &CudaSlice<f32>,
    d: &CudaSlice<f32>,
    o: &mut CudaSlice<f32>,
    m: u32,
    n: u32,
    k: u32,
) -> bico::Result<()>;

fn values(count: usize, step: usize) -> Vec<f32> {
    (0..count).map(|i| (i * step % 9) as f32 - 4.0).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.default_stream();
    for (c, m, n, k) in [(2, 40, 48, 56), (1, 1, 1, 1), (3, 17, 70, 33)] {
        let (a, b, d) = (values(c * m * k, 5), values(c * k * n, 7), values(m * n, 4));
        let half = |list: &[f32]| -> Vec<f16> { list.iter().map(|x| f16::from_f32(*x)).collect() };
        let mut o = stream.alloc_zeros::<f16>(c * m * n)?;
        let (a16, b16) = (stream.clone_htod(&half(&a))?, stream.clone_htod(&half(&b))?);
        halves(&stream, &mut o, &a16, &b16, c as u32, m as u64, n as i32, k as u32)?;
        for (i, o) in stream.clone_dtoh(&o)?.into_iter().enumerate() {
            let (batch, row, column) = (i / (m * n), i / n % m, i % n);
            let sum: f32 = (0..k)
                .map(|s| a[(batch * m + row) * k + s] * b[(batch * k + s) * n + column])
                .sum();
            assert_eq!(o, f16::from_f32(sum), "{c} {m} {n} {k}: {batch} {row} {column}");
        }
        let mut o = stream.alloc_zeros::<f32>(m * n)?;
        let [a32, b32, d32] = [&a, &b, &d].map(|list| stream.clone_htod(list));
        floats(&stream, &a32?, &b32?, &d32?, &mut o, m as u32, n as u32, k as u32)?;
        for (i, o) in stream.clone_dtoh(&o)?.into_iter().enumerate() {
            let (row, column) = (i / n, i % n);
            let sum: f32 = (0..k).map(|s| a[row * k + s] * b[column * k + s]).sum();
            assert_eq!(o, sum * d[column * m + row], "{m} {n} {k}: {row} {column}");
        }
    }
    println!("right");
    Ok(())
}
"#;

#[test]
#[ignore = "slow: .ci/run runs it"]
fn einsums_are_tuned_and_run() {
    let mut package = Package::halves("einsum-cuda");
    package.file("src/main.rs", &format!("{TYPES}{MAIN}"));
    package.build("auto").ok();
    assert_eq!(package.run(), "right\n");
    for key in ["halves", "floats"] {
        for row in package
            .trail(key)
            .iter()
            .filter(|row| row["kind"] != "final")
        {
            assert!(row["failure"].is_null(), "{key}: {row:#}");
        }
    }
    let lock = package.read("bico.lock");

    // A machine without GPU, driver, compiler and target folder: the lock is enough.
    package.clean();
    let build = package.cargo(&["build"]).env("BICO", "locked");
    build.without_cuda().run().ok();
    assert_eq!(package.read("bico.lock"), lock);
    // The program carries the source as text, and compiles it where it runs.
    assert_eq!(package.run(), "right\n");
}
