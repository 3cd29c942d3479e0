//! What goes wrong on purpose, and what a kernel does wrong itself.

use std::sync::mpsc;
use std::time::Duration;

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, PushKernelArg, result, sys::CUresult};
use std::sync::Arc;

use crate::child::on;
use crate::kernels::{line, load, plain};
use crate::nvrtc::kernels;

/// Runs a kernel of one buffer of 64 floats (and its length, if `sized`); what came of waiting for it.
fn run(stream: &Arc<CudaStream>, kernel: &CudaFunction, sized: bool) -> Result<(), CUresult> {
    let mut x = stream.alloc_zeros::<f32>(64).map_err(|error| error.0)?;
    let mut launch = stream.launch_builder(kernel);
    launch.arg(&mut x);
    if sized {
        launch.arg(&64i32);
    }
    // SAFETY: what it does wrong is caught.
    unsafe { launch.launch(line(1, 1)) }.map_err(|error| error.0)?;
    stream.synchronize().map_err(|error| error.0)
}

/// Every later call must give the same error, until the process ends.
fn stays(context: &Arc<CudaContext>, error: CUresult) {
    let stream = context.default_stream();
    for _ in 0..2 {
        assert_eq!(stream.synchronize().unwrap_err().0, error);
        // SAFETY: nothing is allocated.
        assert_eq!(unsafe { result::malloc_sync(16) }.unwrap_err().0, error);
        assert_eq!(context.new_stream().unwrap_err().0, error);
        assert_eq!(CudaContext::new(0).unwrap_err().0, error);
    }
}

fn own_fault(name: &'static str, sized: bool, error: CUresult) {
    on("A100,A100", "", move || {
        let (context, other) = (CudaContext::new(0).unwrap(), CudaContext::new(1).unwrap());
        context.bind_to_thread().unwrap();
        let module = plain(&context);
        let kernel = module.load_function(name).unwrap();
        assert_eq!(run(&context.default_stream(), &kernel, sized), Err(error));
        stays(&context, error);
        // The other GPU goes on.
        other.bind_to_thread().unwrap();
        let kernel = plain(&other).load_function(name).unwrap();
        assert_eq!(run(&other.default_stream(), &kernel, sized), Err(error));
    });
}

#[test]
fn beyond_the_end() {
    own_fault("beyond", true, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
}

#[test]
fn a_vector_that_is_not_aligned() {
    own_fault("misaligned", false, CUresult::CUDA_ERROR_MISALIGNED_ADDRESS);
}

#[test]
fn a_number_that_is_not_aligned() {
    own_fault("crooked", false, CUresult::CUDA_ERROR_MISALIGNED_ADDRESS);
}

/// Of two configs of one kernel, only the one that the fault names fails.
fn injected(fault: &'static str, error: CUresult, sticky: bool) {
    on("A100", &format!("{fault}:CHOICE=32"), move || {
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let of = |define: &str| {
            let cubin = kernels(&["-arch=sm_80", define], &[]).good().cubin;
            load(&context, cubin).load_function("scale").unwrap()
        };
        let go = |kernel: &CudaFunction| {
            let mut x = stream.alloc_zeros::<f32>(1).map_err(|error| error.0)?;
            let mut launch = stream.launch_builder(kernel);
            launch.arg(&mut x).arg(&1f32).arg(&1i32);
            // SAFETY: the kernel checks its index.
            unsafe { launch.launch(line(1, 1)) }.map_err(|error| error.0)?;
            stream.synchronize().map_err(|error| error.0)
        };
        let (bad, good) = (of("-DCHOICE=32"), of("-DCHOICE=16"));
        assert_eq!(go(&good), Ok(()));
        assert_eq!(go(&bad), Err(error));
        if sticky {
            stays(&context, error);
        } else {
            assert_eq!(go(&good), Ok(()));
        }
    });
}

#[test]
fn illegal_address() {
    injected(
        "illegal-address",
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
        true,
    );
}

#[test]
fn misaligned() {
    injected("misaligned", CUresult::CUDA_ERROR_MISALIGNED_ADDRESS, true);
}

#[test]
fn launch_timeout() {
    injected("launch-timeout", CUresult::CUDA_ERROR_LAUNCH_TIMEOUT, true);
}

#[test]
fn out_of_resources() {
    let error = CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    injected("out-of-resources", error, false);
}

#[test]
fn a_config_by_its_template_arguments() {
    on("A100", "wrong:tiled<8>", || {
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let compiled = kernels(&["-arch=sm_80"], &["tiled<4>"]).good();
        let other = kernels(&["-arch=sm_80"], &["tiled<8>"]).good();
        for (compiled, tile, wrong) in [(compiled, 4, false), (other, 8, true)] {
            let kernel = load(&context, compiled.cubin)
                .load_function(&compiled.lowered[0])
                .unwrap();
            let mut c = stream.alloc_zeros::<f32>(1).unwrap();
            let one = stream.clone_htod(&[1f32]).unwrap();
            let config = cudarc::driver::LaunchConfig {
                grid_dim: (1, 1, 1),
                block_dim: (tile, tile, 1),
                shared_mem_bytes: 1024,
            };
            let mut launch = stream.launch_builder(&kernel);
            launch
                .arg(&mut c)
                .arg(&one)
                .arg(&one)
                .arg(&1u32)
                .arg(&1u32)
                .arg(&1u32);
            // SAFETY: the kernel stays inside of the sizes that it gets.
            unsafe { launch.launch(config) }.unwrap();
            assert_eq!(stream.clone_dtoh(&c).unwrap() != [1.0], wrong);
        }
    });
}

#[test]
fn hang() {
    on("A100", "hang:scale", || {
        let context = CudaContext::new(0).unwrap();
        let (stream, other) = (context.new_stream().unwrap(), context.new_stream().unwrap());
        let kernel = plain(&context).load_function("scale").unwrap();
        let mut x = stream.alloc_zeros::<f32>(1).unwrap();
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&mut x).arg(&1f32).arg(&1i32);
        // SAFETY: the kernel checks its index.
        unsafe { launch.launch(line(1, 1)) }.unwrap();
        let event = stream.record_event(None).unwrap();
        assert!(!event.is_complete());
        other.synchronize().unwrap();
        let (send, ended) = mpsc::channel();
        std::thread::spawn(move || {
            let _ = send.send(stream.synchronize());
        });
        let waited = ended.recv_timeout(Duration::from_millis(200));
        assert_eq!(waited, Err(mpsc::RecvTimeoutError::Timeout));
        // What is held would be waited for.
        std::process::exit(passed());
    });
}

