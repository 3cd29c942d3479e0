//! `cargo bico new`.

use crate::out::out;
use crate::{Error, new};
use clap::ValueEnum;
use std::path::PathBuf;

/// Reads a kernel's source and prints a wrapper with its attribute: a guess, to go on from.
///
/// Parameters are guessed from `#ifndef`, from names that nobody declares and from the template, the arguments from the
/// signature, lengths from indices and their bounds, the launch from blockIdx and threadIdx.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico new kernels/gemm.cu --entry gemm                  guesses from the kernel
  cargo bico new --from kernel_tuner tune.py kernels/gemm.cu   with parameters and restrictions of a script")]
pub(super) struct Arguments {
    /// The kernel's source: .c, .cpp, .cc, .cu or .cuh; with --from, the script, and the kernel's source after it
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The kernel's function, where the file has several
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Take parameters and restrictions from another tool's script
    #[arg(long, value_enum, value_name = "TOOL")]
    from: Option<Tool>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Tool {
    /// A script in Python with `tune_params`
    #[value(name = "kernel_tuner", alias = "kernel-tuner")]
    KernelTuner,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let entry = arguments.entry.as_deref();
    let text = match (arguments.from, &arguments.files[..]) {
        (None, [kernel]) => new::wrapper(kernel, entry, None)?,
        (Some(Tool::KernelTuner), [script]) => new::rules(script)?,
        (Some(Tool::KernelTuner), [script, kernel, ..]) => {
            new::wrapper(kernel, entry, Some(script))?
        }
        _ => {
            return Err(Error::usage(
                "name one file; a script needs `--from kernel_tuner`",
            ));
        }
    };
    out(&text)
}
