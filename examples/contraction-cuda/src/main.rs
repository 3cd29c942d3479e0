//! `cargo run --release -p contraction-cuda`: multiplies a batch by bico's kernels and by cuBLAS; checks and
//! times them.

use bico::cudarc::driver::CudaContext;
use contraction_cuda::batch::{Batch, Way};
use contraction_cuda::cublas::Cublas;
use contraction_cuda::{Error, SIZES, contract_by_rows_tunable, contract_tunable};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    // First bico, which says what is missing: without a driver cudarc panics.
    let gpu = contract_tunable().device_key()?;
    let [c, m, n, k] = SIZES;
    println!("{gpu}: cmk, ckn -> cmn in FP16, c = {c}, m = {m}, n = {n}, k = {k}\n");
    let stream = CudaContext::new(0)?.default_stream();
    let choice = |tunable| bico::config_of(tunable, &SIZES.map(i64::from));
    let mut ways = vec![
        (format!("bico, {}", choice(contract_tunable())?), Way::Tuned),
        (
            format!("bico, {}", choice(contract_by_rows_tunable())?),
            Way::ByRows,
        ),
    ];
    match Cublas::load(&stream)? {
        Some(cublas) => ways.push(("cuBLAS".to_string(), Way::Library(cublas))),
        None => {
            println!("cuBLAS (libcublas.so) is not found here: there is no comparison with it\n")
        }
    }
    let (names, ways): (Vec<String>, Vec<Way>) = ways.into_iter().unzip();
    let times = Batch::new(&stream)?.compare(&ways)?;
    let flops = 2.0 * SIZES.map(f64::from).iter().product::<f64>();
    println!("  x tuned   TFLOP/s  median ms");
    for (name, seconds) in names.iter().zip(&times) {
        println!(
            "{:>9.2} {:>9.2} {:>10.4}  {name}",
            seconds / times[0],
            flops / seconds * 1e-12,
            seconds * 1e3
        );
    }
    Ok(())
}
