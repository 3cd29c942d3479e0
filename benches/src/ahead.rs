//! Where compiling takes longer than measuring, and does not disturb it: how good is a search after so many seconds?
//!
//! Recorded spaces by an invented clock: a config takes what compiling it took when it was recorded, on one of some
//! compilers, and then a fixed time on the device. One config at a time, the compilers work ahead on what the search names as
//! likely; of several, the later ones are chosen and compiled while those before them are. And does it help a search to be told
//! what compiling took? On the spaces on which Kernel Tuner was run, where is that by the same clock?

mod rival;

use crate::{kernel_tuner, spaces};
use bico_search::search::{
    Arrival, Budget, Costs, Failure, Measure, Outcome, Row, Sample, Search, by_name, run as search,
};
use cargo_bico::replay::Recording;
use rival::Rival;
use serde_json::{Value, json};
use std::collections::{HashSet, VecDeque};

const COMPILERS: usize = 16;
/// Configs under way at once.
const DEPTHS: [usize; 4] = [1, 2, 4, 8];
const SEEDS: u64 = 8;
/// Seconds that compiling takes where that was not recorded, and that the device takes for a config.
const COMPILING: f64 = 0.5;
const MEASURING: f64 = 0.08;
/// Seconds after which the search is looked at.
const MARKS: [f64; 5] = [2.0, 4.0, 8.0, 16.0, 32.0];
/// The same of Kernel Tuner.
const RIVAL_MARKS: [f64; 7] = [8.0, 16.0, 32.0, 64.0, 128.0, 192.0, 256.0];

fn compiling(recording: &Recording, config: u64) -> f64 {
    let recorded = recording.record(config).compiling;
    recorded.filter(|of| *of > 0.0).unwrap_or(COMPILING)
}

/// A device beside some compilers.
struct Simulated<'a> {
    recording: &'a Recording,
    depth: usize,
    /// Whether it says what compiling took.
    tells: bool,
    now: f64,
    done: HashSet<u64>,
    /// What compilers are at, and when that is done.
    running: Vec<(u64, f64)>,
    waiting: VecDeque<u64>,
    begun: VecDeque<u64>,
    /// Seconds for which the device waited for a compiler.
    stalled: f64,
}

impl<'a> Simulated<'a> {
    fn new(recording: &'a Recording, depth: usize, tells: bool) -> Simulated<'a> {
        Simulated {
            recording,
            depth,
            tells,
            now: 0.0,
            done: HashSet::new(),
            running: Vec::new(),
            waiting: VecDeque::new(),
            begun: VecDeque::new(),
            stalled: 0.0,
        }
    }

    fn compiling(&self, config: u64) -> f64 {
        compiling(self.recording, config)
    }

    /// Compilers go on until then.
    fn advance(&mut self, to: f64) {
        loop {
            while self.running.len() < COMPILERS
                && let Some(config) = self.waiting.pop_front()
            {
                let end = self.now + self.compiling(config);
                self.running.push((config, end));
            }
            let ends = self.running.iter().map(|(_, end)| *end);
            let next = ends.fold(f64::INFINITY, f64::min);
            if next > to {
                break;
            }
            self.now = next.max(self.now);
            let ended = self.running.extract_if(.., |(_, end)| *end <= next);
            self.done.extend(ended.map(|(config, _)| config));
        }
        self.now = to.max(self.now);
    }

    /// When a config that is wanted now is compiled.
    fn compiled(&mut self, config: u64) -> f64 {
        if self.done.contains(&config) {
            return self.now;
        }
        if let Some((_, end)) = self.running.iter().find(|(of, _)| *of == config) {
            return *end;
        }
        // Who needs it compiles it itself.
        self.waiting.retain(|of| *of != config);
        let end = self.now + self.compiling(config);
        self.done.insert(config);
        end
    }
}

impl Measure for Simulated<'_> {
    fn spent(&self) -> f64 {
        self.now
    }

    fn announce(&mut self, upcoming: &[u64]) {
        let Simulated { done, running, .. } = self;
        let unknown =
            |of: &&u64| !done.contains(*of) && !running.iter().any(|(other, _)| other == *of);
        let wanted = self.begun.iter().chain(upcoming);
        self.waiting = wanted.filter(unknown).copied().collect();
        self.advance(self.now);
    }

    fn measure(&mut self, config: u64, _: Option<f64>) -> Outcome {
        let compiled = self.compiled(config);
        self.stalled += compiled - self.now;
        self.advance(compiled);
        self.advance(self.now + MEASURING);
        match self.recording.record(config).time {
            Some(seconds) => Outcome::Timed(Sample::new(seconds, seconds, seconds, 5)),
            None => Outcome::Failed(Failure::Crash(String::new())),
        }
    }

    fn compiler(&self, config: u64) -> Option<f64> {
        self.tells.then(|| self.compiling(config))
    }

    fn costs(&mut self) -> Option<Costs> {
        Some(Costs {
            timing: MEASURING,
            ..Costs::default()
        })
    }

    fn hands(&self) -> usize {
        self.depth
    }

    fn begin(&mut self, config: u64, _: Option<f64>) {
        self.begun.push_back(config);
    }

    fn arrival(&mut self) -> Arrival {
        let config = self.begun.pop_front().expect("something was begun");
        Arrival::of_one(config, self.measure(config, None))
    }

    fn withdraw(&mut self) -> Vec<u64> {
        self.begun.drain(..).collect()
    }

