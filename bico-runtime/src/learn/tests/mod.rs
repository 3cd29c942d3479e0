mod drift;
mod estimate;
mod lifecycle;
mod noise;
mod pace;
mod world;
