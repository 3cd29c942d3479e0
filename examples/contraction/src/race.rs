//! The kernel against plain loops and a library, in turns and on one thread.

use crate::{SIZES, contract, contract_tunable, contract_with};
use std::time::Instant;

const ROUNDS: usize = 15;

/// Computes the batch: o, a, b.
type Product = Box<dyn FnMut(&mut [f32], &[f32], &[f32]) -> bico::Result<()>>;

/// What came of one way.
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Of its fastest run.
    pub seconds: f64,
}

/// Races four ways. Each result is compared with the first one's.
///
/// # Errors
///
/// A call of bico's fails, or a result differs.
pub fn race() -> Result<Vec<Row>, String> {
    let [c, m, n, k] = SIZES;
    let sizes = SIZES.map(i64::from);
    let untuned = contract_tunable()
        .first_valid(&sizes)
        .map_err(|e| e.to_string())?;
    let ways: [(&str, Product); 4] = [
        ("row-major nest", Box::new(nest)),
        (
            "bico, first config",
            Box::new(move |o, a, b| contract_with(&untuned, o, a, b, c, m, n, k)),
        ),
        ("matrixmultiply", Box::new(per_batch)),
        (
            "bico, tuned",
            Box::new(move |o, a, b| contract(o, a, b, c, m, n, k)),
        ),
    ];
    let [c, m, n, k] = SIZES.map(|size| size as usize);
    let fill = |count: usize, seed: usize| -> Vec<f32> {
        let value = |i: usize| ((i * 7919 + seed) % 1024) as f32 / 512.0 - 1.0;
        (0..count).map(value).collect()
    };
    let (a, b) = (fill(c * m * k, 1), fill(c * k * n, 2));
    let mut o = vec![0.0; c * m * n];
    let mut expected: Option<Vec<f32>> = None;
    let mut ways = ways.map(|(name, run)| (name, run, f64::INFINITY));
    // In turns: drift and a busy machine meet all alike.
    for _ in 0..ROUNDS {
        for (name, run, fastest) in &mut ways {
            o.fill(f32::NAN);
            let start = Instant::now();
            run(&mut o, &a, &b).map_err(|error| error.to_string())?;
            *fastest = fastest.min(start.elapsed().as_secs_f64());
            let expected = expected.get_or_insert_with(|| o.clone());
            let tolerance = 1e-4 * (k as f32).sqrt();
            // A NaN is near to nothing.
            let is_near = |i: &usize| (o[*i] - expected[*i]).abs() <= tolerance;
            if let Some(i) = (0..o.len()).find(|i| !is_near(i)) {
                return Err(format!(
                    "{name}: element {i} is {}, not {}",
                    o[i], expected[i]
                ));
            }
        }
    }
    let rows = ways.into_iter();
    Ok(rows
        .map(|(name, _, seconds)| Row { name, seconds })
        .collect())
}

/// The loops of the config before all steps: c, m, k, n.
fn nest(o: &mut [f32], a: &[f32], b: &[f32]) -> bico::Result<()> {
    let [_, m, n, k] = SIZES.map(|size| size as usize);
    o.fill(0.0);
    for (row, o) in o.chunks_mut(n).enumerate() {
        let (batch, row) = (row / m, row % m);
        for step in 0..k {
            let a = a[(batch * m + row) * k + step];
            let b = &b[(batch * k + step) * n..][..n];
            for (o, b) in o.iter_mut().zip(b) {
                *o += a * b;
            }
        }
    }
    Ok(())
}

/// A call of `matrixmultiply` for each batch.
fn per_batch(o: &mut [f32], a: &[f32], b: &[f32]) -> bico::Result<()> {
    let [c, m, n, k] = SIZES.map(|size| size as usize);
    for batch in 0..c {
        let (a, b) = (&a[batch * m * k..][..m * k], &b[batch * k * n..][..k * n]);
        let o = &mut o[batch * m * n..][..m * n];
        // SAFETY: three dense row-major matrices of these sizes, `o` distinct from the others.
        unsafe {
            let (a, b, o) = (a.as_ptr(), b.as_ptr(), o.as_mut_ptr());
            let (rows, columns) = (n as isize, k as isize);
            matrixmultiply::sgemm(m, k, n, 1.0, a, columns, 1, b, rows, 1, 0.0, o, rows, 1);
        }
    }
    Ok(())
}
