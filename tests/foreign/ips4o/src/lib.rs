//! The sort of ips4o.

pub mod sort;
