//! `cargo run --release -p gemm-cpu [-- --json]`: what tuning a matrix product is worth here.

use std::process::ExitCode;

const N: u32 = 1024;
const ROUNDS: usize = 15;

fn main() -> ExitCode {
    let json = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [flag] if flag == "--json" => true,
        _ => {
            eprintln!("usage: gemm-cpu [--json]");
            return ExitCode::from(2);
        }
    };
    let rows = gemm_cpu::contenders(N)
        .map_err(|error| error.to_string())
        .and_then(|contenders| gemm_cpu::race(contenders, N as usize, ROUNDS));
    match rows {
        Ok(rows) => {
            gemm_cpu::print(&rows, N as usize, json);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
