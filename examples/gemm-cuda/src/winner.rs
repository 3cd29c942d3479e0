//! The tuned kernel, run as any program would run it: checked, then timed.

use crate::tunables::{gemm_guided, gemm_guided_tunable};
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError, sys::CUevent_flags};
use std::fmt;
use std::sync::Arc;

/// Timed runs.
const RUNS: usize = 20;
/// Elements of the result that are computed again.
const CHECKED: usize = 256;

/// What can go wrong.
#[derive(Debug)]
pub enum Error {
    /// A call of bico's.
    Bico(bico::Error),
    /// A call of the driver's.
    Driver(DriverError),
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
            Error::Wrong(what) => f.write_str(what),
        }
    }
}

/// Three matrices on the GPU, and two of them here.
pub struct Product {
    stream: Arc<CudaStream>,
    sizes: [u32; 3],
    a: Vec<f32>,
    b: Vec<f32>,
    on_gpu: [CudaSlice<f32>; 2],
    c: CudaSlice<f32>,
}

impl Product {
    /// Random matrices for a product of m, n, k.
    pub fn new(sizes: [u32; 3]) -> Result<Product, Error> {
        // First bico, which says what is missing: without a driver cudarc panics.
        let choice = bico::config_of(gemm_guided_tunable(), &sizes.map(i64::from))?;
        println!("{choice}");
        let stream = CudaContext::new(0)?.default_stream();
        let [m, n, k] = sizes.map(|size| size as usize);
        let mut random = fastrand::Rng::with_seed(1);
        let mut fill = |len| -> Vec<f32> { (0..len).map(|_| random.f32() * 2.0 - 1.0).collect() };
        let (a, b) = (fill(m * k), fill(k * n));
        Ok(Product {
            on_gpu: [stream.clone_htod(&a)?, stream.clone_htod(&b)?],
            c: stream.alloc_zeros(m * n)?,
            stream,
            sizes,
            a,
            b,
        })
    }

    fn multiply(&mut self) -> bico::Result<()> {
        let [m, n, k] = self.sizes;
        let [a, b] = &self.on_gpu;
        gemm_guided(&self.stream, &mut self.c, a, b, m, n, k)
    }

    /// Multiplies once and computes some elements again.
    pub fn check(&mut self) -> Result<(), Error> {
        self.multiply()?;
        let c = self.stream.clone_dtoh(&self.c)?;
        self.stream.synchronize()?;
        let [_, n, k] = self.sizes.map(|size| size as usize);
        let mut random = fastrand::Rng::with_seed(2);
        // The last element is the one that a grid too small leaves out.
        let some = (1..CHECKED).map(|_| random.usize(..c.len()));
        for at in some.chain([c.len() - 1]) {
            let (row, column) = (at / n, at % n);
            let terms =
                (0..k).map(|p| f64::from(self.a[row * k + p]) * f64::from(self.b[p * n + column]));
            let expected: f64 = terms.sum();
            // Rounding adds up like a random walk; a NaN is near to nothing.
            let is_near = (f64::from(c[at]) - expected).abs() <= 1e-5 * (k as f64).sqrt();
            if !is_near {
                return Err(Error::Wrong(format!(
                    "c[{row}][{column}] is {}, not {expected}",
                    c[at]
                )));
            }
        }
        Ok(())
    }

    /// Median seconds of a call, by events on the stream.
    pub fn time(&mut self) -> Result<f64, Error> {
        let mut times = Vec::new();
        for _ in 0..RUNS {
            // An event without flags keeps no time.
            let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
            let start = self.stream.record_event(timed)?;
            self.multiply()?;
            let end = self.stream.record_event(timed)?;
            times.push(f64::from(start.elapsed_ms(&end)?) * 1e-3);
        }
        times.sort_by(f64::total_cmp);
        Ok(times[RUNS / 2])
    }
}