    fn finals(&mut self, _: &[u64]) -> Vec<Outcome> {
        Vec::new()
    }
}

/// What a search reached, or several in the mean.
#[derive(Default)]
struct Reached {
    at: [f64; MARKS.len()],
    evaluations: f64,
    stalled: f64,
}

impl Reached {
    fn of(
        recording: &Recording,
        (depth, tells): (usize, bool),
        seed: u64,
    ) -> Result<Reached, String> {
        let ranked = recording.ranked(None);
        let (_, optimum) = recording.optimum().ok_or("nothing ran")?;
        let budget = Budget {
            evaluations: recording.configs.len(),
            seconds: MARKS[MARKS.len() - 1],
            patience: None,
        };
        let plan = Search {
            baseline: Some(0),
            ..Search::new(&recording.configs, &ranked, budget)
        };
        let mut strategy = by_name("adaptive", seed).map_err(|error| error.to_string())?;
        let mut measure = Simulated::new(recording, depth, tells);
        let trail = search(&plan, &mut *strategy, &mut measure, &mut ()).trail;
        let at = |mark: f64| {
            let rows = trail.trials().take_while(|row: &&Row| row.spent <= mark);
            let best = rows.last().and_then(|row| row.best);
            best.map_or(0.0, |best| optimum / best.seconds)
        };
        Ok(Reached {
            at: MARKS.map(at),
            evaluations: trail.trials().count() as f64,
            stalled: measure.stalled / measure.now,
        })
    }

    fn mean(all: &[&Reached]) -> Reached {
        let mean = |of: &dyn Fn(&Reached) -> f64| {
            all.iter().map(|one| of(one)).sum::<f64>() / all.len() as f64
        };
        Reached {
            at: std::array::from_fn(|mark| mean(&|one| one.at[mark])),
            evaluations: mean(&|one| one.evaluations),
            stalled: mean(&|one| one.stalled),
        }
    }
}

pub(crate) fn run(json: bool) -> Result<Value, String> {
    let Some(folder) = spaces::folder() else {
        return Ok(json!([]));
    };
    let recordings = spaces::read(&folder)?;
    let rivals = kernel_tuner::read(&folder.join("kernel_tuner.json"))?;
    let rival: Vec<Option<Rival>> = recordings
        .iter()
        .map(|recording| Rival::new(&rivals, recording))
        .collect();
    let mut rows = Vec::new();
    if !json {
        println!(
            "{COMPILERS} compilers, blind, {SEEDS} seeds: fraction of the optimum after so many seconds, configs measured in {} s, and the share of time that the device waits\n",
            MARKS[MARKS.len() - 1]
        );
        println!(
            "at once  told  {}  configs  waits",
            MARKS.map(|mark| format!("{mark:>4} s")).join("  ")
        );
    }
    for (depth, tells) in DEPTHS
        .into_iter()
        .flat_map(|depth| [(depth, false), (depth, true)])
    {
        let mut all = Vec::new();
        for (recording, rival) in recordings.iter().zip(&rival) {
            for seed in 0..SEEDS {
                let one = Reached::of(recording, (depth, tells), seed)?;
                all.push((one, rival.is_some()));
            }
        }
        let every: Vec<&Reached> = all.iter().map(|(one, _)| one).collect();
        let among = all.iter().filter(|(_, known)| *known);
        let among: Vec<&Reached> = among.map(|(one, _)| one).collect();
        let among = Reached::mean(&among).at;
        let Reached {
            at: reached,
            evaluations,
            stalled,
        } = Reached::mean(&every);
        if !json {
            let told = if tells { "yes" } else { "no" };
            let reached = reached.map(|of| format!("{of:.4}")).join("  ");
            println!("{depth:>7}  {told:>4}  {reached}  {evaluations:>7.0}  {stalled:>5.2}");
        }
        rows.push(json!({ "at_once": depth, "told": tells, "seconds": MARKS, "reached": reached, "among": among, "configs": evaluations, "waits": stalled }));
    }
    let known: Vec<&Rival> = rival.iter().flatten().collect();
    if !known.is_empty() {
        let reached = RIVAL_MARKS.map(|mark| {
            let all = known.iter().map(|rival| rival.reached(mark));
            all.sum::<f64>() / known.len() as f64
        });
        if !json {
            beside_rival(&rows, &reached);
        }
        rows.push(json!({ "rival": rival::STRATEGY, "seconds": RIVAL_MARKS, "among": reached }));
    }
    Ok(rows.into())
}

/// The same on the spaces on which Kernel Tuner was run, and what that reaches.
fn beside_rival(rows: &[Value], reached: &[f64]) {
    println!("\non the spaces of kernel_tuner.json:\n");
    for row in rows {
        let told = if row["told"] == true { ", told" } else { "" };
        let among = row["among"].as_array().into_iter().flatten();
        let among = line(among.filter_map(Value::as_f64), &MARKS);
        println!("bico, {} at once{told}: {among}", row["at_once"]);
    }
    let reached = line(reached.iter().copied(), &RIVAL_MARKS);
    println!("Kernel Tuner ({}): {reached}", rival::STRATEGY);
}

fn line(reached: impl Iterator<Item = f64>, marks: &[f64]) -> String {
    let parts = reached.zip(marks);
    let parts = parts.map(|(of, mark)| format!("{mark} s {of:.4}"));
    parts.collect::<Vec<_>>().join("  ")
}
