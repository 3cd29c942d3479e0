//! `ldmatrix`, `mma` and `cp.async` against what PTX ISA says of them, in numbers that were computed here: through
//! the headers that kernels include.

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, PushKernelArg, sys::CUresult};
use std::sync::Arc;

use crate::child::on;
use crate::kernels::{line, load};
use crate::nvrtc::compile;

const HEADERS: [(&str, &str); 2] = [
    (
        "async_copy.cuh",
        include_str!("../../../../kernels/kernels/async_copy.cuh"),
    ),
    (
        "tensor_core.cuh",
        include_str!("../../../../kernels/kernels/tensor_core.cuh"),
    ),
];

/// What stands where a copy is under way.
const NOTHING: u32 = u32::MAX;

/// A kernel by its name, for the first GPU.
fn kernel(name: &str) -> (Arc<CudaStream>, CudaFunction) {
    let context = CudaContext::new(0).unwrap();
    let (major, minor) = context.compute_capability().unwrap();
    let architecture = format!("-arch=sm_{major}{minor}");
    let source = include_str!("instructions.cu");
    let compiled = compile(source, &HEADERS, &[&architecture], &[name]).good();
    let module = load(&context, compiled.cubin);
    let function = module.load_function(&compiled.lowered[0]).unwrap();
    (context.default_stream(), function)
}

/// Runs a kernel of two buffers; what it wrote.
fn run(name: &str, threads: u32, blocks: u32, len: usize, from: &[u32]) -> Vec<u32> {
    let (stream, function) = kernel(name);
    let mut to = stream.clone_htod(&vec![0u32; len]).unwrap();
    let from = stream.clone_htod(from).unwrap();
    let mut launch = stream.launch_builder(&function);
    launch.arg(&mut to).arg(&from);
    // SAFETY: the kernel writes `len` words and reads what it is given.
    unsafe { launch.launch(line(blocks, threads)) }.unwrap();
    stream.clone_dtoh(&to).unwrap()
}

/// "Each thread receives a fragment of a row": thread 4 r + c has elements 2 c and 2 c + 1 of row r; of
/// columns if transposed. Lanes 8 i to 8 i + 7 name the rows of matrix i, in any place.
fn matrices(transposed: bool) {
    let (stream, function) = kernel("load");
    let elements: Vec<u16> = (0..256).map(|i| 1000 + i).collect();
    let places: Vec<u32> = (0..32).map(|lane| (lane * 13 + 5) % 32).collect();
    let mut to = stream.alloc_zeros::<u32>(128).unwrap();
    let from = stream.clone_htod(&elements).unwrap();
    let rows = stream.clone_htod(&places).unwrap();
    let mut launch = stream.launch_builder(&function);
    let flag = i32::from(transposed);
    launch.arg(&mut to).arg(&from).arg(&rows).arg(&flag);
    // SAFETY: 128 words for 32 lanes.
    unsafe { launch.launch(line(1, 32)) }.unwrap();
    let to = stream.clone_dtoh(&to).unwrap();
    let element = |matrix: usize, row: usize, column: usize| {
        u32::from(elements[8 * places[8 * matrix + row] as usize + column])
    };
    for thread in 0..32 {
        for matrix in 0..4 {
            let (group, member) = (thread / 4, thread % 4);
            let [low, high] = [2 * member, 2 * member + 1].map(|i| match transposed {
                true => element(matrix, i, group),
                false => element(matrix, group, i),
            });
            let got = to[4 * thread + matrix];
            assert_eq!(got, low | high << 16, "thread {thread}, matrix {matrix}");
        }
    }
    // One of them by hand: thread 6 is in row 1, columns 4 and 5; matrix 2 has its row 1 in place
    // (17 * 13 + 5) % 32 = 2, and its rows 4 and 5 in places (20 * 13 + 5) % 32 = 9 and 22.
    let by_hand = match transposed {
        true => (1000 + 9 * 8 + 1) | (1000 + 22 * 8 + 1) << 16,
        false => (1000 + 2 * 8 + 4) | (1000 + 2 * 8 + 5) << 16,
    };
    assert_eq!(to[4 * 6 + 2], by_hand);
}

