//! `cargo run --release -p glu [-- --size M N K] [--act sigmoid|silu|gelu]`: computes gated linear units in one
//! kernel, tuned and untuned, and as two products of cuBLAS and an elementwise kernel; checks and times them.

use bico::cudarc::driver::{CudaContext, CudaStream};
use glu::activation::Activation;
use glu::cublas::Cublas;
use glu::layer::{Layer, Way};
use glu::number::{Multiplied, Number};
use glu::{Error, SIZES};
use half::f16;
use std::process::ExitCode;
use std::sync::Arc;

struct Arguments {
    sizes: Vec<[u32; 3]>,
    act: Activation,
}

fn main() -> ExitCode {
    let arguments = match arguments(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("{error}\nusage: glu [--size M N K] [--act sigmoid|silu|gelu]");
            return ExitCode::from(2);
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut sizes = Vec::new();
    let mut act = Activation::Silu;
    while let Some(flag) = given.next() {
        let mut next = || given.next().ok_or_else(|| format!("{flag} needs more"));
        match flag.as_str() {
            "--size" => {
                let mut size = || -> Result<u32, String> {
                    let text = next()?;
                    match text.parse() {
                        Ok(0) | Err(_) => Err(format!("{text} is no size")),
                        Ok(size) => Ok(size),
                    }
                };
                sizes.push([size()?, size()?, size()?]);
            }
            "--act" => act = next()?.parse()?,
            _ => return Err(format!("no option is named {flag}")),
        }
    }
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    Ok(Arguments { sizes, act })
}

fn run(arguments: &Arguments) -> Result<(), Error> {
    // First bico, which says what is missing: without a driver cudarc panics.
    let gpu = f32::tunable().device_key()?;
    let stream = CudaContext::new(0)?.default_stream();
    println!("{gpu}: y = (x W) * {}(x V)", arguments.act);
    if Cublas::load(&stream)?.is_none() {
        println!("cuBLAS (libcublas.so) is not found here: the products apart are of bico-kernels");
    }
    for &sizes in &arguments.sizes {
        compare::<f32>(&stream, arguments.act, sizes)?;
        compare::<f16>(&stream, arguments.act, sizes)?;
    }
    Ok(())
}

/// Compares the ways, in a table of median times; the bytes are those of inputs and result, each once.
fn compare<T: Multiplied>(
    stream: &Arc<CudaStream>,
    act: Activation,
    sizes: [u32; 3],
) -> Result<(), Error> {
    let [m, n, k] = sizes.map(f64::from);
    println!("\n{}, m = {m}, n = {n}, k = {k}", T::NAME);
    let ways = [
        Way::Tuned,
        Way::Untuned(T::tunable().first_valid(&sizes.map(i64::from))?),
        Way::Apart(Cublas::load(stream)?),
    ];
    let timed = Layer::<T>::new(stream, act, sizes)?.compare(&ways)?;
    let bytes = size_of::<T>() as f64 * (m * k + 2.0 * k * n + m * n);
    println!("  x tuned   TFLOP/s     GB/s     median");
    for way in &timed {
        println!(
            "{:>9.2} {:>9.2} {:>8.0} {way}",
            way.seconds / timed[0].seconds,
            4.0 * m * n * k / way.seconds * 1e-12,
            bytes / way.seconds * 1e-9,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Arguments, String> {
        arguments(text.split_whitespace().map(String::from))
    }

    #[test]
    fn options_are_read() {
        let none = read("").unwrap();
        assert_eq!((none.sizes, none.act), (SIZES.to_vec(), Activation::Silu));
        let all = read("--size 1 2 3 --act gelu --size 4 5 6").unwrap();
        assert_eq!(all.sizes, [[1, 2, 3], [4, 5, 6]]);
        assert_eq!(all.act, Activation::Gelu);
    }

    #[test]
    fn mistakes_are_told() {
        let cases = [
            ("--size 1 2", "--size needs more"),
            ("--size 1 0 3", "0 is no size"),
            ("--size 1 -2 3", "-2 is no size"),
            ("--act relu", "no activation is named relu"),
            ("--fast", "no option is named --fast"),
        ];
        for (text, expected) in cases {
            let error = read(text).err().unwrap();
            assert!(error.contains(expected), "{error}");
        }
    }
}
