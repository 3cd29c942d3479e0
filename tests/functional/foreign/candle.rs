//! What the ops of `tests/candle` call on a GPU: its very kernels and wrappers, tuned and called without candle.

use crate::harness::Package;

/// A file of that package.
macro_rules! of_candle {
    ($path:literal) => {
        ($path, include_str!(concat!("../../candle/", $path)))
    };
}

const MAIN: &str = r#"
mod gpu;

use bico::cudarc::driver::{CudaContext, CudaStream, DevicePtr, DevicePtrMut, result};
use half::{bf16, f16};
use std::sync::Arc;

const ROWS: usize = 3;
const COLUMNS: usize = 64;

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 7919 % 1009) as f32 / 256.0 - 2.0).collect()
}

fn assert_close(y: impl IntoIterator<Item = f32>, expected: &[f64], tolerance: f64) {
    let y: Vec<f64> = y.into_iter().map(f64::from).collect();
    assert_eq!(y.len(), expected.len());
    let most = expected.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    for (y, expected) in y.iter().zip(expected) {
        assert!((y - expected).abs() <= tolerance * most, "{y} for {expected}");
    }
}

/// Rows of `x`, each through `row`.
fn by_rows(x: &[f32], row: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let wide: Vec<f64> = x.iter().copied().map(f64::from).collect();
    wide.chunks(COLUMNS).flat_map(row).collect()
}

fn softmax(x: &[f64]) -> Vec<f64> {
    let sum: f64 = x.iter().map(|x| x.exp()).sum();
    x.iter().map(|x| x.exp() / sum).collect()
}

type Done<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// The rows begin one element behind the storage's beginning, as those of a narrowed tensor.
macro_rules! rms_norm {
    ($stream:expr, $kernel:path, $type:ty, $narrow:expr, $tolerance:expr) => {{
        let (x, w): (Vec<$type>, Vec<$type>) = (
            numbers(ROWS * COLUMNS + 1).into_iter().map($narrow).collect(),
            numbers(COLUMNS).into_iter().map($narrow).collect(),
        );
        let (on_x, on_w) = ($stream.clone_htod(&x)?, $stream.clone_htod(&w)?);
        let mut y = $stream.alloc_zeros::<$type>(ROWS * COLUMNS)?;
        $kernel($stream, &mut y, &on_x.slice(1..), &on_w, ROWS as u32, COLUMNS as u32, 1e-5)?;
        let x: Vec<f32> = x[1..].iter().map(|&x| x.into()).collect();
        let expected = by_rows(&x, |x| {
            let mean = x.iter().map(|x| x * x).sum::<f64>() / COLUMNS as f64;
            let scaled = |(x, &w): (&f64, &$type)| x / (mean + 1e-5).sqrt() * f64::from(w);
            x.iter().zip(&w).map(scaled).collect()
        });
        let y = $stream.clone_dtoh(&y)?;
        assert_close(y.into_iter().map(f32::from), &expected, $tolerance);
    }};
}

/// One who launches himself what the wrapper would.
fn launched(stream: &Arc<CudaStream>, x: &impl DevicePtr<f32>) -> Done<Vec<f32>> {
    let sizes = [ROWS as i64, COLUMNS as i64];
    let launch = gpu::softmax_tunable().launch_on(stream, &sizes)?;
    let defines: Vec<_> = launch.config.defines().collect();
    let [("LANES", lanes), ("ROWS", rows)] = &defines[..] else { panic!("{defines:?}") };
    assert_eq!(launch.dims.block, [lanes.parse()?, rows.parse()?, 1]);
    assert_eq!(launch.dims.grid, [(ROWS as u32).div_ceil(rows.parse()?), 1, 1]);
    let mut y = stream.alloc_zeros::<f32>(ROWS * COLUMNS)?;
    {
        let ((mut from, _read), (mut to, _written)) = (x.device_ptr(stream), y.device_ptr_mut(stream));
        let (mut rows, mut columns) = (ROWS as u32, COLUMNS as u32);
        let mut parameters =
            [(&raw mut to).cast(), (&raw mut from).cast(), (&raw mut rows).cast(), (&raw mut columns).cast()];
        let (grid, block, shared) = (launch.dims.grid.into(), launch.dims.block.into(), launch.dims.shared);
        unsafe { result::launch_kernel(launch.function, grid, block, shared, stream.cu_stream(), &mut parameters)? };
    }
    Ok(stream.clone_dtoh(&y)?)
}

