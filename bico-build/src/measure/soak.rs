//! Many calls of the config that is about to win, each looked at: what is wrong in one call of fifty is seldom wrong in
//! the few that a trial compares.

use super::harness::{Harness, Kept, Prepared};
use super::poison::Poison;
use super::protocol::{Check, Soak, Soaked};
use super::trial::at;
use bico_core::Lists;
use bico_device::measure::Code;
use bico_search::search::Failure;
use std::time::Instant;

/// Calls at most.
const CALLS: u32 = 200;

/// Seconds that they may take together.
const SECONDS: f64 = 5.0;

/// Calls a config again and again, and looks at every result.
pub(super) fn run(harness: &mut Harness, soak: &Soak) -> Result<Soaked, Failure> {
    harness.accept(&soak.terms);
    let _turn = harness.take_part();
    let code = harness.load(&soak.entrant.kernel)?;
    let result = soaked(harness, code, soak);
    harness.device.unload(code);
    result
}

fn soaked(harness: &mut Harness, code: Code, soak: &Soak) -> Result<Soaked, Failure> {
    let check = &soak.entrant.check;
    let mut opinions = vec![true; check.timed.opinions.len()];
    harness.scrutinise(code, check, &mut opinions)?;
    let (prepared, _) = harness.check(code, check, &mut opinions)?;
    let outputs = harness.outputs(&prepared)?.into_iter();
    let first = outputs.map(|bytes| harness.keep(bytes)).collect_vec();
    let soaked = repeat(harness, code, check, &prepared, &first, &mut opinions);
    first.iter().for_each(|kept| harness.forget(kept));
    soaked
}

/// Many calls, each of which gives what the first one gave, or what is right, too.
fn repeat(
    harness: &mut Harness,
    code: Code,
    check: &Check,
    prepared: &Prepared,
    first: &[Kept],
    opinions: &mut [bool],
) -> Result<Soaked, Failure> {
    let start = Instant::now();
    let mut soaked = Soaked {
        calls: 1,
        alike: true,
    };
    while soaked.calls < CALLS && start.elapsed().as_secs_f64() < SECONDS {
        soaked.calls += 1;
        let again = call(harness, code, prepared, check, first).and_then(|alike| {
            soaked.alike &= alike;
            match alike {
                true => Ok(()),
                false => harness.judge(prepared, &check.timed, opinions, false),
            }
        });
        again
            .map_err(|failure| at(at(failure, &check.label), &format!("call {}", soaked.calls)))?;
    }
    harness.trespass(prepared)?;
    Ok(soaked)
}

/// One more call; whether it gives what the first one gave.
fn call(
    harness: &mut Harness,
    code: Code,
    prepared: &Prepared,
    check: &Check,
    first: &[Kept],
) -> Result<bool, Failure> {
    harness.begin(check, &check.timed);
    harness.restore(prepared)?;
    harness.poison_outputs(prepared, &Poison::FIRST)?;
    harness.lap(code, prepared, 1)?;
    harness.is_alike(prepared, first)
}
