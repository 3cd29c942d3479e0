//! The batch on the GPU, and the ways to multiply it.

use crate::cublas::Cublas;
use crate::{Error, SIZES, contract, contract_by_rows, rounds};
use bico::cudarc::driver::{CudaSlice, CudaStream};
use half::f16;
use std::sync::Arc;

/// Elements of each result that are computed again.
const CHECKED: usize = 256;

/// How the batch is multiplied.
pub enum Way {
    /// bico's kernel, blocks in the tuned groups.
    Tuned,
    /// bico's kernel, blocks row by row.
    ByRows,
    /// The library.
    Library(Cublas),
}

/// Two inputs here and on the GPU, and a result.
pub struct Batch {
    stream: Arc<CudaStream>,
    here: [Vec<f16>; 2],
    there: [CudaSlice<f16>; 2],
    o: CudaSlice<f16>,
}

impl Batch {
    /// Random matrices of [`SIZES`].
    ///
    /// # Errors
    ///
    /// The GPU has not the memory.
    pub fn new(stream: &Arc<CudaStream>) -> Result<Batch, Error> {
        let [c, m, n, k] = SIZES.map(|size| size as usize);
        let mut random = fastrand::Rng::with_seed(1);
        let mut fill = |count: usize| -> Vec<f16> {
            (0..count)
                .map(|_| f16::from_f32(random.f32() * 2.0 - 1.0))
                .collect()
        };
        let here = [fill(c * m * k), fill(c * k * n)];
        Ok(Batch {
            there: [stream.clone_htod(&here[0])?, stream.clone_htod(&here[1])?],
            o: stream.alloc_zeros(c * m * n)?,
            stream: stream.clone(),
            here,
        })
    }

    fn run(&mut self, way: &Way) -> Result<(), Error> {
        let [c, m, n, k] = SIZES;
        let (stream, o, [a, b]) = (&self.stream, &mut self.o, &self.there);
        match way {
            Way::Tuned => contract(stream, o, a, b, c, m, n, k)?,
            Way::ByRows => contract_by_rows(stream, o, a, b, c, m, n, k)?,
            Way::Library(cublas) => cublas.contract(o, [a, b])?,
        }
        Ok(())
    }

    /// Computes the batch once each way, and some elements again; then times the ways in turns: median seconds.
    ///
    /// # Errors
    ///
    /// An element is not what it should be, or a call fails.
    pub fn compare(&mut self, ways: &[Way]) -> Result<Vec<f64>, Error> {
        let expected = self.expected();
        for (number, way) in ways.iter().enumerate() {
            // What is not written stays zero, which is near to nothing expected.
            self.stream.memset_zeros(&mut self.o)?;
            self.run(way)?;
            let o = self.stream.clone_dtoh(&self.o)?;
            self.stream.synchronize()?;
            check(&o, &expected).map_err(|wrong| format!("way {number}: {wrong}"))?;
        }
        let stream = self.stream.clone();
        rounds::time(&stream, ways.len(), |way| self.run(&ways[way]))
    }

    /// Some elements of the result by number, in double precision.
    fn expected(&self) -> Vec<(usize, f64)> {
        let [c, m, n, k] = SIZES.map(|size| size as usize);
        let [a, b] = &self.here;
        let mut random = fastrand::Rng::with_seed(2);
        let at = |number: usize| {
            let (batch, row, column) = (number / (m * n), number / n % m, number % n);
            let terms = (0..k).map(|step| {
                f64::from(a[(batch * m + row) * k + step])
                    * f64::from(b[(batch * k + step) * n + column])
            });
            (number, terms.sum())
        };
        // The last element is the one that a grid too small leaves out.
        let some: Vec<usize> = (1..CHECKED).map(|_| random.usize(..c * m * n)).collect();
        some.into_iter().chain([c * m * n - 1]).map(at).collect()
    }
}

/// Whether the elements are what is expected, but for rounding to half precision.
fn check(o: &[f16], expected: &[(usize, f64)]) -> Result<(), String> {
    let squares: f64 = expected.iter().map(|(_, value)| value * value).sum();
    let typical = (squares / expected.len() as f64).sqrt();
    for &(number, value) in expected {
        let have = f64::from(o[number]);
        // A NaN is near to nothing.
        let is_near = (have - value).abs() <= 1e-3 * (value.abs() + typical);
        if !is_near {
            return Err(format!("element {number} is {have}, not {value}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_off_is_found() {
        let o = [1.0, 0.0, -4.0].map(f16::from_f32);
        assert_eq!(check(&o, &[(0, 1.0), (2, -4.0)]), Ok(()));
        let error = check(&o, &[(0, 1.0), (2, -4.1)]).unwrap_err();
        assert!(error.contains("element 2 is -4, not -4.1"), "{error}");
        assert!(check(&[f16::NAN], &[(0, 1.0)]).is_err());
    }
}
