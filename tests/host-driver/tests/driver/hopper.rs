//! Products of warpgroups and clusters of blocks against what PTX ISA says of them, in numbers that were computed here; and
//! `gemm_hopper.cu`, as it is and with faults.

use cudarc::driver::sys::{
    self, CUlaunchAttribute, CUlaunchAttributeID, CUlaunchConfig, CUtensorMapDataType as Type,
};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DeviceRepr};
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use crate::child::on;
use crate::nvrtc::compile;
use crate::tensors::{Asked, Map};

const HEADERS: [(&str, &str); 7] = [
    (
        "glu.cuh",
        include_str!("../../../../kernels/kernels/glu.cuh"),
    ),
    (
        "async_copy.cuh",
        include_str!("../../../../kernels/kernels/async_copy.cuh"),
    ),
    (
        "attention.cuh",
        include_str!("../../../../kernels/kernels/attention.cuh"),
    ),
    (
        "tensor_core.cuh",
        include_str!("../../../../kernels/kernels/tensor_core.cuh"),
    ),
    (
        "number.cuh",
        include_str!("../../../../kernels/kernels/number.cuh"),
    ),
    (
        "tensor_copy.cuh",
        include_str!("../../../../kernels/kernels/tensor_copy.cuh"),
    ),
    (
        "warpgroup.cuh",
        include_str!("../../../../kernels/kernels/warpgroup.cuh"),
    ),
];

/// A kernel on an H100, launched in clusters.
pub(crate) struct Kernel {
    pub(crate) stream: Arc<CudaStream>,
    function: sys::CUfunction,
}

impl Kernel {
    pub(crate) fn new(source: &str, name: &str, definitions: &[&str]) -> Kernel {
        let context = CudaContext::new(0).unwrap();
        let options = [&["-arch=sm_90a", "-std=c++17"], definitions].concat();
        let compiled = compile(source, &HEADERS, &options, &[name]).good();
        let lowered = CString::new(compiled.lowered[0].clone()).unwrap();
        let (mut module, mut function) = (null_mut(), null_mut());
        // SAFETY: a cubin that was just compiled; the module stays loaded until the process ends.
        unsafe {
            sys::cuModuleLoadData(&raw mut module, compiled.cubin.as_ptr().cast())
                .result()
                .unwrap();
            sys::cuModuleGetFunction(&raw mut function, module, lowered.as_ptr())
                .result()
                .unwrap();
        }
        Kernel {
            stream: context.default_stream(),
            function,
        }
    }

    /// Blocks in clusters along x, threads, and bytes of shared memory.
    pub(crate) fn launch(
        &self,
        [blocks, cluster, threads, shared]: [u32; 4],
        arguments: &mut [*mut c_void],
    ) -> Result<(), cudarc::driver::DriverError> {
        // SAFETY: plain numbers, of which only those of the kind that is named are read.
        let mut attribute: CUlaunchAttribute = unsafe { std::mem::zeroed() };
        attribute.id = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute.value.clusterDim.x = cluster;
        attribute.value.clusterDim.y = 1;
        attribute.value.clusterDim.z = 1;
        let config = CUlaunchConfig {
            gridDimX: blocks,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: shared,
            hStream: self.stream.cu_stream(),
            attrs: &raw mut attribute,
            numAttrs: 1,
        };
        let most = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: as many arguments as the kernel has parameters, of their types.
        unsafe {
            sys::cuFuncSetAttribute(self.function, most, shared as i32).result()?;
            sys::cuLaunchKernelEx(
                &raw const config,
                self.function,
                arguments.as_mut_ptr(),
                null_mut(),
            )
        }
        .result()?;
        self.stream.synchronize()
    }

    pub(crate) fn address<T>(&self, of: &CudaSlice<T>) -> u64 {
        of.device_ptr(&self.stream).0
    }
}

/// Where an argument lies.
pub(crate) fn argument<T>(of: &T) -> *mut c_void {
    (&raw const *of).cast_mut().cast()
}

