//! Two-dimensional convolution on CUDA GPUs.

use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::sync::Arc;

/// out\[y\]\[x\] = sum over r, s of filter\[r\]\[s\] * input\[y + r\]\[x + s\], in FP32 ("valid", the
/// filter not flipped): out is h x w, input (h + f - 1) x (w + f - 1), filter f x f, all dense and
/// row-major.
///
/// Any h and w, f from 1 to 65535, with h at most 65535 times a block's rows. Filters 3, 9 and 15 have code of their own; the
/// problem with f = 17 finds the config that serves all others, whose loops over the filter are not unrolled.
/// Who needs another filter fast copies kernel and attribute and adds a `problem(..)`: the space has code for
/// 3 to 15.
///
/// On an A100 28,139 configs are valid for f = 9 and 26,573 for f = 15; 7,386 of them serve any filter.
///
/// The score is one over the time by a model of a multiprocessor that counts instructions, loads from
/// shared memory with their conflicts, occupancy and the halo's traffic. Its constants were chosen on
/// recorded spaces of another direct convolution (15 x 15).
#[bico::tunable(
    source = "kernels/conv2d.cu",
    entry = "conv2d_kernel",
    template = [
        FILTER, BLOCK_X, BLOCK_Y, TILE_X, TILE_Y, SHARED, ASYNC, READ_ONLY, SPREAD, VECTOR, WEIGHTS, REUSE, UNROLL
    ],
    space(
        FILTER in [0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        BLOCK_X in [32, 8, 16, 64, 128],
        BLOCK_Y in [8, 1, 2, 4, 16],
        SHARED in [true, false],
        TILE_X in if SHARED { [1, 2, 4, 8] } else { [1] },
        TILE_Y in [1, 2, 3, 4, 6, 8],
        ASYNC in if SHARED { [false, true] } else { [false] },
        READ_ONLY in if ASYNC { [false] } else { [false, true] },
        SPREAD in if SHARED && (TILE_X > 4 || BLOCK_X * TILE_X < 32) { [false, true] } else { [false] },
        VECTOR in if SHARED && !(SPREAD && TILE_X <= 4) { [1, 2, 4] } else { [1] },
        WEIGHTS in [true, false],
        REUSE in if TILE_Y > 1 && FILTER >= TILE_Y { [false, true] } else { [false] },
        UNROLL in if FILTER > 0 && !REUSE { [false, true] } else { [false] },
    ),
    require(
        // Made for this filter, or for any.
        FILTER == 0 || FILTER == f,
        f >= 1 && f <= 65535,
        BLOCK_X * BLOCK_Y >= 64,
        BLOCK_X * BLOCK_Y <= 512,
        BLOCK_X * BLOCK_Y <= device.max_threads_per_block,
        TILE_X * TILE_Y <= 32,
        // Weights from the cache are loaded far ahead, into registers.
        WEIGHTS || BLOCK_X * BLOCK_Y <= 256,
        // Unrolled code that no instruction cache holds.
        !UNROLL || FILTER * FILTER * TILE_X * TILE_Y <= 4096,
        4 * (if WEIGHTS { f * f.div_ceil(4) * 4 } else { 0 }
            + if SHARED {
                (BLOCK_Y * TILE_Y + f - 1) * ((BLOCK_X * TILE_X + f.div_ceil(4) * 4).div_ceil(TILE_X) * TILE_X
                    + if SPREAD && TILE_X <= 4 { 31 } else { 0 })
            } else { 0 }) <= device.shared_memory_per_block_optin,
        h.div_ceil(BLOCK_Y * TILE_Y) <= 65535,
    ),
    launch(
        grid = (w.div_ceil(BLOCK_X * TILE_X), h.div_ceil(BLOCK_Y * TILE_Y)),
        block = (BLOCK_X, BLOCK_Y),
        shared = 4 * (if WEIGHTS { f * f.div_ceil(4) * 4 } else { 0 }
            + if SHARED {
                (BLOCK_Y * TILE_Y + f - 1) * ((BLOCK_X * TILE_X + f.div_ceil(4) * 4).div_ceil(TILE_X) * TILE_X
                    + if SPREAD && TILE_X <= 4 { 31 } else { 0 })
            } else { 0 }),
    ),
    problem(h = 4096, w = 4096, f = 3),
    problem(h = 4096, w = 4096, f = 9),
    problem(h = 4096, w = 4096, f = 15),
    problem(h = 4096, w = 4096, f = 17),
    work(
        flops = 2 * h * w * f * f,
        bytes = 4 * (h * w + h.div_ceil(BLOCK_Y * TILE_Y) * w.div_ceil(BLOCK_X * TILE_X)
            * (BLOCK_Y * TILE_Y + f - 1) * (BLOCK_X * TILE_X + f - 1)),
    ),
    score = {
        let threads = BLOCK_X * BLOCK_Y;
        let warps = threads / 32;
        let results = TILE_X * TILE_Y;
        let halo = f - 1;
        let blocks = w.div_ceil(BLOCK_X * TILE_X) * h.div_ceil(BLOCK_Y * TILE_Y);
        let elements = (BLOCK_Y * TILE_Y + halo) * (BLOCK_X * TILE_X + halo);
        let lanes = if device.compute_capability == 75 || device.compute_capability == 80 { 64 } else { 128 };
        // Instructions of a thread.
        let step = if FILTER > 0 { FILTER } else { 4 };
        let steps = f.div_ceil(step);
        let vector = TILE_X.min(4);
        let loads = steps * (TILE_X + step - 1).div_ceil(vector) * if REUSE || UNROLL { TILE_Y + halo } else { TILE_Y * f };
        let weights = steps * if WEIGHTS { step.div_ceil(4) } else { step } * if REUSE && !UNROLL { TILE_Y * f } else { f };
        let fused = results * f * f;
        let aligned = if (w + halo).is_multiple_of(VECTOR) { VECTOR } else { 1 };
        let copies = if SHARED { elements / threads / aligned } else { 0 };
        let rows = if UNROLL { 0 } else { f * steps };
        let count = (fused + loads + weights + 26 * copies + 2 * results / vector + 60 + 6 * rows
            + if FILTER > 0 { 0 } else { 4 * f * steps * TILE_Y }) * if UNROLL { 1 + fused / 3000 } else { 1 };
        let conflicts = if SPREAD || !SHARED { 1 } else { (TILE_X / 4).max(32 / (BLOCK_X * TILE_X)).max(1) };
        // Cycles of a warp that a multiprocessor does nothing else in: arithmetic, and what goes through shared memory or the cache.
        let arithmetic = (fused * 32 / lanes).max(count / 4);
        let on_chip = loads * (vector * conflicts).max(2) + 2 * weights + 3 * copies + results;
        let busy = warps * (arithmetic.max(on_chip) + 0.5 * arithmetic.min(on_chip));
        // Cycles of a block that has a multiprocessor to itself.
        let registers = (32 + results + TILE_X + 2 * step).min(device.registers_per_block / threads);
        let shared = 1024 + 4 * if WEIGHTS { f * (f + 3) } else { 0 } + 4 * if SHARED { elements } else { 0 };
        let resident = (device.registers_per_multiprocessor / (registers * threads))
            .min(device.shared_memory_per_multiprocessor / shared)
            .min(device.max_threads_per_multiprocessor / threads)
            .min(32)
            .max(1);
        let latency = 600 + if SHARED { if !ASYNC { 600 + 150 * copies } else { if device.compute_capability >= 80 { 800 } else { 600 * copies } } } else { 60 * (TILE_Y + halo) };
        let alone = latency + (fused * 128 / lanes).max(count) * (4 / results).max(1) * (warps / 4).max(1)
            + 40 * rows * if TILE_Y > 2 { 2 } else { 1 };
        let cycles = busy.max(alone / resident) + 0.5 * busy.min(alone / resident);
        let each = blocks / (device.multiprocessors * resident);
        let compute = blocks / device.multiprocessors * cycles * each.max(1) / each / device.clock_hz;
        let once = 4 * (h * w + (h + halo) * (w + halo));
        let memory = once.max(4 * (blocks * (elements + 8 * (BLOCK_Y * TILE_Y + halo)) + h * w) / 3) / device.memory_bytes_per_second;
        1 / (compute.max(memory) + 0.3 * compute.min(memory))
    },
    verify(
        reference = "conv2d_reference",
        rtol = 1e-4,
        launch(grid = (w.div_ceil(32), h.div_ceil(8)), block = (32, 8)),
    ),
    budget(evaluations = 60, seconds = 60),
)]
pub fn conv2d_cuda(
    stream: &Arc<CudaStream>,
    #[len(h * w)] out: &mut CudaSlice<f32>,
    #[len((h + f - 1) * (w + f - 1))] input: &CudaSlice<f32>,
    #[len(f * f)] filter: &CudaSlice<f32>,
    h: u32,
    w: u32,
    f: u32,
) -> bico::Result<()>;
