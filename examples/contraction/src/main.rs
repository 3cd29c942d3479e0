//! `cargo run --release -p contraction`: an einsum, what became of it, and what that is worth.

use contraction::{EINSUM, SIZES, contract_tunable, race, steps, table};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let [c, m, n, k] = SIZES;
    println!("{EINSUM}: c = {c}, m = {m}, n = {n}, k = {k}\n\nThe einsum as loops\n");
    println!("{}", steps::before()?);

    let choice = bico::config_of(contract_tunable(), &SIZES.map(i64::from))?;
    println!("What serves here: {choice}\n");
    let tiles = steps::tiles(&choice.config).ok_or("the config has no tiles")?;
    println!(
        "The loops with its tiles, and the steps to them\n\n{}",
        steps::after(tiles)?
    );

    println!("The best configs of the lock\n\n{}", table::tables()?);

    let rows = race::race()?;
    let tuned = rows.last().map_or(f64::NAN, |row| row.seconds);
    let flops = SIZES.map(f64::from).iter().product::<f64>() * 2.0;
    println!("One thread, fastest run of each\n");
    println!(
        "{:<20} {:>9} {:>9}  {:>10}",
        "", "ms", "GFLOP/s", "tuned is"
    );
    for row in &rows {
        println!(
            "{:<20} {:>9.3} {:>9.1}  {:>9.2}x",
            row.name,
            row.seconds * 1e3,
            flops / row.seconds * 1e-9,
            row.seconds / tuned
        );
    }
    Ok(())
}
