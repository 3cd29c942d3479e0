//! The occupancy rules of the model against the driver's own answer.

use bico::cudarc::driver::CudaContext;
use bico::cudarc::driver::sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use bico::cudarc::nvrtc::Ptx;
use bico_core::model::resident_blocks;
use bico_device::cuda::facts;
use bico_device::nvrtc::{Nvrtc, Program};
use std::path::PathBuf;

/// A thread keeps `LIVE` numbers at a time, most of them in registers.
const KERNEL: &str = r"
template <int LIVE> __global__ void keep(float *y, const float *x)
{
    float kept[LIVE];
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        kept[i] = x[i * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        sum = sum * kept[i] + kept[LIVE - 1 - i];
    y[threadIdx.x] = sum;
}
";

/// Blocks that fit on a multiprocessor, for many sizes of block and of shared memory.
pub(crate) fn blocks() {
    let gpu = facts(0).unwrap();
    #[allow(clippy::disallowed_methods)]
    let given = std::env::var_os("BICO_NVRTC").map(PathBuf::from);
    let nvrtc = Nvrtc::find(given.as_deref()).unwrap();
    let context = CudaContext::new(0).unwrap();
    let mut compared = 0;
    for live in [1, 24, 60, 100, 160] {
        let compiled = nvrtc.compile(&Program {
            source: KERNEL,
            name: "keep.cu",
            options: &[format!(
                "--gpu-architecture=compute_{}",
                gpu.compute_capability
            )],
            expressions: &[&format!("keep<{live}>")],
        });
        let compiled = compiled.unwrap();
        let ptx = String::from_utf8(compiled.ptx.unwrap()).unwrap();
        let module = context
            .load_module(Ptx::from_src(ptx.trim_end_matches('\0')))
            .unwrap();
        let kernel = module.load_function(&compiled.entries[0]).unwrap();
        let most = gpu.shared_memory_per_block_optin;
        let attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        kernel.set_attribute(attribute, most as i32).unwrap();
        let registers = i64::from(kernel.num_regs().unwrap());
        for threads in [1, 32, 33, 64, 96, 128, 160, 256, 384, 512, 768, 992, 1024] {
            for shared in [
                0,
                1,
                1 << 10,
                5000,
                12 << 10,
                33_000,
                48 << 10,
                70_000,
                most,
            ] {
                if shared > most {
                    continue;
                }
                let driver = kernel
                    .occupancy_max_active_blocks_per_multiprocessor(threads, shared as usize, None)
                    .unwrap();
                let ours = resident_blocks(&gpu, threads.into(), registers, shared);
                assert_eq!(
                    ours,
                    i64::from(driver),
                    "{}: {threads} threads, {registers} registers, {shared} bytes",
                    gpu.name
                );
                compared += 1;
            }
        }
    }
    println!("{}: {compared} occupancies are the driver's", gpu.name);
}
