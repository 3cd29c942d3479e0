//! Launches that fail, where another config can serve the call.

use crate::learning::Caller;
use bico::cudarc::driver::{CudaContext, CudaStream};
use bico::{Error, Reason};
use bico_gpu_tests as kernels;
use host_driver::control;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn stream() -> Arc<CudaStream> {
    CudaContext::new(0).unwrap().default_stream()
}

/// A call of the tuned kernel.
fn shift(stream: &Arc<CudaStream>, config: Option<&bico::Config>) -> bico::Result<()> {
    let x = stream.clone_htod(&[1.0; 1000]).unwrap();
    let mut y = stream.alloc_zeros::<f32>(1000).unwrap();
    match config {
        None => kernels::shift(stream, &mut y, &x, 1000, 1.0)?,
        Some(config) => kernels::shift_with(config, stream, &mut y, &x, 1000, 1.0)?,
    }
    assert_eq!(stream.clone_dtoh(&y).unwrap(), [2.0; 1000]);
    Ok(())
}

fn code(error: &Error) -> u32 {
    match error {
        Error::Driver(failure) => failure.code,
        error => panic!("{error}"),
    }
}

/// A tuned winner that cannot be launched any more.
pub(crate) fn winner() {
    let stream = stream();
    let winner = kernels::shift_tunable().candidates().nth(1).unwrap();
    shift(&stream, None).unwrap();
    shift(&stream, Some(&winner)).unwrap();
    for fault in ["refuse:1:shift<128", "refuse:801:shift<128"] {
        control(&format!("faults {fault}"));
        // Who asks for it gets its error.
        let error = shift(&stream, Some(&winner)).unwrap_err();
        match fault {
            "refuse:1:shift<128" => assert_eq!(code(&error), 1),
            _ => assert!(
                error.to_string().contains(
                    "TILE=128, KIB=4: it was tried: shift: the launch of TILE=128, KIB=4 (grid"
                ),
                "{error}"
            ),
        }
        shift(&stream, None).unwrap();
    }
    let choice = kernels::shift_tunable()
        .config_on(&stream, &[1000])
        .unwrap();
    assert_ne!(choice.config, winner);
    // The other problem has its own winner still.
    let choice = kernels::shift_tunable()
        .config_on(&stream, &[100_000])
        .unwrap();
    assert_eq!(choice.reason, Reason::Exact);
}

/// Errors of the context: nothing else is tried, and nothing dropped.
pub(crate) fn context() {
    let stream = stream();
    shift(&stream, None).unwrap();
    let before = kernels::shift_tunable()
        .config_on(&stream, &[1000])
        .unwrap();
    for code_of in [700, 702, 719, 999, 201] {
        // Others would be launched.
        control(&format!("faults refuse:{code_of}:shift<128"));
        let error = shift(&stream, None).unwrap_err();
        assert_eq!(code(&error), code_of);
        assert!(error.to_string().contains("TILE=128, KIB=4"), "{error}");
    }
    control("faults ");
    shift(&stream, None).unwrap();
    let after = kernels::shift_tunable()
        .config_on(&stream, &[1000])
        .unwrap();
    assert_eq!(before, after);
}

/// What fails whichever config runs is none's fault.
pub(crate) fn all() {
    let stream = stream();
    let mut caller = Caller::new(&stream, 1000);
    caller.call();
    shift(&stream, None).unwrap();
    for code_of in [701, 1, 2, 400] {
        control(&format!(
            "faults refuse:{code_of}:shift;refuse:{code_of}:pick"
        ));
        for _ in 0..3 {
            let error = shift(&stream, None).unwrap_err();
            assert_eq!(code(&error), code_of);
            // The first, which is the one that would serve.
            assert!(error.to_string().contains("TILE=128, KIB=4"), "{error}");
            assert_eq!(code(&caller.fails()), code_of);
        }
        control("faults ");
        shift(&stream, None).unwrap();
        caller.call();
        caller.served();
    }
    let choice = kernels::shift_tunable()
        .config_on(&stream, &[1000])
        .unwrap();
    assert_eq!(choice.reason, Reason::Exact);
}

