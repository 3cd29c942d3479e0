//! Ops of candle whose kernels bico tunes: a [`CustomOp1`](candle_core::CustomOp1), a
//! [`CustomOp2`](candle_core::CustomOp2) and a [`CustomOp3`](candle_core::CustomOp3).

mod cpu;
#[cfg(feature = "cuda")]
mod gpu;
mod linear;
mod part;
mod rms_norm;
mod softmax;

pub use linear::LinearQ4_0;
pub use rms_norm::RmsNorm;
pub use softmax::Softmax;
