//! A matrix product seven ways, raced in one run on one thread.

mod product;

use bico_kernels as kernels;
use std::time::Instant;

/// Multiplies `a` and `b` (square, row-major, `n` rows) into `c`.
type Product = Box<dyn FnMut(&mut [f32], &[f32], &[f32], usize)>;

/// One way to multiply.
pub struct Contender {
    /// The row's name, also the key in the JSON.
    pub name: &'static str,
    /// What it is, for people.
    pub what: String,
    run: Product,
    /// Runs per race at most: the naive loop takes a thousand times longer.
    rounds: usize,
}

impl Contender {
    /// A contender that runs in every round.
    pub fn new(
        name: &'static str,
        what: impl Into<String>,
        run: impl FnMut(&mut [f32], &[f32], &[f32], usize) + 'static,
    ) -> Contender {
        Contender {
            name,
            what: what.into(),
            run: Box::new(run),
            rounds: usize::MAX,
        }
    }
}

/// What came of one contender.
pub struct Row {
    /// [`Contender::name`].
    pub name: &'static str,
    /// [`Contender::what`].
    pub what: String,
    /// Of its fastest run.
    pub gflops: f64,
}

/// The naive loop, three configs of bico's kernel, what won against OpenBLAS when this was tuned, and two crates.
pub fn contenders(n: u32) -> bico::Result<Vec<Contender>> {
    let size = [i64::from(n); 3];
    let tunable = kernels::gemm_tunable();
    let untuned = tunable.first_valid(&size)?;
    let ranked = tunable.top_ranked(&size)?;
    let tuned = bico::config_of(tunable, &size)?;
    let with = |config: bico::Config| {
        move |c: &mut [f32], a: &[f32], b: &[f32], n: usize| {
            let n = n as u32;
            kernels::gemm_with(&config, c, a, b, n, n, n)
                .expect("the config is one of the binary's");
        }
    };
    let mut naive = Contender::new("naive", "three loops in Rust", naive);
    naive.rounds = 1;
    Ok(vec![
        naive,
        Contender::new(
            "untuned",
            format!("bico, first valid config: {untuned}"),
            with(untuned),
        ),
        Contender::new(
            "ranked",
            format!("bico, top-ranked config: {ranked}"),
            with(ranked),
        ),
        Contender::new("tuned", format!("bico, {tuned}"), |c, a, b, n| {
            let n = n as u32;
            kernels::gemm(c, a, b, n, n, n).expect("the buffers are long enough");
        }),
        Contender::new(
            "variants",
            format!(
                "bico, {}, the fastest of the variants that were there then",
                product::winner(&size)?
            ),
            |c, a, b, n| {
                let n = n as u32;
                product::product(c, a, b, n, n, n).expect("the buffers are long enough");
            },
        ),
        Contender::new("matrixmultiply", "crate matrixmultiply", |c, a, b, n| {
            let stride = n as isize;
            // SAFETY: three dense n x n matrices, c distinct from a and b.
            unsafe {
                let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                matrixmultiply::sgemm(n, n, n, 1.0, a, stride, 1, b, stride, 1, 0.0, c, stride, 1);
            }
        }),
        Contender::new("gemm", "crate gemm", |c, a, b, n| {
            let stride = n as isize;
            // SAFETY: three dense n x n matrices, c distinct from a and b.
            unsafe {
                let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                gemm::gemm(
                    n,
                    n,
                    n,
                    c,
                    1,
                    stride,
                    false,
                    a,
                    1,
                    stride,
                    b,
                    1,
                    stride,
                    0.0,
                    1.0,
                    false,
                    false,
                    false,
                    gemm::Parallelism::None,
                );
            }
        }),
    ])
}

fn naive(c: &mut [f32], a: &[f32], b: &[f32], n: usize) {
    for i in 0..n {
        for j in 0..n {
            c[i * n + j] = (0..n).map(|k| a[i * n + k] * b[k * n + j]).sum();
        }
    }
}

/// Races the contenders in turns, so that drift and a busy machine meet all alike, and takes each
/// one's fastest run. Results are compared with the first contender's.
pub fn race(contenders: Vec<Contender>, n: usize, rounds: usize) -> Result<Vec<Row>, String> {
    let fill = |seed: usize| -> Vec<f32> {
        (0..n * n)
            .map(|i| ((i * 7919 + seed) % 1024) as f32 / 512.0 - 1.0)
            .collect()
    };
    let (a, b) = (fill(1), fill(2));
    let mut c = vec![0.0; n * n];
    let mut expected: Option<Vec<f32>> = None;
    let mut fastest = vec![f64::INFINITY; contenders.len()];
    let mut contenders = contenders;
    for round in 0..rounds {
        for (contender, fastest) in contenders.iter_mut().zip(&mut fastest) {
            if round >= contender.rounds {
                continue;
            }
            c.fill(f32::NAN);
            let start = Instant::now();
            (contender.run)(&mut c, &a, &b, n);
            *fastest = fastest.min(start.elapsed().as_secs_f64());
            let expected = expected.get_or_insert_with(|| c.clone());
            let tolerance = 1e-3 * (n as f32).sqrt();
            let is_near = |i: &usize| (c[*i] - expected[*i]).abs() <= tolerance;
            // A NaN is near to nothing.
            if let Some(i) = (0..n * n).find(|i| !is_near(i)) {
                return Err(format!(
                    "{}: element {i} is {}, not {}",
                    contender.name, c[i], expected[i]
                ));
            }
        }
    }
    let flops = 2.0 * (n as f64).powi(3);
    let rows = contenders.into_iter().zip(fastest);
    Ok(rows
        .map(|(c, t)| Row {
            name: c.name,
            what: c.what,
            gflops: flops / t * 1e-9,
        })
        .collect())
}

/// Prints the rows as a table, or as one JSON object of GFLOP/s.
pub fn print(rows: &[Row], n: usize, json: bool) {
    if json {
        let rounded = |gflops: f64| (gflops * 100.0).round() / 100.0;
        let object: serde_json::Map<String, serde_json::Value> = rows
            .iter()
            .map(|row| (row.name.to_string(), rounded(row.gflops).into()))
            .collect();
        println!("{}", serde_json::Value::Object(object));
        return;
    }
    println!("C = A * B, {n} x {n} x {n}, f32, one thread, fastest run of each\n");
    println!("{:<15} {:>9}  ", "", "GFLOP/s");
    for row in rows {
        println!("{:<15} {:>9.1}  {}", row.name, row.gflops, row.what);
    }
}