/// Some learn to need longer buffers, or more memory, than there is: never at the cost of a call.
pub(crate) fn room() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    // The config of four copies would be the fastest.
    control("times pick<0=3;pick<1=2;pick<2=1");
    for (n, copies, expected) in [(1000u32, 4, 2), (10_000, 2, 1), (100_000, 1, 0)] {
        let x = vec![1.0f32; n as usize * copies];
        let x = stream.clone_htod(&x).unwrap();
        let mut y = stream.alloc_zeros::<f32>(n as usize).unwrap();
        let mut who = stream.alloc_zeros::<i32>(1).unwrap();
        for _ in 0..200 {
            kernels::roomy(&stream, &mut y, &mut who, &x, n).unwrap();
        }
        let results = stream.clone_dtoh(&y).unwrap();
        assert!(results.iter().all(|&y| y == 3.0));
        assert_eq!(stream.clone_dtoh(&who).unwrap(), [expected], "{n}");
        // Other buffers at the same size, after it is settled.
        let short = stream.clone_htod(&vec![1.0f32; n as usize]).unwrap();
        for _ in 0..20 {
            kernels::roomy(&stream, &mut y, &mut who, &short, n).unwrap();
            assert!(stream.clone_dtoh(&y).unwrap().iter().all(|&y| y == 3.0));
            stream.memset_zeros(&mut y).unwrap();
        }
        // Too short for all of them: the error is what it always was.
        let x = stream.alloc_zeros::<f32>(n as usize - 1).unwrap();
        let error = kernels::roomy(&stream, &mut y, &mut who, &x, n).unwrap_err();
        assert!(matches!(error, Error::BufferTooShort { .. }), "{error}");
    }
}

/// There is no memory for what the fastest needs.
pub(crate) fn memory() {
    let stream = stream();
    control("times pick<0=3;pick<1=2;pick<2=1");
    let n = 100_000u32;
    let x = stream.clone_htod(&vec![1.0f32; n as usize * 4]).unwrap();
    let mut y = stream.alloc_zeros::<f32>(n as usize).unwrap();
    let mut who = stream.alloc_zeros::<i32>(1).unwrap();
    for _ in 0..200 {
        kernels::roomy(&stream, &mut y, &mut who, &x, n).unwrap();
    }
    assert_eq!(stream.clone_dtoh(&who).unwrap(), [1]);
    assert_eq!(stream.clone_dtoh(&y).unwrap(), vec![3.0; n as usize]);
}

/// Configs begin to fail one after another while four threads call, at last all of them for a while.
pub(crate) fn together() {
    let context = CudaContext::new(0).unwrap();
    let streams = [context.new_stream().unwrap(), context.new_stream().unwrap()];
    control("times pick<0=6;pick<1=5;pick<2=4;pick<3=3;pick<4=2;pick<5=1");
    let dead = |from: usize| -> String {
        let faults = (from..6).map(|id| format!("refuse:701:pick<{id}"));
        format!("faults {}", faults.collect::<Vec<_>>().join(";"))
    };
    let stage = AtomicUsize::new(6);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (stage, streams, dead) = (&stage, &streams, &dead);
            scope.spawn(move || {
                let mut caller = Caller::new(&streams[thread % 2], 1000);
                for round in 0..600 {
                    if thread == 0 && round % 100 == 50 {
                        let from = 5 - round / 100;
                        control(&dead(from.max(1)));
                        stage.store(from.max(1), Ordering::SeqCst);
                    }
                    let before = stage.load(Ordering::SeqCst);
                    caller.call();
                    if round % 7 == 0 {
                        let served = caller.served() as usize;
                        assert!(served < before, "{served} {before}");
                    }
                }
            });
        }
    });
    control(&dead(0));
    let mut callers = [0, 1].map(|i| Caller::new(&streams[i], 1000));
    std::thread::scope(|scope| {
        for caller in &mut callers {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(code(&caller.fails()), 701);
                }
            });
        }
    });
    control("faults ");
    for caller in &mut callers {
        caller.call();
        caller.served();
    }
}
