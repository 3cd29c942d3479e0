//! Ways to do the same, timed in turns: what slows the GPU down for a while slows all of them down.

use crate::Error;
use bico::cudarc::driver::{CudaStream, sys::CUevent_flags};
use std::sync::Arc;

/// Rounds that are not counted, and rounds that are.
const ROUNDS: [usize; 2] = [3, 31];

/// Median seconds of each of `ways` runs, by events on the stream.
pub fn time(
    stream: &Arc<CudaStream>,
    ways: usize,
    mut run: impl FnMut(usize) -> Result<(), Error>,
) -> Result<Vec<f64>, Error> {
    let mut times = vec![Vec::new(); ways];
    for round in 0..ROUNDS[0] + ROUNDS[1] {
        for (way, times) in times.iter_mut().enumerate() {
            // Keeps the GPU busy while the timed run is asked for: what that takes does not count.
            run(way)?;
            // An event without flags keeps no time.
            let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
            let start = stream.record_event(timed)?;
            run(way)?;
            let end = stream.record_event(timed)?;
            let seconds = f64::from(start.elapsed_ms(&end)?) * 1e-3;
            if round >= ROUNDS[0] {
                times.push(seconds);
            }
        }
    }
    Ok(times.into_iter().map(median).collect())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
