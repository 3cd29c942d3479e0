//! Tensor maps and what is copied by them, through the header that kernels include.

use cudarc::driver::sys::{
    CUtensorMap, CUtensorMapDataType as Type, CUtensorMapFloatOOBfill as Fill,
    CUtensorMapInterleave as Interleave, CUtensorMapL2promotion as Promotion,
    CUtensorMapSwizzle as Swizzle, cuTensorMapEncodeTiled,
};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DeviceRepr, DriverError, PushKernelArg,
};
use std::mem::MaybeUninit;
use std::sync::Arc;

use crate::child::on;
use crate::kernels::{line, load};
use crate::nvrtc::compile;

const HEADERS: [(&str, &str); 1] = [(
    "tensor_copy.cuh",
    include_str!("../../../../kernels/kernels/tensor_copy.cuh"),
)];

/// What stands where a box is under way.
const NOTHING: u32 = u32::MAX;

/// A kernel reads it.
#[derive(Clone, Copy)]
#[expect(dead_code)]
pub(crate) struct Map(CUtensorMap);

// SAFETY: a kernel's parameter, of plain words.
unsafe impl DeviceRepr for Map {}

/// What is asked of `cuTensorMapEncodeTiled`.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) kind: Type,
    pub(crate) address: u64,
    pub(crate) dims: Vec<u64>,
    pub(crate) strides: Vec<u64>,
    pub(crate) tile: Vec<u32>,
    pub(crate) steps: Vec<u32>,
    pub(crate) swizzle: Swizzle,
    pub(crate) fill: Fill,
}

impl Asked {
    /// A matrix of words, row by row.
    pub(crate) fn words(address: u64, width: u64, height: u64, tile: [u32; 2]) -> Asked {
        Asked {
            kind: Type::CU_TENSOR_MAP_DATA_TYPE_UINT32,
            address,
            dims: vec![width, height],
            strides: vec![4 * width],
            tile: tile.to_vec(),
            steps: vec![1; 2],
            swizzle: Swizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
            fill: Fill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        }
    }

    pub(crate) fn encode(&self) -> Result<Map, DriverError> {
        let mut map = MaybeUninit::<CUtensorMap>::uninit();
        // SAFETY: the lists are as long as the rank says.
        let said = unsafe {
            cuTensorMapEncodeTiled(
                map.as_mut_ptr(),
                self.kind,
                self.dims.len() as u32,
                self.address as *mut _,
                self.dims.as_ptr(),
                self.strides.as_ptr(),
                self.tile.as_ptr(),
                self.steps.as_ptr(),
                Interleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                self.swizzle,
                Promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                self.fill,
            )
        };
        // SAFETY: the driver wrote it.
        said.result().map(|()| Map(unsafe { map.assume_init() }))
    }
}

fn kernel(name: &str) -> (Arc<CudaStream>, CudaFunction) {
    let context = CudaContext::new(0).unwrap();
    let source = include_str!("tensors.cu");
    let compiled = compile(source, &HEADERS, &["-arch=sm_90"], &[name]).good();
    let module = load(&context, compiled.cubin);
    let function = module.load_function(&compiled.lowered[0]).unwrap();
    (context.default_stream(), function)
}

/// A matrix of numbers from 1000 on, and where it lies.
fn matrix(stream: &Arc<CudaStream>, width: u32, height: u32) -> (CudaSlice<u32>, u64) {
    let numbers: Vec<u32> = (0..width * height).map(|i| 1000 + i).collect();
    let on_gpu = stream.clone_htod(&numbers).unwrap();
    let address = address(stream, &on_gpu);
    (on_gpu, address)
}

fn address(stream: &Arc<CudaStream>, of: &CudaSlice<u32>) -> u64 {
    use cudarc::driver::DevicePtr;
    of.device_ptr(stream).0
}

/// A box of a matrix of 64 x 20 words, as it lies in shared memory.
fn lies(asked: impl FnOnce(Asked) -> Asked, tile: [u32; 2], at: [i32; 2], fault: i32) -> Vec<u32> {
    let (stream, function) = kernel("box");
    let (_matrix, address) = matrix(&stream, 64, 20);
    let map = asked(Asked::words(address, 64, 20, tile)).encode().unwrap();
    let mut to = stream.alloc_zeros::<u32>(1024).unwrap();
    let words = (tile[0] * tile[1]) as i32;
    let mut launch = stream.launch_builder(&function);
    launch.arg(&mut to).arg(&map);
    launch.arg(&at[0]).arg(&at[1]).arg(&words).arg(&fault);
    // SAFETY: the kernel writes 1024 words.
    unsafe { launch.launch(line(1, 64)) }.unwrap();
    stream.clone_dtoh(&to).unwrap()
}

#[test]
fn a_box_is_there_when_it_was_waited_for() {
    on("H100", "", || {
        let seen = lies(|asked| asked, [8, 4], [16, 3], 0);
        for (at, word) in seen.iter().enumerate() {
            let expected = match at < 32 {
                true => 1000 + 64 * (3 + at as u32 / 8) + 16 + at as u32 % 8,
                false => 7,
            };
            assert_eq!(*word, expected, "{at}");
        }
    });
}

#[test]
fn a_wait_that_is_forgotten_reads_nans() {
    on("H100", "", || {
        let seen = lies(|asked| asked, [8, 4], [16, 3], 1);
        assert_eq!((seen[0], seen[31], seen[32]), (NOTHING, NOTHING, 7));
    });
}

/// The phase before the first one counts as over: who waits for it waits for nothing.
#[test]
fn a_wrong_phase_reads_nans() {
    on("H100", "", || {
        let seen = lies(|asked| asked, [8, 4], [16, 3], 2);
        assert!(seen.contains(&NOTHING));
    });
}

