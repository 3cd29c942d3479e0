//! Tunes a closure: the tile and the unrolling that transpose a matrix the fastest.
//!
//! `cargo run --release -p bico-search --example closure`

use bico_search::{Budget, Failure, Ranked, Search, Space, Value, by_name, from_fn, run};
use std::time::Instant;

const N: usize = 512;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let space = Space::parse(
        "space(TILE in powers_of_two(4..=256), UNROLL in 1..=8), require(TILE % UNROLL == 0)",
    )?;
    let (from, mut to) = (vec![1.0f32; N * N], vec![0.0f32; N * N]);
    let mut measure = from_fn(&*space, |config| {
        let &[Value::Int(tile), Value::Int(unroll)] = config else {
            return Err(Failure::Worker("two integers are expected".into()));
        };
        let begin = Instant::now();
        transpose(&from, &mut to, tile as usize, unroll as usize);
        Ok(begin.elapsed().as_secs_f64())
    });
    // Nothing predicts these times, so the search begins without any order.
    let (ranked, budget) = (Ranked::blind(space.len()), Budget::default());
    let search = Search::new(&*space, &ranked, budget);
    let found = run(
        &search,
        &mut *by_name("adaptive", 0)?,
        &mut measure,
        &mut (),
    );
    for row in found.trail.trials() {
        let seconds = row.outcome.sample().map(|sample| sample.seconds);
        println!("{:>3} {:?} {seconds:?}", row.evaluation, row.values);
    }
    let winner = found.winner.ok_or("nothing could be measured")?;
    let (values, seconds) = (space.config(winner.config), winner.sample.seconds);
    println!("{:?} = {values:?} in {seconds:e} s", space.names());
    Ok(())
}

fn transpose(from: &[f32], to: &mut [f32], tile: usize, unroll: usize) {
    let tiles = || (0..N).step_by(tile);
    for (top, left) in tiles().flat_map(|top| tiles().map(move |left| (top, left))) {
        for column in left..left + tile {
            for row in (top..top + tile).step_by(unroll) {
                for row in row..row + unroll {
                    to[column * N + row] = from[row * N + column];
                }
            }
        }
    }
}
