//! The driver's error codes, with the names and texts that NVIDIA's gives them.

use std::ffi::CStr;

macro_rules! statuses {
    ($($name:ident = $code:literal $symbol:literal $text:literal;)*) => {
        /// Why a call failed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(i32)]
        pub(crate) enum Status { $($name = $code,)* }

        impl Status {
            /// Name and text of a code; nothing for one that the driver does not know.
            pub(crate) fn describe(code: i32) -> Option<(&'static CStr, &'static CStr)> {
                match code {
                    0 => Some((c"CUDA_SUCCESS", c"no error")),
                    $($code => Some(($symbol, $text)),)*
                    _ => None,
                }
            }

            pub(crate) fn of(code: i32) -> Option<Status> {
                match code {
                    $($code => Some(Status::$name),)*
                    _ => None,
                }
            }
        }
    };
}

statuses! {
    InvalidValue = 1 c"CUDA_ERROR_INVALID_VALUE" c"invalid argument";
    OutOfMemory = 2 c"CUDA_ERROR_OUT_OF_MEMORY" c"out of memory";
    NotInitialized = 3 c"CUDA_ERROR_NOT_INITIALIZED" c"initialization error";
    NoDevice = 100 c"CUDA_ERROR_NO_DEVICE" c"no CUDA-capable device is detected";
    InvalidDevice = 101 c"CUDA_ERROR_INVALID_DEVICE" c"invalid device ordinal";
    InvalidImage = 200 c"CUDA_ERROR_INVALID_IMAGE" c"device kernel image is invalid";
    InvalidContext = 201 c"CUDA_ERROR_INVALID_CONTEXT" c"invalid device context";
    NoBinaryForGpu = 209 c"CUDA_ERROR_NO_BINARY_FOR_GPU" c"no kernel image is available for execution on the device";
    InvalidPtx = 218 c"CUDA_ERROR_INVALID_PTX" c"a PTX JIT compilation failed";
    UnsupportedPtxVersion = 222 c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION" c"the provided PTX was compiled with an unsupported toolchain.";
    FileNotFound = 301 c"CUDA_ERROR_FILE_NOT_FOUND" c"file not found";
    InvalidHandle = 400 c"CUDA_ERROR_INVALID_HANDLE" c"invalid resource handle";
    NotFound = 500 c"CUDA_ERROR_NOT_FOUND" c"named symbol not found";
    NotReady = 600 c"CUDA_ERROR_NOT_READY" c"device not ready";
    IllegalAddress = 700 c"CUDA_ERROR_ILLEGAL_ADDRESS" c"an illegal memory access was encountered";
    LaunchOutOfResources = 701 c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" c"too many resources requested for launch";
    LaunchTimeout = 702 c"CUDA_ERROR_LAUNCH_TIMEOUT" c"the launch timed out and was terminated";
    Assert = 710 c"CUDA_ERROR_ASSERT" c"device-side assert triggered";
    IllegalInstruction = 715 c"CUDA_ERROR_ILLEGAL_INSTRUCTION" c"an illegal instruction was encountered";
    MisalignedAddress = 716 c"CUDA_ERROR_MISALIGNED_ADDRESS" c"misaligned address";
    LaunchFailed = 719 c"CUDA_ERROR_LAUNCH_FAILED" c"unspecified launch failure";
    CooperativeLaunchTooLarge = 720 c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" c"too many blocks in cooperative launch";
    NotSupported = 801 c"CUDA_ERROR_NOT_SUPPORTED" c"operation not supported";
    SystemDriverMismatch = 803 c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH" c"system has unsupported display driver / cuda driver combination";
    StreamCaptureUnsupported = 900 c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED" c"operation not permitted when stream is capturing";
    StreamCaptureInvalidated = 901 c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED" c"operation failed due to a previous error during capture";
    StreamCaptureIsolation = 905 c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION" c"dependency created on uncaptured work in another stream";
    CapturedEvent = 907 c"CUDA_ERROR_CAPTURED_EVENT" c"operation not permitted on an event last recorded in a capturing stream";
    InvalidClusterSize = 912 c"CUDA_ERROR_INVALID_CLUSTER_SIZE" c"cluster configuration is invalid";
    Unknown = 999 c"CUDA_ERROR_UNKNOWN" c"unknown error";
}

/// What a call of the driver gives.
pub(crate) type Answer<T = ()> = Result<T, Status>;
