//! The memory, from outside.
