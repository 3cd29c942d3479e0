//! What can go wrong in a call.

mod details;

use crate::__private::EvalError;
use crate::Config;
use core::fmt;

pub use details::{DriverFailure, NoConfig, NoProblem, TensorMapFailure};

/// The result of a tunable's functions.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a call was not served. Nothing has run then.
///
/// `Debug` is written like `Display`: a `main` that returns it shows people what they can read.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A buffer is shorter than its `#[len(..)]`.
    BufferTooShort {
        /// The wrapper.
        function: &'static str,
        /// Its argument.
        argument: &'static str,
        /// Elements that the kernel touches.
        need: i64,
        /// Elements that the buffer has.
        have: usize,
    },
    /// A buffer does not begin at a multiple of its `#[align(..)]`.
    Misaligned {
        /// The wrapper.
        function: &'static str,
        /// Its argument.
        argument: &'static str,
        /// What its address must be a multiple of, in bytes.
        need: usize,
        /// Where it begins.
        address: usize,
    },
    /// None of the configs that this binary carries can run here at these sizes.
    NoConfig(Box<NoConfig>),
    /// The `.._with` function got a config that this binary does not carry for it.
    UnknownConfig {
        /// The tunable.
        tunable: &'static str,
        /// What was given.
        config: Box<Config>,
    },
    /// A selecting argument has a value that no `problem(..)` has.
    NoProblem(Box<NoProblem>),
    /// A list of sizes has another length than the tunable has integer arguments.
    SizeCount {
        /// The tunable.
        tunable: &'static str,
        /// The names of its integer arguments.
        expected: &'static [&'static str],
        /// How many sizes were given.
        given: usize,
    },
    /// An expression of the attribute has no value at these arguments.
    Eval {
        /// The tunable.
        tunable: &'static str,
        /// The expression.
        expression: &'static str,
        /// What is wrong.
        error: Box<EvalError>,
    },
    /// There is no memory for a scratch buffer.
    Scratch {
        /// The tunable.
        tunable: &'static str,
        /// Bytes that were asked for; `None` where the number itself overflows.
        bytes: Option<usize>,
    },
    /// A stream is being captured into a CUDA graph, and a call on it needs scratch memory that this thread has not
    /// allocated for it yet: the `.._warm_up` function does so before.
    ScratchInCapture {
        /// The tunable.
        tunable: &'static str,
        /// Bytes of the buffer.
        bytes: usize,
    },
    /// A slice is longer than the `__constant__` variable that it fills.
    ConstantTooLong {
        /// The tunable.
        tunable: &'static str,
        /// The wrapper's argument.
        argument: &'static str,
        /// Its bytes.
        need: usize,
        /// The variable's.
        have: usize,
    },
    /// A stream is being captured into a CUDA graph, and a call on it gives a `__constant__` variable other contents than it
    /// has: a call before the capture can do so.
    ConstantInCapture {
        /// The tunable.
        tunable: &'static str,
        /// The wrapper's argument.
        argument: &'static str,
    },
    /// A buffer cannot be passed as the tensor that the attribute makes of it: its address or what follows from the sizes
    /// breaks a rule of tensor maps.
    TensorMap(Box<TensorMapFailure>),
    /// There is no GPU for a CUDA kernel, or no driver.
    NoDevice {
        /// What was looked for, and what came of it.
        why: Box<str>,
    },
    /// A buffer lies on another GPU than the stream, or belongs to another context.
    OtherDevice {
        /// The wrapper.
        function: &'static str,
        /// Its argument.
        argument: &'static str,
        /// The number of the buffer's GPU.
        buffer: usize,
        /// The number of the stream's GPU.
        stream: usize,
    },
    /// The CUDA driver refused something: a launch, or it tells of a kernel before that failed.
    Driver(Box<DriverFailure>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::BufferTooShort {
                function,
                argument,
                need,
                have,
            } => write!(
                f,
                "{function}: `{argument}` is too short: the kernel touches {need} element{}, the buffer has {have}",
                if *need == 1 { "" } else { "s" }
            ),
            Error::Misaligned {
                function,
                argument,
                need,
                address,
            } => write!(
                f,
                "{function}: `{argument}` begins at address {address:#x}, {} bytes behind a multiple of {need}: the \
                 kernel needs an aligned buffer (`#[align({need})]`)",
                address & (need - 1)
            ),
            Error::NoConfig(details) => details.fmt(f),
            Error::UnknownConfig { tunable, config } => write!(
                f,
                "{tunable}: this program carries no config {config} for it: take one of its tunable's `candidates()`"
            ),
            Error::NoProblem(details) => details.fmt(f),
            Error::SizeCount {
                tunable,
                expected,
                given,
            } => write!(
                f,
                "{tunable}: {given} sizes were given where {} are expected ({})",
                expected.len(),
                expected.join(", ")
            ),
            Error::Eval {
                tunable,
                expression,
                error,
            } => write!(f, "{tunable}: `{expression}` has no value: {error}"),
            Error::Scratch { tunable, bytes } => match bytes {
                Some(bytes) => write!(f, "{tunable}: no memory for {bytes} bytes of scratch"),
                None => write!(f, "{tunable}: the length of a scratch buffer overflows"),
            },
            Error::ScratchInCapture { tunable, bytes } => write!(
                f,
                "{tunable}: its first {bytes} bytes of scratch on this stream cannot be allocated while it is \
                 captured into a CUDA graph: call `{tunable}_warm_up` with the stream and these sizes, on this \
                 thread, before the capture"
            ),
            Error::TensorMap(failure) => failure.fmt(f),
            Error::ConstantTooLong {
                tunable,
                argument,
                need,
                have,
            } => write!(
                f,
                "{tunable}: `{argument}` is too long: it fills a `__constant__` variable of {have} bytes with {need}"
            ),
            Error::ConstantInCapture { tunable, argument } => write!(
                f,
                "{tunable}: what `{argument}` fills cannot change while the stream is captured into a CUDA graph: call \
                 `{tunable}` with the same contents and sizes once before the capture"
            ),
            Error::NoDevice { why } => write!(f, "no GPU for CUDA kernels: {why}"),
            Error::OtherDevice {
                function,
                argument,
                buffer,
                stream,
            } => write!(
                f,
                "{function}: `{argument}` lies on GPU {buffer}, {}",
                elsewhere(*buffer, *stream)
            ),
            Error::Driver(failure) => failure.fmt(f),
        }
    }
}

