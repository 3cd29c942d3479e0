//! What does leaving out values cost? Narrower spaces made from a few searches on recorded spaces, held against the whole
//! recordings: of the device that they were made from, and of others that they never saw.

use crate::spaces;
use bico_search::search::{Budget, DEFAULT};
use cargo_bico::analyse::{
    Analysis, Judged, Measured, Narrowed, Search, Tried, Verdict, analyse, enough, judge,
};
use cargo_bico::replay::{Plan, Recording, Run, Subject};
use serde_json::{Value, json};

/// Searches that a narrower space is made from, and how many such.
const SEEDS: usize = 3;
const GROUPS: usize = 5;
/// Evaluations that each may take; as in a build it may end before.
const BUDGET: u64 = 200;
/// What a narrower space may be, as a part of the whole, and lose.
const SMALL: f64 = 1.0 / 3.0;
const LOSS: f64 = 0.01;

/// A recording with all that is asked of it.
struct Recorded<'a> {
    recording: &'a Recording,
    /// All configs.
    whole: Search,
    /// For each group what its searches saw.
    seen: Vec<Search>,
    /// Evaluations until within 1 % of what the search found, of all evaluations, for each seed.
    enough: Vec<(u64, u64)>,
}

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let Some(folder) = spaces::folder() else {
        return Ok(json!([]));
    };
    let recordings = spaces::read(&folder)?;
    let named = std::fs::read_to_string(folder.join("kernel_tuner.json")).unwrap_or_default();
    let mut all = Vec::new();
    for recording in &recordings {
        all.push(Recorded::new(recording)?);
    }
    let mut rows = Vec::new();
    for at in 0..all.len() {
        // Where that file is not there, all are.
        if named.is_empty() || named.contains(&format!("\"{}\"", all[at].recording.name)) {
            rows.push(row(&all, at));
        }
    }
    if !json {
        show(&rows);
    }
    Ok(rows.into())
}

fn configs(recording: &Recording, numbers: impl Iterator<Item = u64>) -> Vec<Measured> {
    let of = |number: u64| Measured {
        values: recording
            .configs
            .config(number)
            .into_iter()
            .map(bico_syntax::bind::bare)
            .collect(),
        seconds: recording.record(number).time,
    };
    numbers.map(of).collect()
}

