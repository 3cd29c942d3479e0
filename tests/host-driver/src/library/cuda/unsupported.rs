//! What this driver has no answer for: each says so, where a missing function would end the program.

use crate::library::status::Status;

macro_rules! unsupported {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> i32 {
            Status::NotSupported as i32
        }
    )*};
}

unsupported! {
    cuDestroyExternalMemory
    cuDeviceSetMemPool
    cuExternalMemoryGetMappedBuffer
    cuGetProcAddress
    cuGetProcAddress_v2
    cuImportExternalMemory
    cuLaunchCooperativeKernel
    cuLibraryLoadData
    cuLinkCreate_v2
    cuMemAdvise
    cuMemAdvise_v2
    cuMemPoolCreate
    cuMemPoolDestroy
    cuMemPoolGetAttribute
    cuMemPoolSetAttribute
    cuMemPoolTrimTo
    cuMemPrefetchAsync
    cuMemPrefetchAsync_v2
    cuModuleLoadFatBinary
    cuOccupancyMaxActiveClusters
    cuOccupancyMaxPotentialClusterSize
    cuPointerGetAttribute
    cuProfilerStart
    cuProfilerStop
}
