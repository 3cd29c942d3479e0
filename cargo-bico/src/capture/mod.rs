//! What `cargo bico capture` does: a program's calls beside the problems that are tuned, and which others would be worth it.

mod file;
mod loss;
mod propose;
mod write;

use crate::names::plain;
use crate::status::plans;
use crate::{Error, package};
use bico_build::env::Env;
use bico_build::lock::{self, Lock};
use bico_build::report::columns;
use bico_build::tuner::devices::Devices;
use bico_build::tuner::plan::{Plan, ProblemPlan, integer_sizes};
use bico_build::tuner::service;
use bico_core::bare;
use file::{Arguments, Calls};
use std::collections::BTreeMap;
use std::path::Path;

/// A program's calls, held against its package.
pub(crate) struct Capture {
    env: Env,
    devices: Devices,
    lock: Lock,
    plans: Vec<Plan>,
    rows: Vec<Row>,
    /// What of the file is of no use here.
    pub(crate) warnings: Vec<String>,
}

/// All calls of a tunable with the same sizes.
struct Row {
    /// The tunable, by its place among the plans.
    plan: usize,
    sizes: Vec<i64>,
    /// What selects among problems, by the names of their constants.
    consts: Arguments,
    count: u64,
    seconds: f64,
    /// The problem that serves them.
    problem: usize,
}

/// A problem to add.
pub(crate) struct Proposal {
    /// The tunable's key.
    pub(crate) key: String,
    plan: usize,
    /// The `problem(..)`.
    text: String,
    /// Its share of the time.
    share: f64,
}

