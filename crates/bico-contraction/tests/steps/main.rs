//! Schedules and their steps.

use bico_contraction::*;
use bico_contraction_tests::{evaluate, naive, random};

mod einsum;
mod exercise;
mod hostile;
mod properties;
mod steps;

use DimType::{C, K, M, N};
use ExecType::{Par, Prim, Seq};

/// Four products of 4096 x 4096 matrices.
fn batched() -> Schedule {
    let shape = &[4, 4096, 4096][..];
    Schedule::from_einsum("cmk, ckn -> cmn", &[shape, shape], DataType::F16).unwrap()
}

/// A product of an `m` x `k` and a `k` x `n` matrix.
fn product(m: u64, n: u64, k: u64) -> Schedule {
    Schedule::from_einsum("mk, kn -> mn", &[&[m, k], &[k, n]], DataType::F32).unwrap()
}

/// The only message of an error.
fn message<T: std::fmt::Debug>(result: Result<T, ContractionError>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.messages.len(), 1, "{error}");
    error.to_string()
}
