//! A settled result of a declared problem, on its way into the lock.

use super::entry;
use super::outcome::{Outcome, Row};
use bico::learned_files::{File, Record};
use bico_bind::Bound;
use bico_build::lock::{self, Entry, Lock, Verified};
use bico_build::tuner::plan::{Plan, ProblemPlan, integer_sizes};
use bico_build::tuner::stored;
use bico_core::Value;
use bico_core::device::Facts;
use bico_search::space::Space;
use std::collections::BTreeMap;

/// What is to be put into the lock, if that agrees.
#[derive(Debug)]
pub(super) struct Proposal {
    row: Row,
    problem: String,
    facts: Facts,
    entry: Entry,
    /// Keys of the problems whose configs are compiled with the same constants.
    siblings: Vec<String>,
}

/// What a record gives.
///
/// # Errors
///
/// Why it gives nothing.
pub(super) fn of(
    plan: &Plan,
    file: &File,
    facts: &Facts,
    record: &Record,
) -> Result<Proposal, Row> {
    let mut row = Row::of_file(file, Outcome::Known);
    row.problem = described(record);
    let not = |outcome: Outcome| Row {
        outcome,
        ..row.clone()
    };
    let Some(problem) = declared(plan, record) else {
        return Err(not(match addition(plan, record) {
            Some(problem) => Outcome::Undeclared(problem),
            None => {
                Outcome::Refused("its sizes and constants are not those of the tunable".to_string())
            }
        }));
    };
    row.problem.clone_from(&problem.label);
    let not = |outcome: Outcome| Row {
        outcome,
        ..row.clone()
    };
    if record.settled.is_none() {
        return Err(not(Outcome::Exploring(record.arms.len())));
    }
    let space = Bound::new(&plan.found.spec, facts, &problem.scope)
        .and_then(|bound| Space::new(&bound))
        .map_err(|error| not(Outcome::Refused(error.message)))?;
    let entry = entry::of(plan, &space, record).map_err(|why| not(Outcome::Refused(why)))?;
    let siblings = plan.problems.iter();
    let siblings = siblings.filter(|other| other.variant == problem.variant);
    let proposal = Proposal {
        siblings: siblings.map(|problem| problem.key.clone()).collect(),
        problem: problem.key.clone(),
        facts: facts.clone(),
        entry,
        row: row.clone(),
    };
    // Alone, so that one which a lock cannot hold does not keep the others out.
    let mut alone = Lock::default();
    proposal.put(&mut alone);
    match lock::to_text(&alone) {
        Ok(_) => Ok(proposal),
        Err(fault) => Err(not(Outcome::Refused(format!(
            "bico.lock cannot hold it: {fault}"
        )))),
    }
}

impl Proposal {
    pub(super) fn is_for_same(&self, other: &Proposal) -> bool {
        let key = |of: &Proposal| {
            let Row {
                tunable, device, ..
            } = &of.row;
            (tunable.clone(), device.clone(), of.problem.clone())
        };
        key(self) == key(other)
    }

    pub(super) fn row(self, outcome: Outcome) -> Row {
        Row {
            outcome,
            ..self.row
        }
    }

    /// Puts it into the lock, if there is no entry from tuning, or that is to be replaced.
    pub(super) fn apply(mut self, lock: &mut Lock, replace: bool) -> Row {
        self.entry.verified = self.verified(lock);
        let kernel = lock.kernels.get(&self.row.tunable);
        let old = kernel
            .and_then(|kernel| kernel.get(&self.row.device))
            .and_then(|problems| problems.get(&self.problem));
        let what = entry::shown(&self.entry);
        let outcome = match old {
            Some(old) if *old == self.entry => return self.row(Outcome::Known),
            Some(old) if old.source.is_none() && !replace => return self.row(Outcome::Tuned),
            Some(old) => Outcome::Replaced(format!("{what}; before: {}", entry::shown(old))),
            None => Outcome::Adopted(what),
        };
        self.put(lock);
        self.row(outcome)
    }

    fn put(&self, lock: &mut Lock) {
        let Row {
            tunable, device, ..
        } = self.row.clone();
        // Facts that were found while tuning stay.
        let known = lock.devices.entry(device.clone());
        known.or_insert_with(|| self.facts.clone());
        let kernel = lock.kernels.entry(tunable).or_default();
        let problems = kernel.entry(device).or_default();
        problems.insert(self.problem.clone(), self.entry.clone());
    }

    /// How the winner was verified: as a build's entry says that measured the same code. Of several, the same
    /// problem's, else the first.
    fn verified(&self, lock: &Lock) -> Verified {
        let devices = lock.kernels.get(&self.row.tunable);
        let entries = devices.into_iter().flat_map(|devices| devices.values());
        let mut told: Vec<(&str, Verified)> = entries
            .flatten()
            .filter(|(problem, entry)| {
                self.siblings.contains(problem)
                    && entry.verified != Verified::Nothing
                    && entry.hashes.changed(&self.entry.hashes).is_empty()
                    && stored::trials(entry).any(|trial| trial.config == self.entry.winner.config)
            })
            .map(|(problem, entry)| (problem.as_str(), entry.verified))
            .collect();
        told.sort_by_key(|(problem, _)| *problem != self.problem);
        told.first().map_or(Verified::Nothing, |(_, told)| *told)
    }
}

/// The problem that was timed: exactly these sizes and constants.
fn declared<'a>(plan: &'a Plan, record: &Record) -> Option<&'a ProblemPlan> {
    let names = integer_sizes(&plan.found.spec);
    plan.problems.iter().find(|problem| {
        let mut sizes = names.iter().cloned().zip(problem.sizes.iter().copied());
        let consts = &problem.scope.problem_consts;
        names.len() == record.sizes.len()
            && sizes.all(|size| record.sizes.contains(&size))
            && is(consts, record)
    })
}

fn is(consts: &BTreeMap<String, Value>, record: &Record) -> bool {
    let same = |(name, value): &(String, _)| consts.get(name).is_some_and(|known| *value == *known);
    consts.len() == record.consts.len() && record.consts.iter().all(same)
}

/// `problem(m = 64, n = 64, const ACT = "silu")`; what was not learned of, the numbers that are no sizes, is as
/// in the first problem. `None` if the names are not those of the tunable.
fn addition(plan: &Plan, record: &Record) -> Option<String> {
    let spec = &plan.found.spec;
    let integers = integer_sizes(spec);
    let first = plan.problems.first()?;
    let known = |name: &str| first.scope.problem_consts.contains_key(name);
    if record.sizes.len() != integers.len()
        || record.consts.len() != first.scope.problem_consts.len()
        || !record.consts.iter().all(|(name, _)| known(name))
    {
        return None;
    }
    let mut parts = Vec::new();
    for name in bico_bind::scalars(spec) {
        let value = match integers.iter().any(|integer| integer == name) {
            true => record
                .sizes
                .iter()
                .find(|(size, _)| size == name)?
                .1
                .to_string(),
            false => first.scope.get(name)?.to_string(),
        };
        parts.push(format!("{name} = {value}"));
    }
    let consts = record.consts.iter();
    parts.extend(consts.map(|(name, value)| format!("const {name} = {value}")));
    Some(format!("problem({})", parts.join(", ")))
}

fn described(record: &Record) -> String {
    let sizes = record
        .sizes
        .iter()
        .map(|(name, size)| format!("{name}={size}"));
    let consts = record.consts.iter();
    let consts = consts.map(|(name, value)| format!("{name}={value}"));
    sizes.chain(consts).collect::<Vec<_>>().join(", ")
}