fn main() -> Done {
    let stream = &CudaContext::new(0)?.default_stream();
    rms_norm!(stream, gpu::rms_norm_f32, f32, |x| x, 1e-6);
    rms_norm!(stream, gpu::rms_norm_f16, f16, f16::from_f32, 1e-3);
    rms_norm!(stream, gpu::rms_norm_bf16, bf16, bf16::from_f32, 8e-3);

    let x = numbers(ROWS * COLUMNS + 1);
    let (on, expected) = (stream.clone_htod(&x)?, by_rows(&x[1..], softmax));
    let mut y = stream.alloc_zeros::<f32>(ROWS * COLUMNS)?;
    gpu::softmax(stream, &mut y, &on.slice(1..), ROWS as u32, COLUMNS as u32)?;
    assert_close(stream.clone_dtoh(&y)?, &expected, 1e-6);
    assert_close(launched(stream, &on.slice(1..))?, &expected, 1e-6);

    // Each block has the scale 1, and then -8 to 7, twice.
    let block: Vec<u8> = [0, 0x3c].into_iter().chain((0..16).map(|i| i << 4 | i)).collect();
    let w: Vec<u8> = [0, 0].into_iter().chain(block.repeat(ROWS * COLUMNS / 32)).collect();
    let (x, b) = (numbers(COLUMNS), [0.5, 1.5, -2.5]);
    let row: f64 = x.iter().enumerate().map(|(i, &x)| f64::from(x) * ((i % 16) as f64 - 8.0)).sum();
    let (w, x, on_b) = (stream.clone_htod(&w)?, stream.clone_htod(&x)?, stream.clone_htod(&b)?);
    let mut y = stream.alloc_zeros::<f32>(ROWS)?;
    gpu::linear_q4_0(stream, &mut y, &w.slice(2..), &x, &on_b, ROWS as u32, COLUMNS as u32)?;
    assert_close(stream.clone_dtoh(&y)?, &b.map(|b| row + f64::from(b)), 1e-6);
    let odd = gpu::linear_q4_0(stream, &mut y, &w.slice(1..), &x, &on_b, ROWS as u32, COLUMNS as u32);
    assert!(matches!(odd, Err(bico::Error::Misaligned { need: 2, .. })), "{odd:?}");
    println!("all as they should be");
    Ok(())
}
"#;

#[test]
#[ignore = "slow: `scripts/full candle`"]
fn what_ops_of_candle_call() {
    let package = Package::halves("candle");
    for (path, text) in [
        of_candle!("src/gpu.rs"),
        of_candle!("kernels/rms_norm.cu"),
        of_candle!("kernels/softmax.cu"),
        of_candle!("kernels/linear_q4_0.cu"),
        ("src/main.rs", MAIN),
    ] {
        package.file(path, text);
    }
    package.build("auto").ok();
    assert_eq!(package.run(), "all as they should be\n");
    for key in [
        "rms_norm.f32",
        "rms_norm.f16",
        "rms_norm.bf16",
        "softmax",
        "linear_q4_0",
    ] {
        let entries = package.entries(&format!("cuda::{key}"));
        let mut entries = entries.as_object().unwrap().values();
        let told = entries.next().unwrap()["verified"].as_str().unwrap();
        assert!(told.starts_with("reference"), "{key}: {told}");
    }
}
