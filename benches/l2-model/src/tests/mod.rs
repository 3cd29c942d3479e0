//! Tests of the L2 model: the order of blocks, the simulation, the closed form and the exercise.

mod agreement;
mod exercise;
mod mapping;
mod model;
mod simulation;
