//! What users see: real `cargo build`s of small packages in temporary folders.
//!
//! Nothing here looks at a time, and no right answer hangs on one: the configs that must not win
//! are wrong, or do a thousand times the work.

#![cfg(target_os = "linux")]

mod harness;

mod adopt;
mod analyse;
mod book;
mod buffers;
mod capture;
mod check;
mod concurrent;
mod conditions;
mod crates;
mod cuda;
mod damaged;
mod default;
mod devices;
mod drive;
mod einsum;
mod engines;
mod exchange;
mod expressions;
mod faults;
mod foreign;
mod functions;
mod gone;
mod guarantee;
mod keeping;
mod kernels;
mod light;
mod like;
mod look;
mod merge;
mod mistakes;
mod modes;
mod new;
mod newcomer;
mod packages;
mod perf;
mod ranges;
mod report;
mod reruns;
mod rules;
mod scanning;
mod sent;
mod shards;
mod shipped;
mod sizes;
mod space;
mod spared;
mod tune;
mod variants;
mod workers;
