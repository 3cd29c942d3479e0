//! Nothing: see this package's Cargo.toml.
