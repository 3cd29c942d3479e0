//! A settled result of a declared problem, on its way into the lock.

use super::entry;
use super::outcome::{Outcome, Row};
use bico::learned_files::{File, Record};
use bico_build::lock::{self, Entry, Lock, Verified};
use bico_build::tuner::plan::{Plan, ProblemPlan, integer_sizes};
use bico_build::tuner::stored;
use bico_core::device::Facts;
use bico_search::space::Space;
use bico_syntax::bind::Bound;

/// What is to be put into the lock, if that agrees.
#[derive(Clone)]
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
) -> Result<Proposal, Box<Row>> {
    let mut row = Row::of_file(file, Outcome::Known);
    let Some(problem) = declared(plan, record) else {
        row.problem = described(record);
        row.outcome = match addition(plan, record) {
            Some(problem) => Outcome::Undeclared(problem),
            None => {
                Outcome::Refused("its sizes and constants are not those of the tunable".to_string())
            }
        };
        return Err(Box::new(row));
    };
    row.problem.clone_from(&problem.label);
    let entry = match settled(plan, problem, facts, record) {
        Ok(entry) => entry,
        Err(outcome) => return Err(Box::new(Row { outcome, ..row })),
    };
    row.learned = Some(entry::learned(&entry, record));
    let siblings = plan.problems.iter();
    let siblings = siblings.filter(|other| other.variant == problem.variant);
    let proposal = Proposal {
        siblings: siblings.map(|problem| problem.key.clone()).collect(),
        problem: problem.key.clone(),
        facts: facts.clone(),
        entry,
        row,
    };
    // Alone, so that one which a lock cannot hold does not keep the others out.
    let mut alone = Lock::default();
    proposal.put(&mut alone);
    match lock::to_text(&alone) {
        Ok(_) => Ok(proposal),
        Err(fault) => {
            let why = format!("bico.lock cannot hold it: {fault}");
            Err(Box::new(proposal.row(Outcome::Refused(why))))
        }
    }
}

fn settled(
    plan: &Plan,
    problem: &ProblemPlan,
    facts: &Facts,
    record: &Record,
) -> Result<Entry, Outcome> {
    if record.settled.is_none() {
        return Err(Outcome::Exploring(record.arms.len()));
    }
    let space = Bound::new(&plan.found.spec, facts, &problem.scope)
        .and_then(|bound| Space::new(&bound))
        .map_err(|error| Outcome::Refused(error.message))?;
    entry::of(plan, &space, record).map_err(Outcome::Refused)
}

impl Proposal {
    pub(super) fn is_for_same(&self, other: &Proposal) -> bool {
        self.row.tunable == other.row.tunable
            && self.row.device == other.row.device
            && self.problem == other.problem
    }

    pub(super) fn row(self, outcome: Outcome) -> Row {
        Row {
            outcome,
            ..self.row
        }
    }

    /// Puts it into the lock, if there is no entry from tuning, or that is to be replaced.
    pub(super) fn apply(mut self, lock: &mut Lock, replace: bool) -> Row {
        (self.entry.verified, self.entry.rules) = self.verified(lock);
        let kernel = lock.kernels.get(&self.row.tunable);
        let old = kernel
            .and_then(|kernel| kernel.get(&self.row.device))
            .and_then(|problems| problems.get(&self.problem));
        let how = entry::verified(&self.entry);
        let outcome = match old {
            Some(old) if *old == self.entry => return self.row(Outcome::Known),
            Some(old) if old.source.is_none() && !replace => {
                let tuned = Outcome::Tuned(entry::shown(old));
                return self.row(tuned);
            }
            Some(old) => Outcome::Replaced(format!("{how}; before: {}", entry::shown(old))),
            None => Outcome::Adopted(how.to_string()),
        };
        self.put(lock);
        self.row(outcome)
    }

    fn put(&self, lock: &mut Lock) {
        let (tunable, device) = (self.row.tunable.clone(), &self.row.device);
        // Facts that were found while tuning stay.
        if lock.devices.get(device).is_none() {
            lock.devices.insert(device.clone(), self.facts.clone());
        }
        let kernel = lock.kernels.or_default(tunable);
        let problems = kernel.or_default(device.clone());
        problems.insert(self.problem.clone(), self.entry.clone());
    }

    /// How the winner was verified: as a build's entry says that measured the same code. Of several, by the newest
    /// rules, then the same problem's, else the first.
    fn verified(&self, lock: &Lock) -> (Verified, u32) {
        let devices = lock.kernels.get(&self.row.tunable);
        let entries = devices.into_iter().flat_map(|devices| devices.values());
        let mut told: Vec<(&str, (Verified, u32))> = entries
            .flatten()
            .filter(|(problem, entry)| {
                self.siblings.contains(problem)
                    && entry.verified != Verified::Nothing
                    && entry.hashes.changed(&self.entry.hashes).is_empty()
                    && stored::trials(entry).any(|trial| trial.config == self.entry.winner.config)
            })
            .map(|(problem, entry)| (problem.as_str(), (entry.verified, entry.rules)))
            .collect();
        told.sort_by_key(|(problem, (_, rules))| (u32::MAX - rules, *problem != self.problem));
        told.first()
            .map_or((Verified::Nothing, 1), |(_, told)| *told)
    }
}

/// The problem that was timed: exactly these sizes and constants.
fn declared<'a>(plan: &'a Plan, record: &Record) -> Option<&'a ProblemPlan> {
    let names = integer_sizes(&plan.found.spec);
    plan.problems.iter().find(|problem| {
        let mut sizes = names.iter().cloned().zip(problem.sizes.iter().copied());
        let known = &problem.scope.problem_consts;
        let mut consts = record.consts.iter();
        names.len() == record.sizes.len()
            && known.len() == record.consts.len()
            && sizes.all(|size| record.sizes.contains(&size))
            && consts.all(|(name, value)| known.get(name).is_some_and(|known| *value == *known))
    })
}

/// `problem(m = 64, n = 64, const ACT = "silu")`; what was not learned of, the numbers that are no sizes, is as
/// in the first problem. `None` if the names are not those of the tunable.
fn addition(plan: &Plan, record: &Record) -> Option<String> {
    let spec = &plan.found.spec;
    let integers = integer_sizes(spec);
    let first = &plan.problems.first()?.scope;
    let consts = || record.consts.iter();
    if record.sizes.len() != integers.len()
        || record.consts.len() != first.problem_consts.len()
        || !consts().all(|(name, _)| first.problem_consts.contains_key(name))
    {
        return None;
    }
    let size = |name: &str| record.sizes.iter().find(|(size, _)| size == name);
    let mut parts = Vec::new();
    for name in bico_syntax::bind::scalars(spec) {
        let value = match integers.iter().any(|integer| integer == name) {
            true => size(name)?.1.to_string(),
            false => first.get(name)?.to_string(),
        };
        parts.push(format!("{name} = {value}"));
    }
    parts.extend(consts().map(|(name, value)| format!("const {name} = {value}")));
    Some(format!("problem({})", parts.join(", ")))
}

fn described(record: &Record) -> String {
    let sizes = record.sizes.iter();
    let sizes = sizes.map(|(name, size)| format!("{name}={size}"));
    let consts = record.consts.iter();
    let consts = consts.map(|(name, value)| format!("{name}={value}"));
    sizes.chain(consts).collect::<Vec<_>>().join(", ")
}
