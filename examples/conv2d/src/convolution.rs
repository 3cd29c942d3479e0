//! One convolution, three ways: checked, then timed in turns.

use crate::error::Error;
use crate::naive::Naive;
use bico::cudarc::driver::{CudaContext, CudaSlice, CudaStream, sys::CUevent_flags};
use bico_kernels::{conv2d_cuda, conv2d_cuda_tunable, conv2d_cuda_with};
use std::sync::Arc;

/// Rounds of timed runs, in which everybody runs once.
const ROUNDS: usize = 21;
/// Elements of a result that are computed again.
const CHECKED: usize = 1024;

/// out is h x w, the filter f x f, and the input larger by f - 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) h: u32,
    pub(crate) w: u32,
    pub(crate) f: u32,
}

impl Sizes {
    pub(crate) const fn new(h: u32, w: u32, f: u32) -> Sizes {
        Sizes { h, w, f }
    }

    pub(crate) fn flops(self) -> f64 {
        let [h, w, f] = [self.h, self.w, self.f].map(f64::from);
        2.0 * h * w * f * f
    }

    /// What must be moved at least.
    pub(crate) fn bytes(self) -> f64 {
        let [h, w, f] = [self.h, self.w, self.f].map(f64::from);
        4.0 * (h * w + (h + f - 1.0) * (w + f - 1.0) + f * f)
    }

    fn as_i64(self) -> [i64; 3] {
        [self.h, self.w, self.f].map(i64::from)
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Contender {
    /// What bico serves.
    Tuned,
    /// The first valid config of the space.
    Untuned,
    /// One thread per element.
    Naive,
}

/// The tuned one first: it is what the others are compared with.
pub(crate) const CONTENDERS: [Contender; 3] =
    [Contender::Tuned, Contender::Untuned, Contender::Naive];

impl Contender {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Contender::Tuned => "tuned",
            Contender::Untuned => "untuned",
            Contender::Naive => "naive",
        }
    }
}

pub(crate) struct Convolution {
    stream: Arc<CudaStream>,
    sizes: Sizes,
    input: Vec<f32>,
    filter: Vec<f32>,
    on_gpu: [CudaSlice<f32>; 2],
    out: CudaSlice<f32>,
    untuned: bico::Config,
    naive: Naive,
}

impl Convolution {
    /// Random input and filter on the first GPU. Prints which config serves.
    pub(crate) fn new(sizes: Sizes) -> Result<Convolution, Error> {
        // First bico, which says what is missing: without a driver cudarc panics.
        let choice = bico::config_of(conv2d_cuda_tunable(), &sizes.as_i64())?;
        println!("{choice}");
        let untuned = conv2d_cuda_tunable().first_valid(&sizes.as_i64())?;
        let context = CudaContext::new(0)?;
        let naive = Naive::new(&context)?;
        let stream = context.default_stream();
        let [h, w, f] = [sizes.h, sizes.w, sizes.f].map(|size| size as usize);
        let mut random = fastrand::Rng::with_seed(1);
        let mut fill = |len| -> Vec<f32> { (0..len).map(|_| random.f32() * 2.0 - 1.0).collect() };
        let (input, filter) = (fill((h + f - 1) * (w + f - 1)), fill(f * f));
        Ok(Convolution {
            on_gpu: [stream.clone_htod(&input)?, stream.clone_htod(&filter)?],
            out: stream.alloc_zeros(h * w)?,
            stream,
            sizes,
            input,
            filter,
            untuned,
            naive,
        })
    }

    fn convolve(&mut self, contender: Contender) -> Result<(), Error> {
        let Sizes { h, w, f } = self.sizes;
        let ([input, filter], out, stream) = (&self.on_gpu, &mut self.out, &self.stream);
        match contender {
            Contender::Tuned => conv2d_cuda(stream, out, input, filter, h, w, f)?,
            Contender::Untuned => {
                conv2d_cuda_with(&self.untuned, stream, out, input, filter, h, w, f)?;
            }
            Contender::Naive => self.naive.launch(stream, out, input, filter, self.sizes)?,
        }
        Ok(())
    }

    /// Runs each once, on a poisoned output, and computes some elements again.
    pub(crate) fn check(&mut self) -> Result<(), Error> {
        let poison = vec![f32::NAN; self.out.len()];
        let mut random = fastrand::Rng::with_seed(2);
        for contender in CONTENDERS {
            self.stream.memcpy_htod(&poison, &mut self.out)?;
            self.convolve(contender)?;
            let out = self.stream.clone_dtoh(&self.out)?;
            self.stream.synchronize()?;
            // The last element is the one that a grid too small leaves out.
            let some = (1..CHECKED).map(|_| random.usize(..out.len()));
            for at in some.chain([out.len() - 1]) {
                let expected = self.element(at);
                // Rounding adds up like a random walk; a NaN is near to nothing.
                let is_near =
                    (f64::from(out[at]) - expected).abs() <= 1e-5 * f64::from(self.sizes.f);
                if !is_near {
                    return Err(Error::Wrong(format!(
                        "{}: element {at} is {}, not {expected}",
                        contender.name(),
                        out[at]
                    )));
                }
            }
        }
        Ok(())
    }

    /// An element of the result, in f64.
    fn element(&self, at: usize) -> f64 {
        let [w, f] = [self.sizes.w, self.sizes.f].map(|size| size as usize);
        let (y, x) = (at / w, at % w);
        let terms = (0..f * f).map(|i| {
            let input = self.input[(y + i / f) * (w + f - 1) + x + i % f];
            f64::from(self.filter[i]) * f64::from(input)
        });
        terms.sum()
    }

    /// Median seconds of each, by events on the stream.
    pub(crate) fn time(&mut self) -> Result<[f64; CONTENDERS.len()], Error> {
        let mut times = [const { Vec::new() }; CONTENDERS.len()];
        for _ in 0..ROUNDS {
            for (contender, times) in CONTENDERS.into_iter().zip(&mut times) {
                // Keeps the GPU busy while the timed run is asked for: what that takes does not count.
                self.convolve(contender)?;
                // An event without flags keeps no time.
                let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
                let start = self.stream.record_event(timed)?;
                self.convolve(contender)?;
                let end = self.stream.record_event(timed)?;
                times.push(f64::from(start.elapsed_ms(&end)?) * 1e-3);
            }
        }
        Ok(times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 2]
        }))
    }
}
