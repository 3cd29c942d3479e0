//! Kernels compute what they should.

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaStream, LaunchConfig, PushKernelArg, sys,
};
use cudarc::nvrtc::Ptx;

use crate::child::on;
use crate::nvrtc::kernels;

pub(crate) fn load(context: &Arc<CudaContext>, cubin: Vec<u8>) -> Arc<CudaModule> {
    context
        .load_module(Ptx::from_binary(cubin))
        .expect("the module loads")
}

/// A module with the kernels that are no templates, for the first GPU.
pub(crate) fn plain(context: &Arc<CudaContext>) -> Arc<CudaModule> {
    let (major, minor) = context.compute_capability().unwrap();
    let architecture = format!("-arch=sm_{major}{minor}");
    load(context, kernels(&[&architecture], &[]).good().cubin)
}

pub(crate) fn line(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (blocks, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    }
}

fn product(
    stream: &Arc<CudaStream>,
    kernel: &CudaFunction,
    tile: u32,
    [m, n, k]: [usize; 3],
) -> (Vec<f32>, Vec<f32>) {
    let mut random = fastrand(m * 31 + n * 7 + k);
    let a: Vec<f32> = (0..m * k).map(|_| random()).collect();
    let b: Vec<f32> = (0..k * n).map(|_| random()).collect();
    let (da, db) = (
        stream.clone_htod(&a).unwrap(),
        stream.clone_htod(&b).unwrap(),
    );
    let mut dc = stream.alloc_zeros::<f32>(m * n).unwrap();
    let config = LaunchConfig {
        grid_dim: ((n as u32).div_ceil(tile), (m as u32).div_ceil(tile), 1),
        block_dim: (tile, tile, 1),
        shared_mem_bytes: 2 * 4 * tile * tile,
    };
    let sizes = [m as u32, n as u32, k as u32];
    let mut launch = stream.launch_builder(kernel);
    launch.arg(&mut dc).arg(&da).arg(&db);
    launch.arg(&sizes[0]).arg(&sizes[1]).arg(&sizes[2]);
    // SAFETY: the kernel stays inside of the sizes that it gets.
    unsafe { launch.launch(config) }.unwrap();
    let mut expected = vec![0.0f32; m * n];
    for row in 0..m {
        for column in 0..n {
            let sum = (0..k).fold(0.0f32, |sum, i| {
                a[row * k + i].mul_add(b[i * n + column], sum)
            });
            expected[row * n + column] = sum;
        }
    }
    (stream.clone_dtoh(&dc).unwrap(), expected)
}

/// Small whole numbers, so that every order of adding gives the same.
fn fastrand(seed: usize) -> impl FnMut() -> f32 {
    let mut state = seed as u32 | 1;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 24) % 17) as f32 - 8.0
    }
}

#[test]
fn tiled_product_at_awkward_sizes() {
    on("A100", "", || {
        let compiled = kernels(&["-arch=sm_80"], &["tiled<16>", "tiled<8>"]).good();
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let module = load(&context, compiled.cubin);
        for (name, tile) in compiled.lowered.iter().zip([16, 8]) {
            let kernel = module.load_function(name).unwrap();
            for sizes in [
                [1, 1, 1],
                [17, 31, 13],
                [64, 64, 64],
                [5, 67, 33],
                [15, 16, 17],
            ] {
                let (got, expected) = product(&stream, &kernel, tile, sizes);
                assert_eq!(got, expected, "{name} {sizes:?}");
            }
        }
    });
}

#[test]
fn a_thread_too_many_changes_nothing() {
    on("A100", "", || {
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let kernel = plain(&context).load_function("scale").unwrap();
        for n in [1, 255, 256, 257, 1000] {
            let mut x = stream.clone_htod(&vec![2.0f32; n]).unwrap();
            let blocks = (n as u32).div_ceil(256);
            let mut launch = stream.launch_builder(&kernel);
            let count = n as i32;
            launch.arg(&mut x).arg(&1.5f32).arg(&count);
            // SAFETY: the kernel checks its index.
            unsafe { launch.launch(line(blocks, 256)) }.unwrap();
            assert_eq!(stream.clone_dtoh(&x).unwrap(), vec![3.0; n]);
        }
    });
}

