//! `BICO=off cargo run --release -p new-device`: how a program learns on a CPU that `bico.lock` does not know.
//!
//! The kernel is the matrix product of `kernels/`, whose lock knows one CPU. On any other one the calls
//! themselves are the trials: this program calls, shows which candidate served each call, and compares with
//! an oracle that knows the best from the start.

mod candidates;
mod live;
mod oracle;
mod product;

use bico::State;
use bico_kernels as kernels;
use candidates::Candidates;
use live::Live;
use oracle::Oracle;
use product::Product;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// Rows and columns of the matrices: a call takes a millisecond or two.
const N: u32 = 512;
const CALLS: usize = 4000;
/// Where a call takes longer, there are fewer.
const LONGEST: Duration = Duration::from_secs(12);
/// The oracle looks on once in so many calls.
const ORACLE: usize = 80;
/// And at the end, until it has seen enough.
const ENOUGH: usize = 21;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let calls = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => Some(CALLS),
        [flag, calls] if flag == "--calls" => calls.parse().ok(),
        _ => None,
    };
    let Some(calls) = calls.filter(|calls| *calls > 0) else {
        eprintln!("usage: new-device [--calls N]");
        return ExitCode::from(2);
    };
    let outcome = match setting("BICO_CACHE") {
        Some(_) => learn(calls).map(|()| ExitCode::SUCCESS),
        None => forgetful(),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

/// An example that was settled by the run before would show nothing: starts this program again with the
/// user's cache off.
fn forgetful() -> Outcome<ExitCode> {
    let status = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .env("BICO_CACHE", "off")
        .status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

fn learn(calls: usize) -> Outcome<()> {
    let tunable = kernels::gemm_tunable();
    let sizes = [i64::from(N); 3];
    let candidates = Candidates::of(tunable, &sizes)?;
    let here = tunable.device_key()?;
    println!("gemm at m={N}, n={N}, k={N} on {here}");
    println!("candidates that this program carries:\n{candidates}");
    let anew = setting("BICO_RUNTIME").as_deref() == Some("anew");
    if candidates.winner_on(here).is_some() && !anew {
        println!(
            "\nThis CPU is known: each call is served by its winner, and there is nothing to learn."
        );
        println!("To see what would happen if it were not: BICO_RUNTIME=anew");
        return Ok(());
    }
    println!(
        "{}",
        match candidates.winner_on(here) {
            Some(_) => "BICO_RUNTIME=anew: bico takes this CPU for one that it has never seen.",
            None => "None of them won on this CPU: bico finds the best on the calls themselves.",
        }
    );
    match setting("BICO_CACHE").as_deref() {
        Some("off") => {
            println!("Nothing is kept. With BICO_CACHE=FOLDER the next run goes on from this one.")
        }
        folder => println!("What is learned is kept in {}.", folder.unwrap_or_default()),
    }

    let mut product = Product::new(N)?;
    let mut oracle = Oracle::new(&candidates);
    let mut live = Live::new(&candidates);
    let mut spent = Duration::ZERO;
    let mut settled = None;
    let start = Instant::now();
    for call in 1..=calls {
        let began = Instant::now();
        kernels::gemm(&mut product.c, &product.a, &product.b, N, N, N)?;
        let took = began.elapsed();
        spent += took;
        product.check()?;
        let status = tunable.status().into_iter().next();
        let status = status.ok_or("bico has not met a call")?;
        if status.state == State::Settled {
            settled.get_or_insert(call);
        }
        let late = start.elapsed() > LONGEST;
        live.call(call, took, &status, late || call == calls);
        if call % ORACLE == 0 {
            oracle.look(&mut product)?;
        }
        if late {
            break;
        }
    }
    while oracle.looks() < ENOUGH {
        oracle.look(&mut product)?;
    }

    let status = tunable.status();
    println!();
    for status in &status {
        println!("{status}");
    }
    let serving = status.first().and_then(|status| status.config);
    println!("\n{}", oracle.table(&candidates, serving));
    let served = live.served();
    let calls: usize = served.iter().sum();
    let how = match (settled, status.first().map(|status| status.state)) {
        (Some(call), _) => format!("settled at call {call}"),
        (None, Some(State::Exploring { .. })) => "not settled yet".to_string(),
        _ => "nothing was tried".to_string(),
    };
    println!("{how}; {calls} calls took {spent:.2?}");
    oracle.compare(&candidates, served);
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a program's own settings")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
