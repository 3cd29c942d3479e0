//! Packages in temporary folders, with dependencies that are compiled once: those of `tests/functional`.

#![allow(
    dead_code,
    unused_imports,
    reason = "the other tests use more of it than we do"
)]

#[path = "../functional/harness/call.rs"]
mod call;
#[path = "../functional/harness/kernel.rs"]
mod kernel;
#[path = "../functional/harness/package.rs"]
mod package;
#[path = "../functional/harness/tree.rs"]
mod tree;
#[path = "../functional/harness/warm.rs"]
mod warm;

use call::{Call, Output};
pub(crate) use package::Package;
use tree::copy;
