//! Contenders against each other: they take turns, so that whatever disturbs one disturbs all.

use super::gpu::Gpu;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Turns that each contender gets at least; but for those that take too long; and at most.
const LEAST: usize = 7;
const FEWEST: usize = 3;
const MOST: usize = 200;

/// Something that is timed.
pub(super) struct Contender<'a> {
    pub(super) name: String,
    /// The config, or what else there is to say.
    pub(super) detail: String,
    pub(super) run: Box<dyn FnMut() -> Result<(), String> + 'a>,
}

/// What a contender took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timed {
    pub(crate) name: String,
    pub(crate) detail: String,
    /// Seconds: the median.
    pub(crate) median: f64,
    /// A quarter took less, a quarter more.
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) samples: usize,
}

/// Times all of them, round by round, for about so many seconds.
pub(super) fn compare(
    gpu: &Gpu,
    contenders: &mut [Contender<'_>],
    seconds: f64,
) -> Result<Vec<Timed>, String> {
    let said = |contender: &Contender<'_>, error| format!("{}: {error}", contender.name);
    for contender in contenders.iter_mut() {
        // Warm: code is loaded, and a library has decided what to take.
        for _ in 0..2 {
            (contender.run)().map_err(|error| said(contender, error))?;
        }
    }
    gpu.synchronize()?;
    let contenders_count = contenders.len() as f64;
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); contenders.len()];
    let (start, limit) = (Instant::now(), Duration::from_secs_f64(seconds.max(0.0)));
    for round in 0..MOST {
        if round >= LEAST && start.elapsed() >= limit {
            break;
        }
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            // One that is far slower than the others does not take all their time.
            let spent: f64 = times.iter().sum();
            if times.len() >= FEWEST && spent > seconds / contenders_count {
                continue;
            }
            let time = gpu.time(&mut *contender.run);
            times.push(time.map_err(|error| said(contender, error))?);
        }
    }
    Ok(contenders
        .iter()
        .zip(times)
        .map(|(contender, times)| timed(contender, times))
        .collect())
}

/// Which of them is the fastest, and its time.
pub(super) fn fastest(
    gpu: &Gpu,
    contenders: &mut [Contender<'_>],
    seconds: f64,
) -> Result<Option<(usize, Timed)>, String> {
    let times = compare(gpu, contenders, seconds)?.into_iter().enumerate();
    Ok(times.min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median)))
}

fn timed(contender: &Contender<'_>, mut times: Vec<f64>) -> Timed {
    times.sort_unstable_by(f64::total_cmp);
    let at = |part: usize| {
        times
            .get(times.len() * part / 4)
            .copied()
            .unwrap_or(f64::NAN)
    };
    Timed {
        name: contender.name.clone(),
        detail: contender.detail.clone(),
        median: at(2),
        low: at(1),
        high: at(3),
        samples: times.len(),
    }
}
