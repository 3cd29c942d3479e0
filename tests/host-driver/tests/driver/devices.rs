//! GPUs, as they present themselves.

use cudarc::driver::{CudaContext, DriverError, result, sys};

use crate::child::{on, with};
use crate::kernels::{line, plain};
use cudarc::driver::PushKernelArg;

#[test]
fn two_gpus_with_their_properties() {
    on("A100, RTX 4090", "", || {
        use sys::CUdevice_attribute::*;
        assert_eq!(CudaContext::device_count(), Ok(2));
        let (one, other) = (CudaContext::new(0).unwrap(), CudaContext::new(1).unwrap());
        assert_eq!(one.name().unwrap(), "NVIDIA A100-SXM4-40GB");
        assert_eq!(other.name().unwrap(), "NVIDIA GeForce RTX 4090");
        assert_eq!(one.compute_capability(), Ok((8, 0)));
        assert_eq!(other.compute_capability(), Ok((8, 9)));
        assert_ne!(one.uuid().unwrap().bytes, other.uuid().unwrap().bytes);
        let of = |attribute| (one.attribute(attribute), other.attribute(attribute));
        assert_eq!(
            of(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
            (Ok(108), Ok(128))
        );
        assert_eq!(
            of(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
            (Ok(163 << 10), Ok(99 << 10))
        );
        assert_eq!(
            of(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
            (Ok(2048), Ok(1536))
        );
        assert_eq!(
            of(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
            (Ok(40 << 20), Ok(72 << 20))
        );
        assert_eq!(one.mem_get_info().unwrap(), (2 << 30, 2 << 30));
    });
}

#[test]
fn two_equal_gpus_have_memory_of_their_own() {
    on("A100,A100", "", || {
        let contexts = [CudaContext::new(0).unwrap(), CudaContext::new(1).unwrap()];
        let results: Vec<Vec<f32>> = std::thread::scope(|scope| {
            let threads = contexts.each_ref().map(|context| {
                scope.spawn(move || {
                    let stream = context.new_stream().unwrap();
                    let kernel = plain(context).load_function("scale").unwrap();
                    let mut x = stream
                        .clone_htod(&[context.ordinal() as f32 + 1.0; 300])
                        .unwrap();
                    for _ in 0..50 {
                        let mut launch = stream.launch_builder(&kernel);
                        launch.arg(&mut x).arg(&-1f32).arg(&300i32);
                        // SAFETY: the kernel checks its index.
                        unsafe { launch.launch(line(2, 256)) }.unwrap();
                    }
                    stream.clone_dtoh(&x).unwrap()
                })
            });
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert_eq!(results, [vec![1.0; 300], vec![2.0; 300]]);
        let _held = contexts[0]
            .default_stream()
            .alloc_zeros::<u8>(1 << 20)
            .unwrap();
        assert_eq!(contexts[0].mem_get_info().unwrap().0, (2 << 30) - (1 << 20));
        assert_eq!(contexts[1].mem_get_info().unwrap().0, 2 << 30);
    });
}

#[test]
fn a_driver_without_a_gpu() {
    on("", "", || {
        let error = CudaContext::new(0).unwrap_err();
        assert_eq!(error, DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE));
        assert_eq!(
            error.error_string().unwrap(),
            c"no CUDA-capable device is detected"
        );
        // SAFETY: only asks whether the library is there.
        assert!(unsafe { sys::is_culib_present() });
    });
}

#[test]
fn a_gpu_that_is_not_there() {
    on("H100", "", || {
        assert_eq!(
            CudaContext::new(1).unwrap_err().0,
            sys::CUresult::CUDA_ERROR_INVALID_DEVICE
        );
    });
}

#[test]
fn memory_ends() {
    with("H100", "", &[("BICO_HOST_MEMORY", "1000000")], || {
        let context = CudaContext::new(0).unwrap();
        let stream = context.default_stream();
        let some = stream.alloc_zeros::<u8>(600_000).unwrap();
        let full = stream.alloc_zeros::<u8>(600_000).unwrap_err();
        assert_eq!(full.0, sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        drop(some);
        stream.alloc_zeros::<u8>(600_000).unwrap();
    });
}

#[test]
fn occupancy_by_the_published_rules() {
    with("A100", "", &[("BICO_HOST_REGISTERS", "64")], || {
        let context = CudaContext::new(0).unwrap();
        let kernel = plain(&context).load_function("scale").unwrap();
        let blocks = |threads, shared| {
            kernel
                .occupancy_max_active_blocks_per_multiprocessor(threads, shared, None)
                .unwrap()
        };
        assert_eq!(blocks(256, 0), 4);
        assert_eq!(blocks(1024, 0), 1);
        assert_eq!(blocks(32, 0), 32);
        assert_eq!(blocks(32, 16 << 10), 9);
        assert_eq!(blocks(32, 164 << 10), 0);
    });
}

#[test]
fn functions_without_a_context() {
    on("A100", "", || {
        result::init().unwrap();
        let create = || result::stream::create(result::stream::StreamKind::Default);
        assert_eq!(
            create().unwrap_err().0,
            sys::CUresult::CUDA_ERROR_INVALID_CONTEXT
        );
        let _context = CudaContext::new(0).unwrap();
        assert!(create().is_ok());
    });
}

#[test]
fn clocks_by_the_management_library() {
    clocks("", 1410, 0x01);
}

#[test]
fn clocks_that_are_held_back() {
    clocks("throttle", 1057, 0x24);
}

fn clocks(fault: &str, mhz: u32, reasons: u64) {
    on("RTX 4090,A100", fault, || {
        result::init().unwrap();
        let mut address = [0u8; 32];
        // SAFETY: the functions are declared as NVML's header declares them; the driver and the
        // library write no more than there is room for.
        unsafe {
            let found = sys::cuDeviceGetPCIBusId(address.as_mut_ptr().cast(), 32, 1);
            assert_eq!(found, sys::CUresult::CUDA_SUCCESS);
            let library = libloading::Library::new("libnvidia-ml.so.1").unwrap();
            type Init = unsafe extern "C" fn() -> i32;
            type Find = unsafe extern "C" fn(*const u8, *mut usize) -> i32;
            type Clock = unsafe extern "C" fn(usize, i32, *mut u32) -> i32;
            type Reasons = unsafe extern "C" fn(usize, *mut u64) -> i32;
            let init = library.get::<Init>("nvmlInit_v2").unwrap();
            let find = library
                .get::<Find>("nvmlDeviceGetHandleByPciBusId_v2")
                .unwrap();
            let clock = library.get::<Clock>("nvmlDeviceGetClockInfo").unwrap();
            let why = library
                .get::<Reasons>("nvmlDeviceGetCurrentClocksThrottleReasons")
                .unwrap();
            let (mut device, mut clocks, mut bits) = (0, 0, 0);
            assert_eq!(init(), 0);
            assert_eq!(find(address.as_ptr(), &mut device), 0);
            assert_eq!(clock(device, 0, &mut clocks), 0);
            assert_eq!(why(device, &mut bits), 0);
            assert_eq!((clocks, bits), (mhz, reasons));
        }
    });
}
