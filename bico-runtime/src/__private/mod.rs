//! What generated code and the build call. Not for people: it may change with any release, which
//! is why macro, build script and runtime are checked to be of one version.

pub use crate::buffer::{aligned, check, is_aligned, long_enough, plain};
pub use crate::data::{Candidate, Data, GpuCode, Image, ImageKind, Problem, Source};
pub use crate::dispatch::{find_consts, logs};
pub use crate::error::eval as eval_failed;
pub use crate::learn::{Board, Number, Pull, agree};
pub use crate::rules::{LaunchOf, Require, Rules, Scope, Selector, Tolerance};
pub use crate::scratch::{Owner, Wanted, with as with_scratch};
pub use crate::settle::Refused;
pub use crate::{Choice, Config, Error, Tunable, Value, device};
pub use bico_core::{EvalError, Fault, Lift, Operation, Size, given, lift, model, ops, size};
pub use core::sync::atomic::{AtomicU8, AtomicU32};

/// Calls code that was compiled without unwinding: a panic in it ends the program.
#[inline]
pub fn without_unwinding(call: impl FnOnce()) {
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            std::process::abort();
        }
    }
    let guard = Guard;
    call();
    std::mem::forget(guard);
}

/// Learning at run time.
pub mod learn {
    pub use crate::learn::*;
}

/// GPUs.
#[cfg(feature = "cuda")]
pub mod gpu {
    pub use crate::gpu::{
        Chosen, Constant, Launch, OnGpu, Pointer, Scratch, States, contents, here, input, len,
        output, parameter, stream, tensor_map,
    };
    #[cfg(feature = "capture")]
    pub use crate::gpu::{held, start_clock, stop_clock};
    pub use bico_core::device::TensorKind;
}

/// Calls as the program makes them.
#[cfg(feature = "capture")]
pub mod capture {
    pub use crate::capture::{Clock, Number, Sampled, is_on, sample};
}

/// What a wrapper does to capture its calls, where it can.
#[doc(hidden)]
#[cfg(feature = "capture")]
#[macro_export]
macro_rules! __with_capture {
    ($($code:tt)*) => { $($code)* };
}

/// What a wrapper does to capture its calls, where it cannot.
#[doc(hidden)]
#[cfg(not(feature = "capture"))]
#[macro_export]
macro_rules! __with_capture {
    ($($code:tt)*) => {};
}

pub use crate::__with_capture as with_capture;

/// What a CUDA wrapper expands to, where there is CUDA.
#[doc(hidden)]
#[cfg(feature = "cuda")]
#[macro_export]
macro_rules! __with_cuda {
    ($($code:tt)*) => { $($code)* };
}

/// What a CUDA wrapper expands to, where there is none.
#[doc(hidden)]
#[cfg(not(feature = "cuda"))]
#[macro_export]
macro_rules! __with_cuda {
    ($($code:tt)*) => {
        ::core::compile_error!(
            "CUDA kernels need the feature `cuda`: bico-runtime = { version = \"..\", features = [\"cuda\"] }"
        );
    };
}

pub use crate::__with_cuda as with_cuda;
