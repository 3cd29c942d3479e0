//! Results on their way out of a package and into it: winners for builds without bico, searches for other tools, and
//! other tools' results as what a search begins with.

pub(crate) mod cuh;
pub(crate) mod filter;
pub(crate) mod header;
pub(crate) mod import;
pub(crate) mod names;
pub(crate) mod searched;
pub(crate) mod trail;
pub(crate) mod winner;

#[cfg(test)]
mod tests;

pub(crate) use filter::Filter;
pub(crate) use trail::stored;
pub(crate) use winner::{Winner, winners};
