//! Results of launches, and calls that must not be launched.

use bico::Error;
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use bico_gpu_tests as kernels;
use std::sync::Arc;

fn stream() -> Arc<CudaStream> {
    CudaContext::new(0).unwrap().default_stream()
}

fn iota(n: usize) -> Vec<f32> {
    (0..n).map(|i| i as f32).collect()
}

/// Every config, at awkward sizes.
pub(crate) fn right() {
    let stream = stream();
    let configs: Vec<_> = kernels::shift_tunable().candidates().collect();
    let mut served = 0;
    for n in [1u32, 2, 63, 64, 65, 127, 997, 1000, 4099] {
        let input = iota(n as usize);
        let x = stream.clone_htod(&input).unwrap();
        let expected: Vec<f32> = input.iter().map(|x| x + 0.5).collect();
        for config in [None].into_iter().chain(configs.iter().map(Some)) {
            let mut y = stream.alloc_zeros::<f32>(n as usize + 1).unwrap();
            let called = match config {
                None => kernels::shift(&stream, &mut y, &x, n, 0.5),
                Some(config) => kernels::shift_with(config, &stream, &mut y, &x, n, 0.5),
            };
            match called {
                Ok(()) => served += 1,
                // A GPU need not have 160 KiB.
                Err(Error::NoConfig(_)) if config.is_some() => continue,
                Err(error) => panic!("{error}"),
            }
            let y = stream.clone_dtoh(&y).unwrap();
            assert_eq!(y[..n as usize], expected, "{n} {config:?}");
            assert_eq!(y[n as usize], 0.0);
        }
    }
    assert!(served >= 9 * 4, "{served}");
    // No blocks: nothing to do.
    let (x, mut y) = (
        stream.clone_htod(&[7.0]).unwrap(),
        stream.clone_htod(&[8.0]).unwrap(),
    );
    kernels::shift(&stream, &mut y, &x, 0, 0.5).unwrap();
    assert_eq!(stream.clone_dtoh(&y).unwrap(), [8.0]);
}

pub(crate) fn widths() {
    let stream = stream();
    let mut all = stream.alloc_zeros::<f64>(10).unwrap();
    let mut out = all.slice_mut(2..9);
    kernels::widths(
        &mut out,
        -1,
        65_535,
        i32::MIN,
        i64::MAX >> 12,
        0.25,
        -1e300,
        true,
        &stream,
    )
    .unwrap();
    let all = stream.clone_dtoh(&all).unwrap();
    let d = (i64::MAX >> 12) as f64;
    assert_eq!(
        all,
        [
            0.0,
            0.0,
            -1.0,
            65_535.0,
            i32::MIN.into(),
            d,
            0.25,
            -1e300,
            1.0,
            0.0
        ]
    );
}

pub(crate) fn refused() {
    let stream = stream();
    let x = stream.alloc_zeros::<f32>(10).unwrap();
    let mut y = stream.alloc_zeros::<f32>(11).unwrap();
    let error = kernels::shift(&stream, &mut y, &x, 11, 1.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "shift: `x` is too short: the kernel touches 11 elements, the buffer has 10"
    );
    let mut out = stream.alloc_zeros::<f64>(7).unwrap();
    let mut short = out.slice_mut(1..);
    let error = kernels::widths(&mut short, 1, 2, 3, 4, 5.0, 6.0, true, &stream).unwrap_err();
    assert!(
        matches!(
            error,
            Error::BufferTooShort {
                need: 7,
                have: 6,
                ..
            }
        ),
        "{error}"
    );
    let x = stream.alloc_zeros::<i32>(16).unwrap();
    let mut y = stream.alloc_zeros::<i32>(16).unwrap();
    for (from, wanted) in [(0, None), (4, None), (3, Some(12)), (16, None)] {
        let n = 12.min(16 - from as u32);
        let made = kernels::squares(&stream, &mut y, &x.slice(from..), n);
        match (made, wanted) {
            (Ok(()), None) => {}
            (Err(error @ Error::Misaligned { need: 16, .. }), Some(bytes)) => {
                let text = "squares: `x` begins at address 0x";
                let behind = format!(", {bytes} bytes behind a multiple of 16: ");
                let error = error.to_string();
                assert!(
                    error.starts_with(text) && error.contains(&behind),
                    "{error}"
                );
            }
            (made, _) => panic!("from {from}: {made:?}"),
        }
    }
}

pub(crate) fn scratch() {
    let context = CudaContext::new(0).unwrap();
    let streams = [context.default_stream(), context.new_stream().unwrap()];
    // Growing, shrinking, in turns.
    for n in [10u32, 1000, 1, 5000, 33] {
        for stream in &streams {
            let input: Vec<i32> = (0..n as i32).collect();
            let x = stream.clone_htod(&input).unwrap();
            let mut y = stream.alloc_zeros::<i32>(n as usize).unwrap();
            kernels::squares(stream, &mut y, &x.as_view(), n).unwrap();
            let expected: Vec<i32> = input.iter().map(|x| x * x).collect();
            assert_eq!(stream.clone_dtoh(&y).unwrap(), expected);
        }
    }
    // A stream that its owner has dropped is given back once another one asks.
    let [_, second] = streams;
    let weak = Arc::downgrade(&second);
    drop(second);
    assert!(weak.upgrade().is_some());
    let third = context.new_stream().unwrap();
    let x = third.clone_htod(&[3]).unwrap();
    let mut y = third.alloc_zeros::<i32>(1).unwrap();
    kernels::squares(&third, &mut y, &x.as_view(), 1).unwrap();
    assert_eq!(third.clone_dtoh(&y).unwrap(), [9]);
    assert!(weak.upgrade().is_none());
}

/// Zeroed scratch is zero, whatever other tunables leave in theirs, and a larger one is zeroed anew.
pub(crate) fn zeroed() {
    let context = CudaContext::new(0).unwrap();
    let streams = [context.default_stream(), context.new_stream().unwrap()];
    type Wrapper =
        fn(&Arc<CudaStream>, &mut CudaSlice<i32>, &CudaSlice<i32>, u32) -> bico::Result<()>;
    // How much the results are above the input.
    let above = |wrapper: Wrapper, stream: &Arc<CudaStream>, n: u32| {
        let x = stream.clone_htod(&vec![100; n as usize]).unwrap();
        let mut y = stream.alloc_zeros::<i32>(n as usize).unwrap();
        wrapper(stream, &mut y, &x, n).unwrap();
        let mut above = stream.clone_dtoh(&y).unwrap();
        above.iter_mut().for_each(|y| *y -= 100);
        above.dedup();
        above
    };
    for stream in &streams {
        // Leaves something in the scratch buffers that all tunables share.
        let x = stream.alloc_zeros::<i32>(2000).unwrap();
        let mut y = stream.alloc_zeros::<i32>(2000).unwrap();
        kernels::squares(stream, &mut y, &x.as_view(), 2000).unwrap();

        assert_eq!(above(kernels::dirty, stream, 10), [0]);
        assert_eq!(above(kernels::clean, stream, 20), [0]);
        // A promise that was broken is the own tunable's trouble.
        assert_eq!(above(kernels::dirty, stream, 10), [1]);
        assert_eq!(above(kernels::dirty, stream, 1000), [0]);
        assert_eq!(above(kernels::dirty, stream, 7), [1]);
        for n in [1, 1000, 20, 5000, 33] {
            assert_eq!(above(kernels::clean, stream, n), [0]);
        }
    }
}
