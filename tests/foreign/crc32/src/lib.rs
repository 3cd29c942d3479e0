//! A checksum by eight algorithms.

pub mod crc32;
