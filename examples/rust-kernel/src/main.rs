//! `cargo run --release -p rust-kernel`: functions in safe Rust whose const parameters, and the instructions that they are compiled
//! for, are tuned while cargo builds, against their default values and what else there is.

mod gemm;
mod stencil;

use gemm_cpu::Contender;
use std::time::Instant;

const N: usize = 1024;
const ROUNDS: usize = 15;

fn main() -> Result<(), String> {
    let rows = gemm_cpu::race(products().map_err(|error| error.to_string())?, N, ROUNDS)?;
    gemm_cpu::print(&rows, N, false);
    println!();
    stencils().map_err(|error| error.to_string())
}

/// A matrix product six ways.
fn products() -> bico::Result<Vec<Contender>> {
    let tuned = bico::config_of(gemm::gemm_tunable(), &[N as i64; 3])?;
    let c_kernel = bico::config_of(bico_kernels::gemm_tunable(), &[N as i64; 3])?;
    Ok(vec![
        Contender::new(
            "default",
            "in Rust, with default const arguments",
            |c, a, b, n| {
                gemm::blocked::<4, 8, 256, 96>(c, a, b, n, n, n);
            },
        ),
        Contender::new("tuned", format!("in Rust, {tuned}"), |c, a, b, n| {
            gemm::gemm(c, a, b, n, n, n).expect("the buffers are long enough");
        }),
        Contender::new("kernel in C", format!("{c_kernel}"), |c, a, b, n| {
            let n = n as u32;
            bico_kernels::gemm(c, a, b, n, n, n).expect("the buffers are long enough");
        }),
        Contender::new("matrixmultiply", "crate matrixmultiply", |c, a, b, n| {
            let stride = n as isize;
            // SAFETY: three dense n x n matrices, c distinct from a and b.
            unsafe {
                let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                matrixmultiply::sgemm(n, n, n, 1.0, a, stride, 1, b, stride, 1, 0.0, c, stride, 1);
            }
        }),
    ])
}

/// A stencil two ways.
fn stencils() -> bico::Result<()> {
    const SIDE: usize = 2048;
    let from: Vec<f32> = (0..SIDE * SIDE).map(|i| (i * 7919 % 1024) as f32).collect();
    let mut to = vec![0.0; from.len()];
    let mut fastest = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for (at, fastest) in fastest.iter_mut().enumerate() {
            let start = Instant::now();
            match at {
                0 => stencil::blocked::<1024, 4096>(&mut to, &from, SIDE, SIDE, 4),
                _ => stencil::stencil(&mut to, &from, SIDE, SIDE, 4)?,
            }
            *fastest = fastest.min(start.elapsed().as_secs_f64());
        }
    }
    let side = SIDE as i64;
    let tuned = bico::config_of(stencil::stencil_tunable(), &[side, side, 4])?;
    println!(
        "Four steps of a stencil over {SIDE} x {SIDE} points, f32, one thread, fastest run of each\n"
    );
    for (name, seconds, what) in [
        (
            "default",
            fastest[0],
            "one block of 1024 rows of 4096, the default".to_string(),
        ),
        ("tuned", fastest[1], tuned.to_string()),
    ] {
        println!("{name:<15} {:>6.2} ms  {what}", 1e3 * seconds);
    }
    Ok(())
}