/// A dense tensor of 16-bit floats, in boxes whose rows are swizzled by 128 bytes.
pub(crate) fn halves<const RANK: usize>(
    address: u64,
    dims: [usize; RANK],
    tile: [u32; RANK],
) -> Map {
    let dims = dims.map(|extent| extent as u64);
    let strides = (1..RANK).map(|rank| 2 * dims[..rank].iter().product::<u64>());
    let asked = Asked {
        kind: Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        address,
        dims: dims.to_vec(),
        strides: strides.collect(),
        tile: tile.to_vec(),
        steps: vec![1; RANK],
        swizzle: sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_128B,
        fill: sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    };
    asked.encode().unwrap()
}

/// Members of lists, by a number without a pattern.
pub(crate) fn picks(seed: usize) -> impl FnMut(&[usize]) -> usize {
    let mut bits = seed as u64;
    move |list| {
        bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        list[(mixed >> 33) as usize % list.len()]
    }
}

/// Small whole numbers in no order, so that every order of adding gives the same.
pub(crate) fn number(row: usize, column: usize, seed: usize) -> i32 {
    let mixed = (row * 31 + column * 17 + seed * 7 + row * column % 13) % 15;
    mixed as i32 - 7
}

/// Bits of a small whole number as FP16 and as BF16.
pub(crate) fn half(value: i32, bf16: bool) -> u16 {
    let wide = (value as f32).to_bits();
    if bf16 || value == 0 {
        return (wide >> 16) as u16;
    }
    let exponent = (wide >> 23 & 0xff) - 127 + 15;
    (wide >> 16 & 0x8000 | exponent << 10 | wide >> 13 & 0x3ff) as u16
}

/// A matrix of such numbers.
pub(crate) fn matrix<T: DeviceRepr + Clone>(
    stream: &Arc<CudaStream>,
    [height, width]: [usize; 2],
    of: impl Fn(usize, usize) -> T,
) -> CudaSlice<T> {
    let all: Vec<T> = (0..height * width)
        .map(|at| of(at / width, at % width))
        .collect();
    stream.clone_htod(&all).unwrap()
}

/// CUTLASS's `GmmaDescriptor`: 14 bits of the address, of `leading` and of `stride`, each without its lowest four, at 0, 16 and 32,
/// and the layout in the upper two.
#[test]
fn tiles_are_called_as_cutlass_does() {
    on("H100", "", || {
        let kernel = Kernel::new(include_str!("hopper.cu"), "describe", &[]);
        let to = kernel.stream.alloc_zeros::<u64>(3).unwrap();
        let address = kernel.address(&to);
        kernel
            .launch([1, 1, 32, 4096], &mut [argument(&address)])
            .unwrap();
        let to = kernel.stream.clone_dtoh(&to).unwrap();
        assert_eq!(
            to,
            [
                0x4000_0040_0001_0080,
                0x4000_0040_0200_0040,
                0x4000_0040_0001_0086
            ]
        );
    });
}

