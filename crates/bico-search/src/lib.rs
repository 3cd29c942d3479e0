//! Finds the best config of a constrained space with few measurements.
//!
//! `space -> rank -> search`, and `guarantee` reads the trail. It knows numbers, values and a [`search::Measure`],
//! nothing of kernels or devices.

pub mod guarantee;
pub mod rank;
pub mod search;
pub mod space;
