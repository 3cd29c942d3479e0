//! What blocks and threads do at the same time.

use cudarc::driver::{CudaContext, PushKernelArg};

use crate::child::on;
use crate::kernels::{line, load};
use crate::nvrtc::compile;

const SOURCE: &str = include_str!("together.cu");

/// Runs a kernel with buffers of numbers, and gives back what they hold then.
fn run<const N: usize>(
    name: &str,
    blocks: u32,
    launches: u32,
    buffers: [Vec<u32>; N],
) -> [Vec<u32>; N] {
    run_by(name, (blocks, 64), launches, buffers)
}

/// As `run`, with blocks of so many threads.
fn run_by<const N: usize>(
    name: &str,
    (blocks, threads): (u32, u32),
    launches: u32,
    buffers: [Vec<u32>; N],
) -> [Vec<u32>; N] {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let cubin = compile(SOURCE, &[], &["-arch=sm_80"], &[]).good().cubin;
    let kernel = load(&context, cubin).load_function(name).unwrap();
    let mut buffers = buffers.map(|buffer| stream.clone_htod(&buffer).unwrap());
    for _ in 0..launches {
        let mut launch = stream.launch_builder(&kernel);
        for buffer in &mut buffers {
            launch.arg(buffer);
        }
        // SAFETY: buffers have an element for each block, or thread.
        unsafe { launch.launch(line(blocks, threads)) }.unwrap();
    }
    buffers.map(|buffer| stream.clone_dtoh(&buffer).unwrap())
}

#[test]
fn a_lock_lets_nobody_in_twice() {
    on("A100", "", || {
        let [y, lock] = run("in_turns", 200, 3, [vec![0], vec![0]]);
        assert_eq!((f32::from_bits(y[0]), lock[0]), (600.0, 0));
    });
}

/// A kernel that sums more warps than it has must not find zeros there, in no block and no launch.
#[test]
fn sums_of_warps_that_are_not_there() {
    on("A100", "", || {
        let [y] = run("too_many_sums", 6, 3, [vec![0; 6]]);
        let nan = y.iter().filter(|bits| f32::from_bits(**bits).is_nan());
        assert_eq!(nan.count(), 6, "{y:?}");
    });
}

/// Undefined on a GPU: whoever adds up more lanes than a block has must not find zeros.
#[test]
fn lanes_that_are_not_there() {
    on("A100", "", || {
        let [y] = run_by("absent_lanes", (1, 24), 1, [vec![0; 24]]);
        for (lane, bits) in y.iter().enumerate() {
            let value = f32::from_bits(*bits);
            assert_eq!(value.is_nan(), (8..16).contains(&lane), "{lane}: {value}");
        }
    });
}

#[test]
fn blocks_come_in_an_order_of_their_own_at_each_launch() {
    on("A100", "", || {
        let new = || [vec![9; 12], vec![0], vec![0; 12]];
        let [first, _, held] = run("order", 12, 1, new());
        assert_eq!(held, vec![u32::MAX; 12], "static shared memory is poisoned");
        let mut sorted = first.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..12).collect::<Vec<_>>());
        assert_ne!(first, sorted);
        assert_eq!(
            run("order", 12, 1, new())[0],
            first,
            "the first launch of a kernel"
        );
        let second =
            run("order", 12, 2, new()).map(|all| all.iter().map(|at| at % 12).collect::<Vec<_>>());
        assert_ne!(second[0], first);
    });
}

#[test]
fn static_shared_memory_is_each_blocks_own() {
    on("A100", "", || {
        let [y, _] = run("kept", 100, 1, [vec![0; 100], vec![0]]);
        assert_eq!(y, (0..100).collect::<Vec<_>>());
    });
}