/// One product; what its kernel says, or how it fails.
fn product(
    n: usize,
    [a_across, b_across, registers, bf16]: [bool; 4],
    slice: i32,
    fault: i32,
) -> Option<()> {
    let name = format!("product<{bf16}, {n}, {a_across}, {b_across}, {registers}>");
    let kernel = Kernel::new(include_str!("hopper.cu"), &name, &[]);
    let stream = &kernel.stream;
    let a = |row: usize, k: usize| number(row, k, 1);
    let b = |k: usize, column: usize| number(k, column, 2);
    // As the product wants them, and A once more row by row for the registers.
    let plain = matrix(stream, [64, 64], |row, k| half(a(row, k), bf16));
    let left = matrix(stream, [64, 64], |row, k| {
        half(if a_across { a(k, row) } else { a(row, k) }, bf16)
    });
    let right = match b_across {
        true => matrix(stream, [64, n], |k, column| half(b(k, column), bf16)),
        false => matrix(stream, [n, 64], |column, k| half(b(k, column), bf16)),
    };
    let a_map = halves(kernel.address(&left), [64, 64], [64, 64]);
    let b_map = match b_across {
        true => halves(kernel.address(&right), [n, 64], [64, 64]),
        false => halves(kernel.address(&right), [64, n], [64, n as u32]),
    };
    let to = stream.alloc_zeros::<f32>(64 * n).unwrap();
    let (to_at, a_at) = (kernel.address(&to), kernel.address(&plain));
    let first = if slice == 0 { 0.0f32 } else { 3.0 };
    let shared = 8192 + 128 * n as u32 + 1024;
    let mut arguments = [
        argument(&to_at),
        argument(&a_at),
        argument(&a_map),
        argument(&b_map),
        argument(&slice),
        argument(&first),
        argument(&fault),
    ];
    kernel.launch([1, 1, 128, shared], &mut arguments).ok()?;
    let to = stream.clone_dtoh(&to).unwrap();
    // "Register fragments for the matrix D": sums 4 j and 4 j + 1 of thread t are of row 16 (t / 32) + t % 32 / 4 and
    // columns 8 j + 2 (t % 4) and the next, the other two 8 rows below.
    for thread in 0..128 {
        for i in 0..n / 2 {
            let row = 16 * (thread / 32) + thread % 32 / 4 + i % 4 / 2 * 8;
            let column = i / 4 * 8 + 2 * (thread % 4) + i % 2;
            let products = (0..16).map(|k| 16 * slice as usize + k);
            let sum: i32 = products.map(|k| a(row, k) * b(k, column)).sum();
            if to[n / 2 * thread + i] != sum as f32 + first {
                return None;
            }
        }
    }
    Some(())
}

#[test]
fn sums_of_a_warpgroup() {
    on("H100", "", || {
        for n in [64, 128, 192, 256] {
            assert_eq!(
                product(n, [false, true, false, false], 0, 0),
                Some(()),
                "{n}"
            );
        }
        // Rows along k and along m or n, the last of four slices, BF16, A in registers.
        for (a_across, b_across) in [(false, false), (true, false), (true, true), (false, true)] {
            for bf16 in [false, true] {
                let said = product(128, [a_across, b_across, false, bf16], 3, 0);
                assert_eq!(said, Some(()), "{a_across} {b_across} {bf16}");
            }
        }
        for (b_across, bf16) in [(false, true), (true, false)] {
            assert_eq!(product(64, [false, b_across, true, bf16], 2, 0), Some(()));
        }
    });
}

#[test]
fn a_fence_that_is_forgotten_fails() {
    on("H100", "", || {
        assert_eq!(product(64, [false, true, false, false], 1, 1), None)
    });
}

#[test]
fn sums_that_are_not_waited_for_are_nothing() {
    on("H100", "", || {
        assert_eq!(product(64, [false, true, false, false], 1, 2), None)
    });
}

#[test]
fn what_is_overwritten_too_early_is_not_what_is_multiplied() {
    on("H100", "", || {
        assert_eq!(product(64, [false, true, false, false], 0, 3), None)
    });
}

/// Three clusters of four blocks.
fn neighbours(fault: i32) -> Option<Vec<u32>> {
    let kernel = Kernel::new(include_str!("hopper.cu"), "neighbours", &[]);
    let stream = &kernel.stream;
    let rows = matrix(stream, [12, 32], |row, column| (1000 * row + column) as u32);
    let map = Asked::words(kernel.address(&rows), 32, 12, [32, 1])
        .encode()
        .unwrap();
    let to = stream.alloc_zeros::<u32>(12 * 128).unwrap();
    let address = kernel.address(&to);
    let mut arguments = [argument(&address), argument(&map), argument(&fault)];
    kernel.launch([12, 4, 128, 2048], &mut arguments).ok()?;
    Some(stream.clone_dtoh(&to).unwrap())
}

#[test]
fn blocks_of_a_cluster_write_to_each_other() {
    on("H100", "", || {
        let to = neighbours(0).unwrap();
        for (at, seen) in to.iter().enumerate() {
            let (block, column) = (at / 128, at % 128);
            let row = block / 4 * 4 + column / 32;
            assert_eq!(*seen as usize, 1000 * row + column % 32, "{at}");
        }
    });
}
