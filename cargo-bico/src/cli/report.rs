//! `cargo bico report`.

use super::package::Kernels;
use crate::Error;
use crate::out::line;
use crate::report::{Report, html};
use bico_build::env::{Env, Mode};
use bico_build::files::written;
use std::path::PathBuf;

/// Writes how kernels were tuned as one HTML file, with charts, that needs no network.
///
/// It is made of the trails that searches left beside the build, and of bico.lock: without trails it shows what
/// the lock has. Needs no device and no compiler. docs/report.md says how to read each chart.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo bico report --open              all kernels, in the browser
  cargo bico report gemm -o gemm.html   one kernel, into this file")]
pub(super) struct Arguments {
    /// Open it in the browser
    #[arg(long)]
    open: bool,
    /// Where it is written [default: target/bico/PACKAGE/report.html]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    package: Kernels,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let env = arguments.package.env(Mode::Off)?;
    let report = Report::new(&env, &arguments.package.only())?;
    let file = file(arguments, &env);
    let written = written(&file, html(&report).as_bytes());
    written.map_err(|error| Error::work(error).help("name another file by `--output`"))?;
    line(&file.display().to_string())?;
    if arguments.open {
        // What went wrong inside of the desktop's programs helps nobody.
        open::that_detached(&file).map_err(|_| {
            let file = file.display();
            Error::work("no program here opens the report in a browser")
                .help(format!("it is written: open {file} where there is one"))
        })?;
    }
    Ok(())
}

fn file(arguments: &Arguments, env: &Env) -> PathBuf {
    let named = arguments.output.clone();
    named.unwrap_or_else(|| env.trail_dir().join("report.html"))
}