#[test]
fn warps_and_static_shared_memory() {
    on("RTX 4090", "", || {
        let compiled = kernels(&["-arch=sm_89"], &["sums"]).good();
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let kernel = load(&context, compiled.cubin)
            .load_function(&compiled.lowered[0])
            .unwrap();
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
        assert_eq!(kernel.get_attribute(attribute).unwrap(), 128);
        for (n, threads) in [(1, 32), (1000, 96), (777, 256), (70, 64), (2000, 1024)] {
            let x: Vec<f32> = (0..n).map(|i| (i % 13) as f32).collect();
            let dx = stream.clone_htod(&x).unwrap();
            let mut out = stream.alloc_zeros::<f32>(1).unwrap();
            let mut launch = stream.launch_builder(&kernel);
            launch.arg(&mut out).arg(&dx).arg(&n);
            // SAFETY: the kernel checks its index.
            unsafe { launch.launch(line((n as u32).div_ceil(threads), threads)) }.unwrap();
            let sum: f32 = x.iter().sum();
            assert_eq!(stream.clone_dtoh(&out).unwrap(), [sum], "{n} by {threads}");
        }
    });
}

#[test]
fn more_shared_memory_only_by_opting_in() {
    on("A100", "", || {
        let compiled = kernels(&["-arch=sm_80"], &["tiled<32>"]).good();
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let kernel = load(&context, compiled.cubin)
            .load_function(&compiled.lowered[0])
            .unwrap();
        let go = |shared: u32| {
            let mut c = stream.alloc_zeros::<f32>(1).unwrap();
            let (a, b) = (c.clone(), c.clone());
            let config = LaunchConfig {
                shared_mem_bytes: shared,
                block_dim: (32, 32, 1),
                grid_dim: (1, 1, 1),
            };
            let mut launch = stream.launch_builder(&kernel);
            launch
                .arg(&mut c)
                .arg(&a)
                .arg(&b)
                .arg(&1u32)
                .arg(&1u32)
                .arg(&1u32);
            // SAFETY: the kernel stays inside of the sizes that it gets.
            unsafe { launch.launch(config) }
                .map(drop)
                .map_err(|error| error.0)
        };
        let invalid = Err(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        assert_eq!(go(48 << 10), Ok(()));
        assert_eq!(go((48 << 10) + 1), invalid);
        kernel.set_attribute(attribute, 100 << 10).unwrap();
        assert_eq!(go(100 << 10), Ok(()));
        assert_eq!(go((100 << 10) + 1), invalid);
        assert!(kernel.set_attribute(attribute, 164 << 10).is_err());
        kernel.set_attribute(attribute, 163 << 10).unwrap();
        assert_eq!(go(163 << 10), Ok(()));
    });
}

#[test]
fn launches_that_hardware_refuses() {
    crate::child::with("A100", "", &[("BICO_HOST_REGISTERS", "scale=80")], || {
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let kernel = plain(&context).load_function("scale").unwrap();
        let mut x = stream.alloc_zeros::<f32>(1).unwrap();
        let mut go = |grid, block| {
            let config = LaunchConfig {
                grid_dim: grid,
                block_dim: block,
                shared_mem_bytes: 0,
            };
            let mut launch = stream.launch_builder(&kernel);
            launch.arg(&mut x).arg(&1f32).arg(&1i32);
            // SAFETY: the kernel checks its index.
            unsafe { launch.launch(config) }
                .map(drop)
                .map_err(|error| error.0)
        };
        let invalid = Err(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(go((1, 1, 1), (1025, 1, 1)), invalid);
        assert_eq!(go((1, 1, 1), (1, 1, 65)), invalid);
        assert_eq!(go((0, 1, 1), (1, 1, 1)), invalid);
        assert_eq!(go((1, 65536, 1), (1, 1, 1)), invalid);
        // 80 registers leave room for 24 warps.
        let resources = Err(sys::CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
        assert_eq!(go((1, 1, 1), (1024, 1, 1)), resources);
        assert_eq!(go((1, 1, 1), (768, 1, 1)), Ok(()));
    });
}

#[test]
fn no_more_threads_than_the_kernel_is_bounded_to() {
    on("A100", "", || {
        let compiled = kernels(&["-arch=sm_80"], &["few<96>"]).good();
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let kernel = load(&context, compiled.cubin)
            .load_function(&compiled.lowered[0])
            .unwrap();
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        assert_eq!(kernel.get_attribute(attribute).unwrap(), 96);
        let mut x = stream.alloc_zeros::<f32>(128).unwrap();
        let mut go = |threads| {
            let mut launch = stream.launch_builder(&kernel);
            launch.arg(&mut x);
            // SAFETY: the buffer has an element for each thread.
            unsafe { launch.launch(line(1, threads)) }
                .map(drop)
                .map_err(|error| error.0)
        };
        assert_eq!(go(97), Err(sys::CUresult::CUDA_ERROR_INVALID_VALUE));
        assert_eq!(go(96), Ok(()));
        assert_eq!(stream.clone_dtoh(&x).unwrap()[95..97], [96.0, 0.0]);
    });
}

#[test]
fn half_precision() {
    on("A100", "", || {
        let compiled = kernels(&["-arch=sm_80", "-DWITH_HALF"], &[]).good();
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let kernel = load(&context, compiled.cubin)
            .load_function("halves")
            .unwrap();
        // 1.0, -2.0, 0.5 and the smallest that is not 0, by their bits.
        let x = stream
            .clone_htod(&[0x3c00u16, 0xc000, 0x3800, 0x0001])
            .unwrap();
        let mut out = stream.alloc_zeros::<f32>(4).unwrap();
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&mut out).arg(&x).arg(&4i32);
        // SAFETY: both buffers have four elements.
        unsafe { launch.launch(line(1, 4)) }.unwrap();
        // Half of the smallest is a tie that rounds to even: 0, so the sum is 0.5 + 0.25 - 1.
        let smallest = 2f32.powi(-24);
        let expected = [0.75, -2.25, 0.25, smallest - 0.25];
        assert_eq!(stream.clone_dtoh(&out).unwrap(), expected);
    });
}

#[test]
fn less_than_half_precision() {
    on("A100", "", || {
        let compiled = kernels(&["-arch=sm_80", "-DWITH_NARROW"], &[]).good();
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let kernel = load(&context, compiled.cubin)
            .load_function("narrow")
            .unwrap();
        // A tie, one that is too large, one below the normal numbers, and 0.
        let x = stream
            .clone_htod(&[1.0625f32, -1000.0, 0.005, 0.0])
            .unwrap();
        let mut out = stream.alloc_zeros::<f32>(16).unwrap();
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&mut out).arg(&x);
        // SAFETY: four elements are read, and four written for each.
        unsafe { launch.launch(line(1, 4)) }.unwrap();
        let out = stream.clone_dtoh(&out).unwrap();
        let row = |at: usize| [out[at], out[4 + at], out[8 + at], out[12 + at]];
        assert_eq!(row(0), [1.0, -448.0, 0.005859375, 0.0]);
        // 1.0625 * 3 - 1 is one that bf16 has; -3000 lies between two.
        assert_eq!(row(1), [2.1875, -3008.0, -0.984375, -1.0]);
        assert_eq!(row(2)[3], 1.0);
        assert!((row(2)[0] - 1.0625f32.cos()).abs() < 1e-3, "{out:?}");
        assert_eq!(row(3), [-32768.0 + 255.0; 4]);
    });
}
