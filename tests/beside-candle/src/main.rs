//! bico's types and cudarc's are the same ones here, whoever chose how cudarc finds the driver.

use cudarc::driver::{CudaContext, CudaStream, DriverError};
use std::sync::Arc;

/// A stream as bico's wrappers take it.
fn stream() -> Result<Arc<CudaStream>, DriverError> {
    Ok(CudaContext::new(0)?.default_stream())
}

fn main() {
    match bico::device::cuda::driver() {
        Ok(()) => println!("{:?}", stream().map(|stream| stream.context().ordinal())),
        Err(missing) => println!("{missing}"),
    }
}
