//! One layer on the GPU: its inputs, and the ways to compute it.

use crate::activation::Activation;
use crate::cublas::Cublas;
use crate::number::Multiplied;
use crate::{Error, rounds};
use bico::Config;
use bico::cudarc::driver::{CudaSlice, CudaStream};
use std::fmt;
use std::sync::Arc;

/// Elements of each result that are computed again.
const CHECKED: usize = 256;

/// How y is computed.
pub enum Way {
    /// In one kernel, the tuned config.
    Tuned,
    /// In one kernel, the first valid config.
    Untuned(Config),
    /// Two products and an elementwise kernel; cuBLAS's products, where it is there.
    Apart(Option<Cublas>),
}

/// A way's median time.
pub struct Timed {
    /// What it is.
    pub name: String,
    /// Seconds of a call.
    pub seconds: f64,
}

/// Inputs here and on the GPU.
pub struct Layer<T> {
    stream: Arc<CudaStream>,
    act: Activation,
    sizes: [u32; 3],
    /// x, W, V
    here: [Vec<T>; 3],
    there: [CudaSlice<T>; 3],
    y: CudaSlice<T>,
    /// x W and x V, where they are computed apart.
    products: [CudaSlice<T>; 2],
}

impl<T: Multiplied> Layer<T> {
    /// Random inputs, of which the products have a standard deviation of about one, as in a network.
    pub fn new(
        stream: &Arc<CudaStream>,
        act: Activation,
        sizes: [u32; 3],
    ) -> Result<Layer<T>, Error> {
        let [m, n, k] = sizes.map(|size| size as usize);
        let mut random = fastrand::Rng::with_seed(1);
        let mut fill = |len: usize, most: f32| -> Vec<T> {
            let number = |_| T::of((random.f32() * 2.0 - 1.0) * most);
            (0..len).map(number).collect()
        };
        let most = 3.0 / (k.max(1) as f32).sqrt();
        let here = [fill(m * k, 1.0), fill(k * n, most), fill(k * n, most)];
        let [x, w, v] = &here;
        Ok(Layer {
            there: [
                stream.clone_htod(x)?,
                stream.clone_htod(w)?,
                stream.clone_htod(v)?,
            ],
            y: stream.alloc_zeros(m * n)?,
            products: [stream.alloc_zeros(m * n)?, stream.alloc_zeros(m * n)?],
            stream: stream.clone(),
            act,
            sizes,
            here,
        })
    }

    /// Computes y.
    fn run(&mut self, way: &Way) -> Result<(), Error> {
        let (stream, act) = (&self.stream, self.act.name());
        let [x, w, v] = &self.there;
        let config = match way {
            Way::Tuned => None,
            Way::Untuned(config) => Some(config),
            Way::Apart(cublas) => {
                let [left, right] = &mut self.products;
                for (product, weights) in [(&mut *left, w), (&mut *right, v)] {
                    match cublas {
                        Some(cublas) => T::by_cublas(cublas, product, [x, weights], self.sizes)?,
                        None => T::product(stream, product, [x, weights], self.sizes)?,
                    }
                }
                return Ok(T::gate(stream, act, &mut self.y, [left, right])?);
            }
        };
        Ok(T::fused(
            config,
            stream,
            act,
            &mut self.y,
            [x, w, v],
            self.sizes,
        )?)
    }

    /// Computes y once each way, and some of its elements again; then times the ways in turns.
    ///
    /// # Errors
    ///
    /// An element is not what it should be, or a call failed.
    pub fn compare(&mut self, ways: &[Way]) -> Result<Vec<Timed>, Error> {
        let expected = self.expected();
        let names: Vec<String> = ways
            .iter()
            .map(|way| self.name(way))
            .collect::<Result<_, _>>()?;
        for (way, name) in ways.iter().zip(&names) {
            // What is not written stays zero, which is near to nothing expected.
            self.stream.memset_zeros(&mut self.y)?;
            self.run(way)?;
            let y = self.stream.clone_dtoh(&self.y)?;
            self.stream.synchronize()?;
            check::<T>(&y, &expected).map_err(|wrong| format!("{name}: {wrong}"))?;
        }
        let stream = self.stream.clone();
        let times = rounds::time(&stream, ways.len(), |way| self.run(&ways[way]))?;
        let timed = |(name, seconds)| Timed { name, seconds };
        Ok(names.into_iter().zip(times).map(timed).collect())
    }

    fn name(&self, way: &Way) -> Result<String, Error> {
        Ok(match way {
            Way::Tuned => {
                let choice = T::choice(&self.stream, self.act.name(), self.sizes)?;
                format!("fused, tuned: {choice}")
            }
            Way::Untuned(config) => format!("fused, untuned: {config}"),
            Way::Apart(Some(_)) => "two products of cuBLAS, then elementwise".into(),
            Way::Apart(None) => format!("two products of {}, then elementwise", T::PRODUCT),
        })
    }

    /// Some elements of y by number, in double precision.
    fn expected(&self) -> Vec<(usize, f64)> {
        let [m, n, k] = self.sizes.map(|size| size as usize);
        let [x, w, v] = &self.here;
        let mut random = fastrand::Rng::with_seed(2);
        let at = |number: usize| {
            let (row, column) = (number / n, number % n);
            let product = |weights: &[T]| -> f64 {
                let value = |number: T| -> f64 { number.into() };
                let term = |p| value(x[row * k + p]) * value(weights[p * n + column]);
                (0..k).map(term).sum()
            };
            (number, product(w) * self.act.of(product(v)))
        };
        // The last element is the one that a grid too small leaves out.
        let some: Vec<usize> = (1..CHECKED).map(|_| random.usize(..m * n)).collect();
        some.into_iter().chain([m * n - 1]).map(at).collect()
    }
}

/// Whether the elements of y are what is expected, but for rounding.
fn check<T: Multiplied>(y: &[T], expected: &[(usize, f64)]) -> Result<(), String> {
    let squares: f64 = expected.iter().map(|(_, value)| value * value).sum();
    let typical = (squares / expected.len() as f64).sqrt();
    for &(number, value) in expected {
        let have: f64 = y[number].into();
        // A NaN is near to nothing.
        let is_near = (have - value).abs() <= T::TOLERANCE * (value.abs() + typical);
        if !is_near {
            return Err(format!("element {number} of y is {have}, not {value}"));
        }
    }
    Ok(())
}

impl fmt::Display for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>10.4} ms  {}", self.seconds * 1e3, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_off_is_found() {
        let expected = [(0, 1.0), (2, -4.0)];
        assert_eq!(check(&[1.001f32, 0.0, -4.0], &expected), Ok(()));
        let error = check(&[1.0f32, 0.0, -4.25], &expected).unwrap_err();
        assert!(error.contains("element 2 of y is -4.25, not -4"), "{error}");
        assert!(check(&[f32::NAN, 0.0, -4.0], &expected).is_err());
        assert!(check(&[0.0f32, 0.0, 0.0], &expected).is_err());
    }
}
