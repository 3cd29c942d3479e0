//! Learning at run time: calls on a device that the lock doesn't know are trials.

mod arm;
pub mod bandit;
mod drift;
mod estimate;
mod pace;
mod terms;

#[cfg(test)]
mod tests;
