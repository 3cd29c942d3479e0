//! How good is a search after n evaluations? Strategies replayed on the recorded spaces of real GPUs,
//! beside what Kernel Tuner reaches on the same spaces.
//!
//! Each is run as a build runs it, early stop included, and once to the end. Three modes: `blind` knows the
//! parameters' values only, `hints` also what the kernels' authors say (`benches/hints/KERNEL.json`), `warm` the best
//! dozen trials of every other GPU of the same kernel.

mod options;

use crate::{kernel_tuner, spaces};
use cargo_bico::replay::{Hints, Knowledge, Plan, Recording, Summary, compare, display};
use options::{Mode, Options};
use serde_json::{Value, json};
use std::path::Path;

/// Trials that a lock holds of each device.
const TRIALS: usize = 12;

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let options = Options::read(std::env::args().skip(2))?;
    let Some(folder) = spaces::folder() else {
        return Ok(json!([]));
    };
    let recordings = spaces::read(&folder)?;
    let rivals = kernel_tuner::read(&folder.join("kernel_tuner.json"))?;
    let searched: Vec<&Recording> = recordings
        .iter()
        .filter(|recording| rivals.spaces.is_empty() || rivals.spaces.contains_key(&recording.name))
        .collect();
    let mut rows: Vec<Value> = Vec::new();
    let turns = options.modes.iter().flat_map(|mode| {
        let hands = |as_a_build| options.hands.iter().map(move |hands| (as_a_build, *hands));
        // At equal evaluations, where more than one number of hands is asked for.
        let how = [true, false]
            .into_iter()
            .filter(|build| !build || options.hands.len() == 1);
        let turns = how.flat_map(hands);
        turns.map(move |(as_a_build, hands)| (mode, as_a_build, hands))
    });
    for (mode, as_a_build, hands) in turns {
        let plan = options.plan(*mode, as_a_build, hands);
        let hints = match mode {
            Mode::Hints => Some(hints()?),
            _ => None,
        };
        let knowledge = Knowledge {
            others: if *mode == Mode::Warm {
                &recordings
            } else {
                &[]
            },
            trials: TRIALS,
            hints: hints.as_ref(),
        };
        let alone = |recording: &&&Recording| {
            let kin = |other: &&Recording| other.kernel == recording.kernel;
            *mode != Mode::Warm || recordings.iter().filter(|other| kin(other)).count() > 1
        };
        let searched: Vec<&Recording> = searched.iter().filter(alone).copied().collect();
        let found = compare(&plan, &searched, &knowledge)?;
        if !json {
            show(*mode, &plan, &found);
        }
        rows.extend(found.iter().map(|row| labelled(*mode, &plan, row)));
    }
    if !json {
        print!("{}", rivals.display(&options.budgets));
    }
    Ok(rows.into())
}

fn show(mode: Mode, plan: &Plan, rows: &[Summary]) {
    let how = match plan.patience {
        Some(_) => "as a build searches, which may end before",
        None => "to the end",
    };
    let hands = match plan.hands {
        1 => String::new(),
        hands => format!(", {hands} at once"),
    };
    println!(
        "{}{hands}, {how}: mean fraction of the optimum after N evaluations, {} seeds\n\n{}",
        mode.name(),
        plan.seeds,
        display(plan, rows)
    );
    let Some(budget) = plan.budgets.last().filter(|_| plan.patience.is_some()) else {
        return;
    };
    for strategy in &plan.strategies {
        let own = rows
            .iter()
            .filter(|row| row.strategy == *strategy && row.budget == *budget);
        let done: Vec<f64> = own.map(|row| row.evaluations).collect();
        let mean = done.iter().sum::<f64>() / done.len().max(1) as f64;
        println!("{strategy}: {mean:.0} of {budget} evaluations done");
    }
    println!();
}

/// A row of the JSON, with its mode, whether the search could end early, and how many hands it had.
fn labelled(mode: Mode, plan: &Plan, row: &Summary) -> Value {
    let mut value = json!(row);
    value["mode"] = mode.name().into();
    value["as_a_build"] = plan.baseline.into();
    value["hands"] = plan.hands.into();
    value
}

/// What the kernels' authors say: the files of `benches/hints`.
fn hints() -> Result<Hints, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("hints");
    Hints::read(&[folder]).map_err(|error| error.to_string())
}
