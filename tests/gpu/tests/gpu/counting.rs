//! The launch path allocates nothing: every allocation of this program is counted, by thread.

use crate::learning::Caller;
use bico::cudarc::driver::CudaContext;
use bico_gpu_tests as kernels;
use host_driver::control;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread that is ending counts no more.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: everything is left to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Allocations of this thread while `run` runs.
fn allocations(run: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    run();
    COUNT.get() - before
}

pub(crate) fn nothing() {
    let context = CudaContext::new(0).unwrap();
    for stream in [context.default_stream(), context.new_stream().unwrap()] {
        let x = stream.alloc_zeros::<f32>(5000).unwrap();
        let mut y = stream.alloc_zeros::<f32>(5000).unwrap();
        let squared = stream.alloc_zeros::<i32>(5000).unwrap();
        let mut squares = stream.alloc_zeros::<i32>(5000).unwrap();
        // At a tuned size and at another one, with a config of one's own, and with scratch memory.
        let config = kernels::shift_tunable().candidates().next().unwrap();
        let mut calls = || {
            kernels::shift(&stream, &mut y, &x, 1000, 1.0).unwrap();
            kernels::shift(&stream, &mut y, &x, 1234, 1.0).unwrap();
            kernels::shift_with(&config, &stream, &mut y, &x, 999, 1.0).unwrap();
            kernels::squares(&stream, &mut squares, &squared.as_view(), 5000).unwrap();
            kernels::squares(&stream, &mut squares, &squared.as_view(), 10).unwrap();
            kernels::clean(&stream, &mut squares, &squared, 10).unwrap();
        };
        assert_ne!(
            allocations(&mut calls),
            0,
            "loading allocates: counting works"
        );
        assert_eq!(allocations(|| (0..100).for_each(|_| calls())), 0);
    }
}

/// Timing allocates nothing either, once there are events.
pub(crate) fn learning() {
    let mut caller = Caller::new(&CudaContext::new(0).unwrap().new_stream().unwrap(), 1000);
    // All alike, so that there is much to ask.
    control("times pick=1,1.1,0.9,1.05");
    control("lag 60");
    // All are loaded, and have their scratch memory.
    for config in kernels::pick_tunable().candidates() {
        caller.call_with(&config);
    }
    (0..100).for_each(|_| caller.call());
    let (mut timed, mut counts) = (0, Vec::new());
    for _ in 0..500 {
        let records = control("count records");
        counts.push(allocations(|| caller.call()));
        timed += control("count records") - records;
    }
    assert!((50..900).contains(&timed), "{timed}");
    assert!(counts.iter().all(|&count| count == 0), "{counts:?}");
}

/// What is settled asks the driver for nothing but the context and the launch.
pub(crate) fn driver() {
    let stream = CudaContext::new(0).unwrap().default_stream();
    let x = stream.alloc_zeros::<f32>(1000).unwrap();
    let mut y = stream.alloc_zeros::<f32>(1000).unwrap();
    let calls = |call: &mut dyn FnMut()| {
        let before = control("count calls");
        (0..100).for_each(|_| call());
        control("count calls") - before
    };
    let mut known = || kernels::shift(&stream, &mut y, &x, 1000, 1.0).unwrap();
    known();
    assert_eq!(calls(&mut known), 200);
    let mut caller = Caller::new(&stream, 1000);
    control("times pick<3=1;pick=2");
    assert_eq!(caller.settle(), 3);
    let records = control("count records");
    let learned = calls(&mut || caller.call());
    // Those that are watched: whether it is captured, two events, what is complete.
    let watched = (control("count records") - records) / 2;
    assert!(
        (200..=200 + 10 * watched).contains(&learned),
        "{learned}, {watched}"
    );
    assert!(watched <= 12, "{watched}");
}