#[test]
fn matrices_by_rows() {
    on("RTX 2080 Ti", "", || matrices(false));
}

#[test]
fn matrices_transposed() {
    on("H100", "", || matrices(true));
}

/// Bits of a small whole number as FP16.
fn half(value: i32) -> u32 {
    if value == 0 {
        return 0;
    }
    let exponent = value.unsigned_abs().ilog2();
    let fraction = (value.unsigned_abs() << (10 - exponent)) & 0x3ff;
    u32::from(value < 0) << 15 | (exponent + 15) << 10 | fraction
}

/// The layouts of m16n8k16's registers, as PTX ISA gives them for each thread and element i.
#[test]
fn products() {
    for (number, of) in [
        (0, 0),
        (1, 0x3c00),
        (-1, 0xbc00),
        (5, 0x4500),
        (1023, 0x63fe),
    ] {
        assert_eq!(half(number), of);
    }
    on("A100", "", || {
        let a = |row: usize, column: usize| (row * 7 + column * 3) as i32 % 23 - 11;
        let b = |row: usize, column: usize| (row * 5 + column * 11) as i32 % 19 - 9;
        // Two warps: the second has the same A and twice the B.
        let (mut left, mut right, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        let place = |thread: usize, i: usize| {
            let row = thread / 4 + if i < 2 { 0 } else { 8 };
            (row, thread % 4 * 2 + (i & 1))
        };
        for warp in 0..2i32 {
            for thread in 0..32 {
                let (group, member) = (thread / 4, thread % 4);
                let pair =
                    |of: &dyn Fn(usize) -> i32, i: usize| half(of(i)) | half(of(i + 1)) << 16;
                let in_a = |i: usize| {
                    let row = if i < 2 || (4..6).contains(&i) {
                        group
                    } else {
                        group + 8
                    };
                    let column = member * 2 + (i & 1) + if i >= 4 { 8 } else { 0 };
                    a(row, column)
                };
                let in_b = |i: usize| {
                    let row = member * 2 + (i & 1) + if i >= 2 { 8 } else { 0 };
                    (1 + warp) * b(row, group)
                };
                left.extend([0, 2, 4, 6].map(|i| pair(&in_a, i)));
                right.extend([0, 2].map(|i| pair(&in_b, i)));
                sums.extend((0..4).map(|i| place(thread, i).0 as f32 * 0.5));
            }
        }
        let (stream, function) = kernel("multiply");
        let mut d = stream.clone_htod(&sums).unwrap();
        let (left, right) = (
            stream.clone_htod(&left).unwrap(),
            stream.clone_htod(&right).unwrap(),
        );
        let mut launch = stream.launch_builder(&function);
        launch.arg(&mut d).arg(&left).arg(&right);
        // SAFETY: 64 threads have 256, 256 and 128 elements.
        unsafe { launch.launch(line(1, 64)) }.unwrap();
        let d = stream.clone_dtoh(&d).unwrap();
        for thread in 0..64 {
            for i in 0..4 {
                let (row, column) = place(thread % 32, i);
                let product: i32 = (0..16).map(|p| a(row, p) * b(p, column)).sum();
                let expected = (product << (thread / 32)) as f32 + row as f32 * 0.5;
                assert_eq!(d[4 * thread + i], expected, "thread {thread}, element {i}");
            }
        }
        // Row 0 and column 0 by hand: the sum over p of (3 p % 23 - 11) (5 p % 19 - 9).
        assert_eq!(d[0], 356.0);
    });
}

/// What stands in shared memory: a copy's words, and sevens where nothing was copied.
fn words(copied: &[u32]) -> impl Iterator<Item = u32> {
    copied.iter().copied().chain([7; 4]).take(4)
}

fn copies(bytes: usize, at_once: bool) {
    let from: Vec<u32> = (100..108).collect();
    let length = bytes / 4;
    let (first, second) = (&from[..length], &from[length..2 * length]);
    let (zeros, under_way) = (&[0; 4][..length], &[NOTHING; 4][..length]);
    let expected = match at_once {
        true => [
            (first, &[][..]),
            (first, &[]),
            (first, zeros),
            (first, zeros),
            (first, zeros),
            (second, zeros),
        ],
        false => [
            (under_way, &[][..]),
            (under_way, &[]),
            (under_way, under_way),
            (first, under_way),
            (first, zeros),
            (second, zeros),
        ],
    };
    let seen = run(&format!("copy<{bytes}>"), 1, 1, 48, &from);
    for (step, (low, high)) in expected.into_iter().enumerate() {
        let expected: Vec<u32> = words(low).chain(words(high)).collect();
        assert_eq!(
            seen[8 * step..][..8],
            expected,
            "{bytes} bytes, step {step}"
        );
    }
}

#[test]
fn copies_arrive_when_waited_for() {
    on("A100", "", || {
        for bytes in [4, 8, 16] {
            copies(bytes, false);
        }
    });
}

#[test]
fn older_gpus_copy_at_once() {
    on("RTX 2080 Ti", "", || {
        for bytes in [4, 8, 16] {
            copies(bytes, true);
        }
    });
}

#[test]
fn waiting_is_for_ones_own_copies() {
    on("H100", "", || {
        assert_eq!(run("others", 2, 1, 2, &[11, 12, 13, 14]), [NOTHING, 11]);
        assert_eq!(run("forgotten", 1, 2, 2, &[11, 12, 13, 14]), [NOTHING, 7]);
    });
}

/// What host.h's functions keep for themselves counts for nobody.
#[test]
fn shared_memory_is_what_a_kernel_declares() {
    on("A100", "", || {
        for (name, bytes) in [("copy<16>", 32), ("load", 512), ("multiply", 0)] {
            let (_, function) = kernel(name);
            assert_eq!(function.shared_size_bytes().unwrap(), bytes, "{name}");
        }
    });
}

/// Runs a kernel that breaks its GPU.
fn fault(gpu: &'static str, name: &'static str, threads: u32, from: bool) {
    on(gpu, "", move || {
        let (stream, function) = kernel(name);
        let mut to = stream.alloc_zeros::<u32>(32).unwrap();
        let bytes = stream.alloc_zeros::<u8>(64).unwrap();
        let mut launch = stream.launch_builder(&function);
        launch.arg(&mut to);
        if from {
            launch.arg(&bytes);
        }
        // SAFETY: what it does wrong is caught.
        unsafe { launch.launch(line(1, threads)) }.unwrap();
        let error = stream.synchronize().unwrap_err().0;
        assert_eq!(error, CUresult::CUDA_ERROR_MISALIGNED_ADDRESS);
    });
}

#[test]
fn copy_from_an_address_that_is_not_aligned() {
    fault("A100", "crooked<16, 8, 0>", 1, true);
}

#[test]
fn copy_to_an_address_that_is_not_aligned() {
    fault("A100", "crooked<8, 0, 4>", 1, true);
}

#[test]
fn copy_at_once_from_an_address_that_is_not_aligned() {
    fault("RTX 2080 Ti", "crooked<16, 4, 0>", 1, true);
}

#[test]
fn aligned_copies_are_no_fault() {
    on("A100", "", || {
        assert_eq!(run("crooked<8, 8, 24>", 1, 1, 1, &[0, 0, 0x2a, 0]), [0x2a]);
        assert_eq!(run("crooked<4, 12, 4>", 1, 1, 1, &[0, 0, 0, 0x2b]), [0x2b]);
    });
}

#[test]
fn a_row_that_is_not_aligned() {
    fault("A100", "crooked_rows", 32, false);
}
