//! Learning at run time: calls on a device that the lock doesn't know are trials.

pub mod bandit;
mod drift;
mod estimate;

#[cfg(test)]
mod tests;
