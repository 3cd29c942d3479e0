//! What can go wrong in a call.

use crate::__private::EvalError;
use crate::config::text;
use crate::{Config, Value};
use bico_core::Lists;
use core::fmt;

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
    TensorMap {
        /// The tunable.
        tunable: &'static str,
        /// The wrapper's argument.
        argument: &'static str,
        /// Which rule is broken, and by what.
        why: Box<str>,
    },
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

/// Details of [`Error::Driver`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DriverFailure {
    /// The tunable.
    pub tunable: &'static str,
    /// What was attempted.
    pub what: String,
    /// The driver's code.
    pub code: u32,
    /// Its name, and what it means: `CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was
    /// encountered`.
    pub error: String,
}

/// Details of [`Error::NoConfig`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NoConfig {
    /// The tunable.
    pub tunable: &'static str,
    /// The sizes of the call.
    pub sizes: Vec<(&'static str, i64)>,
    /// Each config that was tried, and why it cannot serve.
    pub tried: Vec<(Config, String)>,
    /// Whether only the sizes are in the way of some of them.
    pub sized: bool,
}

/// Details of [`Error::NoProblem`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NoProblem {
    /// The tunable.
    pub tunable: &'static str,
    /// The names and values of the selecting arguments.
    pub given: Vec<(&'static str, String)>,
    /// The values that there are problems for.
    pub known: Vec<Vec<(&'static str, Value)>>,
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
            Error::TensorMap {
                tunable,
                argument,
                why,
            } => write!(f, "{tunable}: no tensor map of `{argument}`: {why}"),
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
            } => {
                let elsewhere = elsewhere(*buffer, *stream);
                write!(
                    f,
                    "{function}: `{argument}` lies on GPU {buffer}, {elsewhere}"
                )
            }
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

impl fmt::Display for DriverFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} failed: {}", self.tunable, self.what, self.error)
    }
}

impl fmt::Display for NoConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tunable, sizes) = (self.tunable, text(&self.sizes));
        write!(
            f,
            "{tunable}: no config of this program can run here at {sizes}"
        )?;
        // One line per reason, with the first config that it met.
        let mut told: Vec<&str> = Vec::new();
        for (config, why) in &self.tried {
            if !told.contains(&why.as_str()) {
                told.push(why);
                write!(f, "\n  {config}: {why}")?;
            }
        }
        if self.sized {
            f.write_str("\n  help: add a `problem(..)` of such sizes, so that a config for them is built in")?;
        }
        Ok(())
    }
}

impl fmt::Display for NoProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = list(&self.given);
        write!(f, "{}: no `problem(..)` has {given}", self.tunable)?;
        let mut known: Vec<String> = Vec::new();
        for values in &self.known {
            let text = list(values);
            if !known.contains(&text) {
                known.push(text);
            }
        }
        write!(f, "; there are problems for: {}", known.join("; "))
    }
}

/// `ACT = "silu", N = 4`
fn list(pairs: &[(&str, impl fmt::Display)]) -> String {
    let pairs = pairs
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    pairs.collect_vec().join(", ")
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
