//! Several streams, threads, contexts and GPUs at once.

use bico::Error;
use bico::cudarc::driver::CudaContext;
use bico_gpu_tests as kernels;
use std::sync::{Arc, Barrier};

fn gpus() -> usize {
    bico_device::cuda::count().unwrap()
}

/// What one stream writes, another one reads: cudarc's own tracking keeps the order.
pub(crate) fn streams() {
    let context = CudaContext::new(0).unwrap();
    let (one, two) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let n = 100_000u32;
    let mut a = one.alloc_zeros::<f32>(n as usize).unwrap();
    let mut b = two.alloc_zeros::<f32>(n as usize).unwrap();
    for _ in 0..50 {
        kernels::shift(&one, &mut b, &a, n, 1.0).unwrap();
        kernels::shift(&two, &mut a, &b, n, 1.0).unwrap();
    }
    assert!(two.clone_dtoh(&a).unwrap().iter().all(|&x| x == 100.0));
    // A context of its own, beside the first one of the same GPU.
    let other = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut c = other.alloc_zeros::<f32>(n as usize).unwrap();
    kernels::shift(&other, &mut c, &a, n, 1.0).unwrap();
    assert!(other.clone_dtoh(&c).unwrap().iter().all(|&x| x == 101.0));
}

/// Eight threads, two streams on each GPU: all begin at once, so that they also load at once.
pub(crate) fn threads() {
    let contexts: Vec<_> = (0..gpus()).map(|i| CudaContext::new(i).unwrap()).collect();
    let streams: Vec<_> = contexts
        .iter()
        .flat_map(|context| [context.new_stream().unwrap(), context.default_stream()])
        .collect();
    let begin = Arc::new(Barrier::new(8));
    std::thread::scope(|scope| {
        for thread in 0..8usize {
            let (begin, streams) = (begin.clone(), &streams);
            scope.spawn(move || {
                begin.wait();
                for round in 0..20u32 {
                    let stream = &streams[(thread + round as usize) % streams.len()];
                    let n = [1000, 100_000, 77][round as usize % 3];
                    let x = stream.clone_htod(&vec![thread as f32; n as usize]).unwrap();
                    let mut y = stream.alloc_zeros::<f32>(n as usize).unwrap();
                    kernels::shift(stream, &mut y, &x, n, round as f32).unwrap();
                    let expected = thread as f32 + round as f32;
                    assert!(
                        stream
                            .clone_dtoh(&y)
                            .unwrap()
                            .iter()
                            .all(|&y| y == expected)
                    );

                    let x = stream.clone_htod(&vec![thread as i32; 100]).unwrap();
                    let mut y = stream.alloc_zeros::<i32>(100).unwrap();
                    kernels::squares(stream, &mut y, &x.as_view(), 100).unwrap();
                    let expected = (thread * thread) as i32;
                    assert!(
                        stream
                            .clone_dtoh(&y)
                            .unwrap()
                            .iter()
                            .all(|&y| y == expected)
                    );
                }
            });
        }
    });
    // Each GPU has answered for itself.
    for context in &contexts {
        let choice = kernels::shift_tunable()
            .config_on(context, &[1000])
            .unwrap();
        assert!(choice.device.contains(&context.name().unwrap()), "{choice}");
    }
}

pub(crate) fn elsewhere() {
    let (first, second) = (CudaContext::new(0).unwrap(), CudaContext::new(1).unwrap());
    let (first, second) = (first.default_stream(), second.default_stream());
    let x = first.alloc_zeros::<f32>(10).unwrap();
    let mut y = second.alloc_zeros::<f32>(10).unwrap();
    let error = kernels::shift(&second, &mut y, &x, 10, 1.0).unwrap_err();
    assert!(matches!(
        error,
        Error::OtherDevice {
            argument: "x",
            buffer: 0,
            stream: 1,
            ..
        }
    ));
    assert_eq!(
        error.to_string(),
        "shift: `x` lies on GPU 0, the stream belongs to GPU 1"
    );
    let choice = |on| {
        kernels::shift_tunable()
            .config_on(on, &[1000])
            .unwrap()
            .device
    };
    assert_ne!(choice(&first), choice(&second));
}
