//! Small packages, what cargo says of them, and what a build leaves.

mod call;
mod command;
mod kernel;
mod package;
pub(crate) mod process;
mod tree;
mod warm;

pub(crate) use call::{Call, Output};
pub(crate) use kernel::{KERNEL, MAIN, tunable};
pub(crate) use package::{Package, only_trial};
pub(crate) use tree::{Tree, copy};
pub(crate) use warm::{Kind, WORKSPACE, target as fresh_target};