fn elsewhere(buffer: usize, stream: usize) -> String {
    match buffer == stream {
        true => "in another context than the stream".to_string(),
        false => format!("the stream belongs to GPU {stream}"),
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Eval { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// An expression of the attribute failed.
#[cold]
#[inline(never)]
pub fn eval(tunable: &'static str, expression: &'static str, error: EvalError) -> Error {
    Error::Eval {
        tunable,
        expression,
        error: Box::new(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::__private::ops;
    use crate::Value;

    #[test]
    fn texts_name_what_the_user_wrote() {
        let short = Error::BufferTooShort {
            function: "gemm",
            argument: "c",
            need: 12,
            have: 11,
        };
        assert_eq!(
            short.to_string(),
            "gemm: `c` is too short: the kernel touches 12 elements, the buffer has 11"
        );
        let n = Value::Int(3_037_000_500);
        let overflow = eval("gemm", "n * n", ops::mul(n, n).unwrap_err());
        assert_eq!(
            overflow.to_string(),
            "gemm: `n * n` has no value: attempt to multiply 3037000500 by 3037000500: overflows i64"
        );
        assert!(std::error::Error::source(&overflow).is_some());
    }

    #[test]
    fn each_reason_is_told_once() {
        let config = |mr: &'static [Value]| Config::new(&["MR"], mr);
        let why = || "`m.is_multiple_of(MR)` does not hold".to_string();
        let error = Error::NoConfig(Box::new(NoConfig {
            tunable: "gemm",
            sizes: vec![("m", 7)],
            tried: vec![
                (config(&[Value::Int(8)]), why()),
                (config(&[Value::Int(4)]), why()),
                (
                    config(&[Value::Int(2)]),
                    "this CPU lacks avx512f".to_string(),
                ),
            ],
            sized: true,
        }));
        let text = error.to_string();
        assert_eq!(text.matches("is_multiple_of").count(), 1, "{text}");
        assert!(
            text.contains("m=7") && text.contains("MR=2: this CPU lacks avx512f"),
            "{text}"
        );
    }

    #[test]
    fn errors_are_small() {
        assert!(size_of::<Error>() <= 56, "{}", size_of::<Error>());
    }
}
