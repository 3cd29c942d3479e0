mod bandit;
#[cfg(loom)]
mod loom;
