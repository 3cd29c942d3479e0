//! Tensor contractions: an einsum as data, transformed by small verified steps, and written as C or CUDA.
//!
//! The way of a contraction: [`Schedule::from_einsum`], the steps ([`split_dim`](Schedule::split_dim),
//! [`pad_dim`](Schedule::pad_dim), [`permute_dims`](Schedule::permute_dims), ..), [`verify`](Schedule::verify), and
//! a kernel's text ([`to_c`](Schedule::to_c), [`to_cuda`](Schedule::to_cuda)). The generators read neither einsums nor
//! schedules but a [`Nest`] of loops.
//!
//! A [`Schedule`] says which loops a contraction has, of which [type](DimType), how each is
//! [executed](ExecType), and over which elements of the tensors. Each step gives an equivalent
//! schedule, or an error that says why not.
//!
//! ```
//! use bico_contraction::{DataType, Schedule};
//!
//! # fn main() -> Result<(), bico_contraction::ContractionError> {
//! // Four products of 512 x 512 matrices, in tiles of 64 x 96 over 128 summed elements at a time.
//! let shapes: [&[u64]; 2] = [&[4, 512, 512], &[4, 512, 512]];
//! let schedule = Schedule::from_einsum("cmk, ckn -> cmn", &shapes, DataType::F32)?
//!     .split_dim("m", ("m_out", 8), ("m_prim", 64))?
//!     .pad_dim("n", 576)?
//!     .split_dim("n", ("n_out", 6), ("n_prim", 96))?
//!     .split_dim("k", ("k_out", 4), ("k_prim", 128))?
//!     .make_executable()?;
//! schedule.verify()?;
//! assert_eq!(
//!     schedule.to_string(),
//!     r#"Gemm of F32, first touch Zero, last touch None
//! exec  dim     type  size  stride A  stride B  stride C
//! Par   c       C        4    262144    262144    262144
//!       m_out   M        8     32768         -     32768
//!       n_out   N        6         -        96        96
//! Seq   k_out   K        4       128     65536         -
//! Prim  m_prim  M       64       512         -       512
//!       k_prim  K      128         1       512         -
//!       n_prim  N       96         -         1         1
//! where n_out * 96 + n_prim < 512
//! from_einsum("cmk, ckn -> cmn", &[&[4, 512, 512], &[4, 512, 512]], F32)
//!   .split_dim("m", ("m_out", 8), ("m_prim", 64))
//!   .pad_dim("n", 576)
//!   .split_dim("n", ("n_out", 6), ("n_prim", 96))
//!   .split_dim("k", ("k_out", 4), ("k_prim", 128))
//!   .make_executable()
//! "#
//! );
//! # Ok(())
//! # }
//! ```
//!
//! A schedule that can be executed has a kernel, in C ([`Schedule::to_c`]) or in CUDA C++ ([`Schedule::to_cuda`]), for these
//! sizes. What bico tunes, `#[bico::tunable(einsum = ..)]`, is a text for all sizes and tiles ([`tunable::source`]).
//!
//! ```
//! # use bico_contraction::{DataType, Schedule};
//! # fn main() -> Result<(), bico_contraction::ContractionError> {
//! let schedule = Schedule::from_einsum("mk, kn -> mn", &[&[96, 64], &[64, 80]], DataType::F32)?
//!     .split_dim("m", 2, 48)?
//!     .make_executable()?;
//! let kernel = schedule.to_c("product")?;
//! assert!(kernel.source.contains("void product(float *restrict out_c, const float *restrict in_a"));
//! # Ok(())
//! # }
//! ```
//!
//! What cannot be executed is refused with all reasons at once:
//!
//! ```
//! use bico_contraction::{DataType, Schedule, ExecType::{Par, Prim, Seq}};
//!
//! # fn main() -> Result<(), bico_contraction::ContractionError> {
//! let schedule = Schedule::from_einsum("mk, kn -> mn", &[&[64, 32], &[32, 48]], DataType::F32)?
//!     .set_execs(&[Prim, Par, Seq])?;
//! // k is summed over and right of a Prim; n is Seq right of a Prim; neither is Prim.
//! assert_eq!(schedule.verify().unwrap_err().messages.len(), 5);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

pub mod c;
pub mod cuda;
mod dim;
mod einsum;
mod error;
mod generate;
pub mod nest;
mod schedule;
mod signature;
mod steps;
mod table;
mod template;
pub mod tunable;
mod types;
mod validate;
mod verify;

pub use dim::{Dim, Part};
pub use error::ContractionError;
use error::Result;
pub use nest::{Nest, Target};
pub use schedule::Schedule;
pub use signature::{Param, Signature};
pub use types::{Bound, DataType, DimType, ExecType, LastTouch, PrimType};