impl Proposal {
    /// As it stands in the attribute.
    pub(crate) fn line(&self) -> String {
        format!("{}, // {} of the time", self.text, percent(self.share))
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

impl Capture {
    /// Reads a file for a package.
    ///
    /// # Errors
    ///
    /// The package or its lock is faulty, or the file is no program's, or of another package.
    pub(crate) fn read(env: Env, path: &Path, only: &[String]) -> Result<Capture, Error> {
        let lines = file::read(path)?;
        let found = package::tunables(&env, only)?;
        let devices = Devices::find(&env, false, &service(&env));
        let plans = plans(found, &env, &devices)?;
        let lock = lock::load(&env.manifest_dir.join("bico.lock")).map_err(Error::work)?;
        let mut capture = Capture {
            lock: lock.unwrap_or_default(),
            plans,
            rows: Vec::new(),
            warnings: Vec::new(),
            devices,
            env,
        };
        if let Some((first, count)) = lines.faulty {
            let text = format!("{count} lines are no calls, the first is line {first}: left out");
            capture.warnings.push(text);
        }
        let mut refused: BTreeMap<String, u64> = BTreeMap::new();
        for calls in lines.calls {
            let count = calls.count;
            if let Err(why) = capture.add(calls, only) {
                let of = refused.entry(why).or_default();
                *of = of.saturating_add(count);
            }
        }
        for (why, count) in refused {
            if !why.is_empty() {
                capture
                    .warnings
                    .push(format!("{count} calls left out: {why}"));
            }
        }
        capture.rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        Ok(capture)
    }

    /// Adds calls, or says why they are none of this package's; nothing where nobody asked for them.
    fn add(&mut self, calls: Calls, only: &[String]) -> Result<(), String> {
        if calls.package != self.env.package {
            return Err(format!(
                "they are of the package `{}`",
                plain(&calls.package)
            ));
        }
        let key = &calls.key;
        let Some(plan) = self.plans.iter().position(|plan| plan.key() == key) else {
            return Err(match only.is_empty() {
                true => format!("the package has no tunable `{}`", plain(key)),
                false => String::new(),
            });
        };
        let Some(arguments) = &calls.arguments else {
            return Err(format!(
                "`{key}` is called with too many sizes to keep apart"
            ));
        };
        let other = || format!("these are no sizes of `{key}`: it has changed since");
        let names = integer_sizes(&self.plans[plan].found.spec);
        let (sizes, consts) = arguments.split_at_checked(names.len()).ok_or_else(other)?;
        let mut own = Vec::new();
        for (name, (given, value)) in names.iter().zip(sizes) {
            let size = value.parse().ok().filter(|_| name == given);
            own.push(size.ok_or_else(other)?);
        }
        let known = |name: &str| {
            let mut problems = self.plans[plan].problems.iter();
            problems.all(|of| of.scope.problem_consts.contains_key(name))
        };
        if !consts.iter().all(|(name, _)| known(name)) {
            return Err(other());
        }
        let consts = consts.to_vec();
        // Programs get an error from such a call.
        let problem = self.serving(plan, &own, &consts);
        let problem =
            problem.ok_or_else(|| format!("no problem of `{key}` has these constants"))?;
        self.rows.push(Row {
            plan,
            sizes: own,
            consts,
            count: calls.count,
            seconds: calls.nanoseconds as f64 * 1e-9,
            problem,
        });
        Ok(())
    }

    /// The problem whose winner a program takes for such calls.
    fn serving(&self, plan: usize, sizes: &[i64], consts: &[(String, String)]) -> Option<usize> {
        let problems = self.plans[plan].problems.iter().enumerate();
        let selected = problems.filter(|(_, of)| selects(of, consts));
        let (at, own): (Vec<usize>, Vec<&[i64]>) =
            selected.map(|(at, of)| (at, of.sizes.as_slice())).unzip();
        propose::nearest(sizes, own).map(|nearest| at[nearest])
    }

    fn is_tunable(&self, plan: usize, sizes: &[i64]) -> bool {
        write::is_tunable(&self.plans[plan], &self.env, &self.devices, sizes)
    }

    fn total(&self) -> f64 {
        self.rows.iter().map(|row| row.seconds).sum()
    }

    /// The table, the most time first.
    pub(crate) fn table(&self) -> String {
        if self.rows.is_empty() {
            return "no calls of this package's kernels were captured\n".to_string();
        }
        let head = [
            "kernel",
            "sizes",
            "nearest problem",
            "calls",
            "time",
            "share",
            "loses",
        ];
        let mut cells = vec![head.map(String::from).to_vec()];
        let total = self.total();
        let losses: Vec<_> = self
            .plans
            .iter()
            .map(|plan| loss::Losses::of(plan, &self.env, &self.lock))
            .collect();
        for row in &self.rows {
            let plan = &self.plans[row.plan];
            let share = if total > 0.0 {
                row.seconds / total
            } else {
                0.0
            };
            let lost = losses[row.plan].at(plan, row.problem, &row.sizes);
            cells.push(vec![
                plan.key().to_string(),
                row.label(plan),
                plan.problems[row.problem].label.clone(),
                row.count.to_string(),
                bico_build::report::time(row.seconds),
                percent(share),
                lost.map_or("?".to_string(), percent),
            ]);
        }
        columns(&cells, 3)
    }

    /// Problems that would be worth a search.
    pub(crate) fn proposals(&self) -> Vec<Proposal> {
        let mut groups: BTreeMap<(usize, &Arguments), Vec<propose::Weighted>> = BTreeMap::new();
        for row in &self.rows {
            let group = groups.entry((row.plan, &row.consts)).or_default();
            group.push(propose::Weighted {
                sizes: row.sizes.clone(),
                weight: row.seconds,
            });
        }
        let total = self.total();
        let mut proposals = Vec::new();
        for ((plan, consts), calls) in groups {
            let of = &self.plans[plan];
            let tuned = of.problems.iter().filter(|of| selects(of, consts));
            let tuned: Vec<Vec<i64>> = tuned.map(|of| of.sizes.clone()).collect();
            let found = propose::propose(&calls, &tuned).into_iter();
            for found in found.filter(|found| self.is_tunable(plan, &found.sizes)) {
                proposals.push(Proposal {
                    key: of.key().to_string(),
                    plan,
                    text: write::text(
                        of,
                        &found.sizes,
                        consts,
                        self.serving(plan, &found.sizes, consts),
                    ),
                    share: found.weight / total,
                });
            }
        }
        proposals.sort_by(|a, b| b.share.total_cmp(&a.share));
        proposals
    }
}

/// Whether calls with these constants are served by a problem.
fn selects(problem: &ProblemPlan, consts: &[(String, String)]) -> bool {
    let consts = consts.iter();
    let mut own = consts.map(|(name, value)| (problem.scope.problem_consts.get(name), value));
    own.all(|(own, value)| own.is_some_and(|own| bare(*own) == *value))
}

impl Row {
    /// `m=64, ACT=silu`
    fn label(&self, plan: &Plan) -> String {
        let names = integer_sizes(&plan.found.spec).into_iter();
        let sizes = names
            .zip(&self.sizes)
            .map(|(name, size)| format!("{name}={size}"));
        let consts = self.consts.iter();
        let consts = consts.map(|(name, value)| format!("{name}={}", plain(value)));
        sizes.chain(consts).collect::<Vec<_>>().join(", ")
    }
}