/// Ends a child whose threads never end, as its harness would.
fn passed() -> i32 {
    println!("test result: ok. 1 passed");
    0
}

#[test]
fn out_of_memory() {
    on("A100", "out-of-memory:1048576", || {
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        assert_eq!(context.mem_get_info().unwrap(), (1 << 20, 2 << 30));
        assert!(stream.alloc_zeros::<u8>(1 << 20).is_ok());
        assert_eq!(
            stream.alloc_zeros::<u8>((1 << 20) + 1).unwrap_err().0,
            CUresult::CUDA_ERROR_OUT_OF_MEMORY
        );
    });
}

#[test]
fn failed_compile() {
    on("A100", "compile:CHOICE=7", || {
        let failed = kernels(&["-arch=sm_80", "-DCHOICE=7"], &[]);
        assert_eq!(failed.code, 6);
        assert!(
            failed.log.contains("k.cu(1): error: refused"),
            "{}",
            failed.log
        );
        kernels(&["-arch=sm_80", "-DCHOICE=8"], &[]).good();
    });
}

#[test]
fn no_cubin() {
    on("A100", "no-cubin", || {
        let compiled = kernels(&["-arch=sm_80"], &[]).good();
        assert!(compiled.cubin.is_empty());
        assert!(compiled.ptx.contains(".entry scale"));
    });
}

#[test]
fn a_module_that_does_not_load() {
    on("A100", "load:CHOICE=3", || {
        let context = CudaContext::new(0).unwrap();
        let of = |define| {
            let cubin = kernels(&["-arch=sm_80", define], &[]).good().cubin;
            context.load_module(cudarc::nvrtc::Ptx::from_binary(cubin))
        };
        let error = of("-DCHOICE=3").unwrap_err();
        assert_eq!(error.0, CUresult::CUDA_ERROR_INVALID_IMAGE);
        assert!(of("-DCHOICE=4").is_ok());
    });
}

#[test]
fn a_driver_that_does_not_fit() {
    on("A100", "driver-too-old", || {
        assert_eq!(
            CudaContext::new(0).unwrap_err().0,
            CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
        );
    });
}

#[test]
fn a_driver_that_is_older_than_the_compiler() {
    on("A100", "driver-too-old:ptx", || {
        let context = CudaContext::new(0).unwrap();
        let ptx = kernels(&["-arch=compute_80"], &[]).good().ptx;
        let error = context
            .load_module(cudarc::nvrtc::Ptx::from_src(ptx))
            .unwrap_err();
        assert_eq!(error.0, CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
        plain(&context);
    });
}

/// A fault outside of kernels is the program's own, as without us.
#[test]
#[expect(clippy::disallowed_methods, reason = "a mark between test and child")]
fn other_crashes_stay_crashes() {
    use std::os::unix::process::ExitStatusExt;
    let crash = "BICO_HOST_CRASH";
    if std::env::var_os(crash).is_some() {
        let context = CudaContext::new(0).unwrap();
        let kernel = plain(&context).load_function("crooked").unwrap();
        let error = run(&context.default_stream(), &kernel, false);
        assert_eq!(error, Err(CUresult::CUDA_ERROR_MISALIGNED_ADDRESS));
        // SAFETY: none; it is meant to crash.
        unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) };
    }
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["faults::other_crashes_stay_crashes", "--exact"])
        .envs(host_driver::environment("A100", ""))
        .env(crash, "1")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(libc::SIGSEGV));
}
