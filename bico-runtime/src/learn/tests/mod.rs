mod drift;
mod estimate;
mod lifecycle;
#[cfg(loom)]
mod loom;
mod noise;
mod pace;
mod world;
