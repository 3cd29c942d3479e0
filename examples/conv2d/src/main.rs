//! `cargo run --release -p conv2d [-- --size H W FILTER]`: a tuned convolution against an untuned and a
//! naive one, on a GPU.

mod convolution;
mod error;
mod naive;

use convolution::{CONTENDERS, Convolution, Sizes};
use error::Error;
use std::process::ExitCode;

/// What bico-kernels is tuned for.
const SIZES: [Sizes; 3] = [
    Sizes::new(4096, 4096, 3),
    Sizes::new(4096, 4096, 9),
    Sizes::new(4096, 4096, 15),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let sizes = match arguments[..] {
        [] => Some(SIZES.to_vec()),
        ["--size", h, w, f] => match [h, w, f].map(str::parse::<u32>) {
            [Ok(h), Ok(w), Ok(f)] if h.min(w).min(f) > 0 => Some(vec![Sizes::new(h, w, f)]),
            _ => None,
        },
        _ => None,
    };
    let Some(sizes) = sizes else {
        eprintln!("usage: conv2d [--size H W FILTER]\nSizes are whole numbers from 1.");
        return ExitCode::from(2);
    };
    for sizes in sizes {
        if let Err(error) = run(sizes) {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Checks and times one size, and prints what it took.
fn run(sizes: Sizes) -> Result<(), Error> {
    let mut convolution = Convolution::new(sizes)?;
    println!(
        "{} x {}, filter {} x {}",
        sizes.h, sizes.w, sizes.f, sizes.f
    );
    convolution.check()?;
    let seconds = convolution.time()?;
    println!(
        "{:<8} {:>12} {:>10} {:>8}  tuned is faster by",
        "", "median", "GFLOP/s", "GB/s"
    );
    for (contender, time) in CONTENDERS.iter().zip(seconds) {
        println!(
            "{:<8} {:>9.3} ms {:>10.1} {:>8.1}  {:.2}x",
            contender.name(),
            time * 1e3,
            sizes.flops() / time * 1e-9,
            sizes.bytes() / time * 1e-9,
            time / seconds[0]
        );
    }
    println!();
    Ok(())
}
