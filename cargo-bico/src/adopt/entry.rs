//! A record of the cache as an entry of the lock.

use super::outcome::Learned;
use bico::learned_files::{ArmRecord, Record};
use bico_build::lock::{Budget, Config, Entry, Place, Trial, Verified, rounded};
use bico_build::report;
use bico_build::tuner::KEPT_TRIALS;
use bico_build::tuner::plan::Plan;
use bico_build::tuner::stored;
use bico_search::space::Space;

/// Calls of an arm that make a trial: a time without any scatter is none.
const FEWEST: u64 = 2;

/// The entry. It is not known here how the winner was verified.
///
/// # Errors
///
/// Why it cannot be one.
pub(super) fn of(plan: &Plan, space: &Space, record: &Record) -> Result<Entry, String> {
    let spec = &plan.found.spec;
    for arm in &record.arms {
        let config = config(arm);
        let why = match stored::values(spec, &config) {
            Some(values) => space.why_not(&values),
            None => Some("its parameters are not those of the tunable".to_string()),
        };
        if let Some(why) = why {
            return Err(format!("{} is not in the space: {why}", text(&config)));
        }
    }
    let settled = record.settled.and_then(|arm| record.arms.get(arm));
    let winner = settled.ok_or("no config has won")?;
    if winner.pulls < FEWEST {
        let config = text(&config(winner));
        return Err(format!("{config} won, and was timed only once"));
    }
    let mut trials: Vec<&ArmRecord> = record.arms.iter().collect();
    trials.retain(|arm| arm.pulls >= FEWEST);
    trials.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    trials.truncate(KEPT_TRIALS);
    let evaluations = record.arms.len() as u64;
    let spent = |arm: &ArmRecord| arm.pulls as f64 * arm.seconds;
    Ok(Entry {
        hashes: plan.hashes.clone(),
        winner: trial(winner),
        tested: None,
        ratio: None,
        timed: Some("geometric mean of a program's calls, 95 %".to_string()),
        interval: winner.interval().map(rounded),
        verified: Verified::Nothing,
        rules: 1,
        strategy: "bandit".to_string(),
        // What it took: there is no limit to what a program learns.
        budget: Budget {
            evaluations,
            seconds: rounded(record.arms.iter().map(spent).sum()),
        },
        evaluations,
        space_size: space.len(),
        // Who compiled the program did not say.
        toolchain: "unknown".to_string(),
        trials: trials.into_iter().map(trial).collect(),
        first: None,
        ranked: None,
        resources: None,
        source: Some("runtime".to_string()),
    })
}

/// What won, for people.
pub(super) fn learned(entry: &Entry, record: &Record) -> Learned {
    let settled = record.settled.and_then(|arm| record.arms.get(arm));
    Learned {
        config: text(&entry.winner.config),
        time: time(entry),
        calls: settled.map_or(0, |arm| arm.pulls),
    }
}

/// `123 µs (122 µs to 124 µs)`
fn time(entry: &Entry) -> String {
    let [low, high] = entry.interval.map(report::time);
    format!("{} ({low} to {high})", report::time(entry.winner.seconds))
}

/// `TILE=32, VEC=4, 12.3 µs (12.2 µs to 12.4 µs), from tuning`
pub(super) fn shown(entry: &Entry) -> String {
    let source = match entry.source {
        None => "from tuning",
        Some(_) => "learned before",
    };
    format!("{}, {}, {source}", text(&entry.winner.config), time(entry))
}

/// How the winner was verified.
pub(super) fn verified(entry: &Entry) -> &'static str {
    match entry.verified {
        Verified::Reference => "verified where it was tuned",
        Verified::SmallSizes => "verified at small sizes where it was tuned",
        Verified::Judge => "judged where it was tuned",
        Verified::Consensus => "agreed with other configs where it was tuned",
        Verified::Nothing => "never verified, see `cargo bico check --winners`",
    }
}

fn trial(arm: &ArmRecord) -> Trial {
    Trial {
        config: config(arm),
        seconds: rounded(arm.seconds),
        place: Place::default(),
    }
}

fn config(arm: &ArmRecord) -> Config {
    arm.config.iter().cloned().collect()
}

fn text(config: &Config) -> String {
    let pairs = config.iter().map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join(", ")
}
