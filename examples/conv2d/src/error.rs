//! What can go wrong.

use bico::cudarc::driver::DriverError;
use std::fmt;

#[derive(Debug)]
pub(crate) enum Error {
    /// A call of bico's.
    Bico(bico::Error),
    /// A call of the driver's.
    Driver(DriverError),
    /// The naive kernel does not load.
    Naive(String),
    /// An element is not what it should be.
    Wrong(String),
}

impl From<bico::Error> for Error {
    fn from(error: bico::Error) -> Error {
        Error::Bico(error)
    }
}

impl From<DriverError> for Error {
    fn from(error: DriverError) -> Error {
        Error::Driver(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Bico(error) => error.fmt(f),
            Error::Driver(error) => write!(f, "the CUDA driver: {error}"),
            Error::Naive(why) => write!(f, "the naive kernel does not load: {why}"),
            Error::Wrong(what) => f.write_str(what),
        }
    }
}
