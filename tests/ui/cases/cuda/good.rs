//! A wrapper of a CUDA kernel, with cudarc's own types: it compiles without a lint and without cudarc
//! among the package's dependencies, and without a driver it says so instead of a panic.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all)]

use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut};
use std::sync::Arc;

/// Two bytes; any crate's will do.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy)]
pub struct f16(pub u16);

/// The most threads.
const MOST: u32 = 1024;

/// C = A * B.
#[bico::tunable(
    source = "kernels/matrix.cu",
    template = [TILE_M, TILE_N],
    space(TILE_M in [8, 16], TILE_N in [8, 16]),
    require(TILE_M * TILE_N <= MOST, 4 * TILE_M <= device.shared_memory_per_block, n >= TILE_N),
    launch(
        grid = (n.div_ceil(TILE_N), m.div_ceil(TILE_M)),
        block = (TILE_N, TILE_M),
        shared = 4 * TILE_M * if ACT == "relu" { TILE_N } else { 1 },
    ),
    problem(m = 64, n = 64, half = 2.0, alpha = 0.5, wide = 7, flag = true, const ACT = "silu"),
    problem(m = 64, n = 64, half = 2.0, alpha = 0.5, wide = 7, flag = true, const ACT = "relu"),
    scratch(PARTIAL: f32, len = m * TILE_N),
    scratch(HALVES: f16, len = m),
    work(flops = 2 * m * n),
)]
pub fn matrix(
    #[len(m * n)] c: &mut CudaSlice<f32>,
    #[len(m)] row: &mut CudaViewMut<'_, f64>,
    stream: &Arc<CudaStream>,
    #[len(m * n)] a: &CudaSlice<f32>,
    #[len(n * TILE_M)] b: &CudaView<'_, u8>,
    #[len(1)] halves: &CudaView<'_, f16>,
    half: f16,
    m: u32,
    n: usize,
    alpha: f32,
    wide: i64,
    flag: bool,
    act: &str,
) -> bico::Result<()>;

/// Only compiled: there is no GPU where this runs.
pub fn calls(halves: &CudaView<'_, f16>) -> Result<(), Box<dyn std::error::Error>> {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let mut c = stream.alloc_zeros::<f32>(64 * 64)?;
    let mut rows = stream.alloc_zeros::<f64>(128)?;
    let a = stream.alloc_zeros::<f32>(64 * 64)?;
    let b = stream.alloc_zeros::<u8>(64 * 64)?;
    let mut row = rows.slice_mut(64..);
    let view = b.as_view();
    let half = f16(0x4000);
    let choice = matrix_warm_up(&stream, half, 64, 64, 0.5, 7, true, "relu")?;
    matrix(&mut c, &mut row, &stream, &a, &view, halves, half, 64, 64, 0.5, 7, true, "relu")?;
    let config = &choice.config;
    matrix_with(
        config, &mut c, &mut row, &stream, &a, &view, halves, half, 64, 64, 0.5, 7, true, "relu",
    )?;
    println!("{}", matrix_tunable().config_on(&context, &[64, 64, 7])?);
    Ok(())
}

fn main() {
    let tunable = matrix_tunable();
    assert_eq!(tunable.candidates().count(), 2);
    let count = tunable.config_of(&[64]).unwrap_err().to_string();
    assert!(count.contains("1 sizes were given where 3 are expected"), "{count}");
    if bico::device::cuda::driver().is_ok() {
        return;
    }
    for error in [
        tunable.config_of(&[64, 64, 7]).unwrap_err(),
        tunable.device_key().unwrap_err(),
    ] {
        let text = error.to_string();
        let bico::Error::NoDevice { why } = error else {
            panic!("{text}");
        };
        assert!(why.contains("libcuda.so.1"), "{text}");
    }
}