impl<'a> Recorded<'a> {
    fn new(recording: &'a Recording) -> Result<Recorded<'a>, String> {
        let plan = Plan {
            strategies: vec![DEFAULT.to_string()],
            budgets: vec![BUDGET],
            seeds: (SEEDS * GROUPS) as u64,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            patience: Budget::default().patience,
            baseline: true,
            trails: None,
            hands: 1,
        };
        let subject = Subject {
            recording,
            predicted: None,
            priors: Vec::new(),
        };
        let runs = plan.run(&subject).map_err(|error| error.to_string())?;
        let search = |numbers: Vec<u64>| Search {
            problem: recording.kernel.clone(),
            device: recording.device.clone(),
            configs: configs(recording, numbers.into_iter()),
            is_whole: true,
        };
        let numbers = |runs: &[Run]| {
            let rows = runs.iter().flat_map(|run| run.trail.trials());
            let mut numbers: Vec<u64> = rows.map(|row| row.config).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        Ok(Recorded {
            recording,
            whole: search((0..recording.configs.len()).collect()),
            seen: runs
                .chunks(SEEDS)
                .map(|runs| search(numbers(runs)))
                .collect(),
            enough: runs.iter().filter_map(needed).collect(),
        })
    }

    /// What searches of the same kernel say.
    fn judged(&self, searches: &[&Search]) -> Vec<Judged> {
        judge(searches, &|_, parameter, value| {
            let has = |of: &&Measured| of.values[parameter] == value;
            Some(self.whole.configs.iter().filter(has).count() as u64)
        })
    }

    fn part(&self, narrowed: &Narrowed) -> f64 {
        let all = &self.whole.configs;
        let kept = all.iter().filter(|of| narrowed.keeps(&of.values)).count();
        kept as f64 / all.len() as f64
    }

    /// Infinite where nothing is left that runs.
    fn loss(&self, narrowed: &Narrowed) -> f64 {
        self.whole.loss(narrowed).unwrap_or(f64::INFINITY)
    }
}

fn needed(run: &Run) -> Option<(u64, u64)> {
    let trials = run.trail.trials().map(|row| Tried {
        evaluation: row.evaluation,
        spent: row.spent,
        seconds: row.outcome.sample().map(|sample| sample.seconds),
    });
    let enough = enough(&trials.collect::<Vec<_>>())?;
    Some((enough.evaluations, enough.of_evaluations))
}

fn row(all: &[Recorded<'_>], at: usize) -> Value {
    let own = &all[at];
    let names = own.recording.configs.names();
    let truth = analyse(names, &own.whole.configs);
    let mut groups = Vec::new();
    let kin = all.iter().enumerate();
    let kin = kin.filter(|(other, of)| *other != at && of.recording.kernel == own.recording.kernel);
    let kin: Vec<&Recorded<'_>> = kin.map(|(_, of)| of).collect();
    for group in 0..GROUPS {
        let judged = own.judged(&[&own.seen[group]]);
        let narrowed = Narrowed::new(&judged);
        let count = |verdict| judged.iter().filter(|of| of.verdict == verdict).count();
        let others: Vec<&Search> = kin.iter().map(|of| &of.seen[group]).collect();
        let others = (!others.is_empty()).then(|| Narrowed::new(&own.judged(&others)));
        let unseen = kin
            .iter()
            .map(|of| json!([of.recording.device, of.loss(&narrowed)]));
        let found = analyse(names, &own.seen[group].configs);
        groups.push(json!({
            "tried": own.seen[group].configs.len(),
            "far": count(Verdict::Far),
            "unknown": count(Verdict::Unknown),
            "near": count(Verdict::Near),
            "part": own.part(&narrowed),
            "loss": own.loss(&narrowed),
            "unseen": unseen.collect::<Vec<_>>(),
            "part_by_others": others.as_ref().map(|others| own.part(others)),
            "loss_by_others": others.as_ref().map(|others| own.loss(others)),
            "importance": agreement(&truth, &found),
        }));
    }
    let mut enough: Vec<(u64, u64)> = own.enough.clone();
    enough.sort_unstable();
    json!({
        "space": own.recording.name,
        "configs": own.whole.configs.len(),
        "groups": groups,
        "enough": enough.get(enough.len() / 2),
    })
}

/// Spearman's correlation of the importance of parameters, as searches and as the whole recording have it.
fn agreement(truth: &Analysis, found: &Analysis) -> Option<f64> {
    let share = |name: &String| {
        let mut effects = found.parameters.iter();
        let of = effects.find(|of| of.names.contains(name))?;
        of.share
    };
    let pairs = truth.parameters.iter().filter_map(|of| {
        let found = of.names.iter().find_map(share)?;
        Some((of.share?, found))
    });
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.unzip();
    bico_search::rank::spearman(&a, &b)
}

fn show(rows: &[Value]) {
    println!(
        "{SEEDS} searches of at most {BUDGET} evaluations ({DEFAULT}, as a build searches), {GROUPS} times with other seeds\n"
    );
    println!(
        "{:34} {:>6} {:>5} {:>11} {:>6} {:>7} {:>7} {:>5}  {:>5} {:>8}  loss on devices that were not seen",
        "space", "whole", "tried", "far/? /near", "part", "loss", "enough", "rho", "by", "others"
    );
    let percent = |value: &Value| match value.as_f64() {
        Some(part) => format!("{:.2} %", part * 100.0),
        None => "all".to_string(),
    };
    let mut met = vec![0; GROUPS];
    for row in rows {
        let groups = row["groups"].as_array().into_iter().flatten();
        for (at, group) in groups.enumerate() {
            let part = group["part"].as_f64().unwrap_or(1.0);
            let loss = group["loss"].as_f64().unwrap_or(f64::INFINITY);
            met[at] += usize::from(part <= SMALL && loss <= LOSS);
            let unseen = group["unseen"].as_array().into_iter().flatten();
            let unseen: Vec<String> = unseen
                .map(|of| format!("{} {}", of[0].as_str().unwrap_or_default(), percent(&of[1])))
                .collect();
            let (name, whole) = match at {
                0 => (
                    row["space"].as_str().unwrap_or_default(),
                    row["configs"].to_string(),
                ),
                _ => ("", String::new()),
            };
            let kin = !group["part_by_others"].is_null();
            let values = format!("{}/{}/{}", group["far"], group["unknown"], group["near"]);
            let enough = format!("{}/{}", row["enough"][0], row["enough"][1]);
            println!(
                "{name:34} {whole:>6} {:>5} {values:>11} {part:>6.3} {:>7} {:>7} {:>5.2}  {:>5} {:>8}  {}",
                group["tried"].to_string(),
                percent(&group["loss"]),
                if at == 0 { &enough } else { "" },
                group["importance"].as_f64().unwrap_or(f64::NAN),
                group["part_by_others"]
                    .as_f64()
                    .map_or(String::new(), |of| format!("{of:.3}")),
                if kin {
                    percent(&group["loss_by_others"])
                } else {
                    String::new()
                },
                unseen.join(", ")
            );
        }
    }
    println!(
        "\nat most a third as large, and at most 1 % lost on the own device, of {} spaces: {met:?}",
        rows.len()
    );
}
