//! Tests of the L2 model: the order of blocks, the simulation, the closed form, its text, and the exercise.

mod agreement;
mod exercise;
mod expression;
mod mapping;
mod model;
mod simulation;
