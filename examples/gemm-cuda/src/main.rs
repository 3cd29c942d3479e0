//! `cargo run --release -p gemm-cuda [-- --trails FOLDER]`: prints the trails of three searches, runs the
//! winner, checks it and times it.

use gemm_cuda::trail::{self, Trail};
use gemm_cuda::winner::{Error, Product};
use gemm_cuda::{SIZES, STRATEGIES, table};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let folder = match (arguments.next(), arguments.next(), arguments.next()) {
        (None, ..) => trail::folder(),
        (Some(flag), Some(folder), None) if flag == "--trails" => PathBuf::from(folder),
        _ => {
            eprintln!("usage: gemm-cuda [--trails FOLDER]");
            return ExitCode::from(2);
        }
    };
    let read = STRATEGIES.map(|name| trail::read(&folder.join(format!("gemm_{name}.jsonl"))));
    let [sequential, random, guided] = match read.into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(trails) => trails.try_into().unwrap_or_default(),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    if print(&sequential, &random, &guided) == 0 {
        println!(
            "There are no trails of the three searches in `{}`: a build leaves them there on a machine with a GPU and a CUDA compiler (after adding one, with BICO=tune).\n",
            folder.display()
        );
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what was searched by all three strategies; for how many devices that is so.
fn print(sequential: &[Trail], random: &[Trail], guided: &[Trail]) -> usize {
    let mut printed = 0;
    for guided in guided {
        let same =
            |trail: &&Trail| (&trail.device, &trail.problem) == (&guided.device, &guided.problem);
        let (Some(sequential), Some(random)) =
            (sequential.iter().find(same), random.iter().find(same))
        else {
            continue;
        };
        println!("{}: {}\n", guided.device, guided.problem);
        println!(
            "{}",
            table::side_by_side(("guided", guided), ("random", random))
        );
        let searches = [sequential, random, guided];
        let named: Vec<(&str, &Trail)> = STRATEGIES.into_iter().zip(searches).collect();
        println!("{}", table::summary(&named));
        printed += 1;
    }
    printed
}

/// Runs the winner of the guided search.
fn run() -> Result<(), Error> {
    let mut product = Product::new(SIZES)?;
    product.check()?;
    let seconds = product.time()?;
    let [m, n, k] = SIZES.map(f64::from);
    println!(
        "{} a call (median of the program's own calls), {} TFLOP/s",
        table::milliseconds(seconds),
        table::teraflops(2.0 * m * n * k / seconds)
    );
    Ok(())
}
