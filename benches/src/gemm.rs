//! Is the tuned kernel worth it? The example's race, with libraries and plain loops in C as more contenders; then the
//! contraction.

mod batch;
mod library;
mod nest;

use serde_json::{Map, Value};

const N: u32 = 1024;
const ROUNDS: usize = 25;

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let mut contenders = gemm_cpu::contenders(N).map_err(|e| e.to_string())?;
    for library in library::ALL {
        match library.contender() {
            Some(contender) => contenders.push(contender),
            None => eprintln!(
                "SKIPPED: {} is not there (benches/README.md says how to get it)",
                library.name
            ),
        }
    }
    contenders.extend(nest::contenders()?);
    let rows = gemm_cpu::race(contenders, N as usize, ROUNDS)?;
    if !json {
        gemm_cpu::print(&rows, N as usize, false);
    }
    let mut object: Map<String, Value> = rows
        .iter()
        .map(|row| (row.name.to_string(), rounded(row.gflops)))
        .collect();
    object.extend(batch::run(json)?);
    Ok(Value::Object(object))
}

/// Two digits behind the point.
fn rounded(gflops: f64) -> Value {
    Value::from((gflops * 100.0).round() / 100.0)
}
