//! Two matrices, and whether their product is right.

use bico_kernels as kernels;

pub(crate) struct Product {
    n: u32,
    pub(crate) a: Vec<f32>,
    pub(crate) b: Vec<f32>,
    pub(crate) c: Vec<f32>,
    /// Where to look, and what must be there.
    expected: Vec<(usize, f32)>,
}

impl Product {
    pub(crate) fn new(n: u32) -> bico::Result<Product> {
        let size = n as usize;
        let fill = |seed: usize| -> Vec<f32> {
            let value = |i: usize| ((i * 7919 + seed) % 1024) as f32 / 512.0 - 1.0;
            (0..size * size).map(value).collect()
        };
        let (a, b) = (fill(1), fill(2));
        let element = |at: usize| {
            let (i, j) = (at / size, at % size);
            let sum: f64 = (0..size)
                .map(|k| f64::from(a[i * size + k]) * f64::from(b[k * size + j]))
                .sum();
            (at, sum as f32)
        };
        let expected = (0..64)
            .map(|i| element(i * 104_729 % (size * size)))
            .collect();
        Ok(Product {
            n,
            c: vec![f32::NAN; size * size],
            a,
            b,
            expected,
        })
    }

    /// Multiplies with one candidate. It teaches nothing.
    pub(crate) fn with(&mut self, config: &bico::Config) -> bico::Result<()> {
        let n = self.n;
        kernels::gemm_with(config, &mut self.c, &self.a, &self.b, n, n, n)
    }

    /// Whichever candidate served: the result is right. Forgets it.
    pub(crate) fn check(&mut self) -> Result<(), String> {
        for &(at, expected) in &self.expected {
            let is = std::mem::replace(&mut self.c[at], f32::NAN);
            let near = (is - expected).abs() <= 1e-3 * (self.n as f32).sqrt();
            if !near {
                return Err(format!("element {at} is {is}, not {expected}"));
            }
        }
        Ok(())
    }
}
