//! The bodies of mini-nbody, which pull each other.

pub mod blocked;
pub mod nbody;