#[test]
fn what_lies_outside_is_zero_or_nan() {
    on("H100", "", || {
        // Two columns before the first one, and the last row with one behind it.
        let seen = lies(|asked| asked, [4, 2], [-2, 19], 0);
        assert_eq!(seen[..9], [0, 0, 2216, 2217, 0, 0, 0, 0, 7]);
        let nan = |asked| Asked {
            kind: Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            fill: Fill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
            ..asked
        };
        let seen = lies(nan, [4, 2], [62, 0], 0);
        assert_eq!(seen[..4], [1062, 1063, NOTHING, NOTHING]);
    });
}

/// CUDA C++ Programming Guide, "The swizzle modes": piece `c` of row `r` of the pattern lies where piece `c ^ r` would; with
/// 64 bytes `c ^ r / 2`, with 32 `c ^ r / 4`, of rows of that width. CUTLASS says so as Swizzle<3, 4, 3>, <2, 4, 3>, <1, 4, 3>.
#[test]
fn pieces_change_places() {
    on("H100", "", || {
        for (swizzle, width, shift) in [
            (Swizzle::CU_TENSOR_MAP_SWIZZLE_128B, 32, 0),
            (Swizzle::CU_TENSOR_MAP_SWIZZLE_64B, 16, 1),
            (Swizzle::CU_TENSOR_MAP_SWIZZLE_32B, 8, 2),
        ] {
            let swizzled = |asked| Asked { swizzle, ..asked };
            let seen = lies(swizzled, [width, 16], [0, 0], 0);
            for row in 0..16 {
                for column in 0..width {
                    let piece = (column / 4) ^ ((row >> shift) % (width / 4));
                    let at = row * width + piece * 4 + column % 4;
                    let expected = 1000 + 64 * row + column;
                    assert_eq!(seen[at as usize], expected, "{swizzle:?} {row} {column}");
                }
            }
        }
    });
}

#[test]
fn a_ring_of_stages() {
    on("H100", "", || {
        let (stream, function) = kernel("ring");
        let (_matrix, address) = matrix(&stream, 32, 6);
        let map = Asked::words(address, 32, 6, [32, 1]).encode().unwrap();
        let mut to = stream.alloc_zeros::<u32>(32).unwrap();
        let boxes = 6;
        let mut launch = stream.launch_builder(&function);
        launch.arg(&mut to).arg(&map).arg(&boxes);
        // SAFETY: 32 threads write a word each.
        unsafe { launch.launch(line(1, 64)) }.unwrap();
        let sums = stream.clone_dtoh(&to).unwrap();
        for (at, sum) in sums.iter().enumerate() {
            let rows = 0..6;
            let expected: u32 = rows.map(|row| 1000 + 32 * row + at as u32).sum();
            assert_eq!(*sum, expected, "{at}");
        }
    });
}

/// A box that is written to the matrix, whose words are 5 each.
fn stored(at: [i32; 2], fault: i32) -> Vec<u32> {
    let (stream, function) = kernel("store");
    let matrix = stream.clone_htod(&vec![5_u32; 16 * 8]).unwrap();
    let map = Asked::words(address(&stream, &matrix), 16, 8, [4, 2]);
    let map = map.encode().unwrap();
    let mut launch = stream.launch_builder(&function);
    launch.arg(&map).arg(&at[0]).arg(&at[1]).arg(&fault);
    // SAFETY: the box is written where it lies in the matrix.
    unsafe { launch.launch(line(1, 32)) }.unwrap();
    stream.clone_dtoh(&matrix).unwrap()
}

#[test]
fn boxes_are_written() {
    on("H100", "", || {
        let seen = stored([8, 3], 0);
        assert_eq!(seen[3 * 16 + 7..3 * 16 + 13], [5, 0, 1, 2, 3, 5]);
        assert_eq!(seen[4 * 16 + 7..4 * 16 + 13], [5, 4, 5, 6, 7, 5]);
        // What lies outside of the matrix is left out.
        let seen = stored([14, 7], 0);
        assert_eq!(seen[7 * 16 + 13..], [5, 0, 1]);
        assert!(seen[..7 * 16 + 14].iter().all(|word| *word == 5));
    });
}

#[test]
fn a_box_that_is_overwritten_too_early_or_never_waited_for() {
    on("H100", "", || {
        assert_eq!(stored([8, 3], 3)[3 * 16 + 8], 99);
        assert!(stored([8, 3], 4).iter().all(|word| *word == 5));
    });
}

#[test]
fn rules_of_tensor_maps() {
    on("H100", "", || {
        let good = Asked::words(0x1000, 64, 20, [8, 4]);
        assert!(good.encode().is_ok());
        let bad: [&dyn Fn(&mut Asked); 10] = [
            &|of| of.address += 8,
            &|of| of.dims[1] = 0,
            &|of| of.dims[0] = (1 << 32) + 1,
            &|of| of.strides[0] = 200,
            &|of| of.strides[0] = 1 << 40,
            &|of| of.tile[1] = 257,
            &|of| of.tile[0] = 3,
            &|of| of.steps[0] = 0,
            &|of| of.swizzle = Swizzle::CU_TENSOR_MAP_SWIZZLE_32B,
            &|of| of.fill = Fill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
        ];
        for (at, change) in bad.iter().enumerate() {
            let mut asked = good.clone();
            // 64 bytes, which a swizzle of 32 does not take.
            asked.tile[0] = 16;
            change(&mut asked);
            assert!(asked.encode().is_err(), "{at}");
        }
    });
}
