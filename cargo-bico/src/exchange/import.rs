//! Results of other tools as what a search begins with. Nobody has verified them here, so they are kept in a file of their
//! own, `bico.imported`, from which no build takes a winner.

use super::filter::Filter;
use crate::Error;
use crate::package::NO_TUNABLE;
use crate::replay::{Status, Table};
use bico_build::env::Env;
use bico_build::lock::{self, Config, Import, Imported, Lock, Place, Trial, rounded};
use bico_build::scan::Found;
use bico_build::tuner::KEPT_TRIALS;
use bico_build::tuner::plan::{Plan, ProblemPlan};
use bico_core::device::{CudaFacts, DeviceKey, Facts};
use bico_core::{Map, Value};
use bico_syntax::bind::{Bound, SpaceError};

/// What a table is taken for.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// The problem and the device's name, where the file does not say or is wrong.
    pub(crate) filter: Filter,
    /// Parameters that the file calls otherwise: its name, then ours.
    pub(crate) renamed: Vec<(String, String)>,
}

/// What came of a table.
#[derive(Debug, PartialEq, serde::Serialize)]
pub(crate) struct Report {
    pub(crate) tunable: String,
    pub(crate) device: String,
    pub(crate) problem: String,
    pub(crate) configs: usize,
    pub(crate) timed: usize,
    pub(crate) failed: usize,
    /// Timed, and not in the space.
    pub(crate) outside: usize,
    /// In `bico.imported` now.
    pub(crate) kept: usize,
    #[serde(skip)]
    import: Option<Import>,
}

/// The tunable that a table is of: that of its name, of its kernel's name, or the only one.
///
/// # Errors
///
/// None or several may be meant.
pub(crate) fn tunable<'f>(table: &Table, found: &'f [Found]) -> Result<&'f Found, Error> {
    let named = |found: &&Found| {
        let spec = &found.spec;
        spec.key.text == table.kernel || spec.function.text == table.kernel
    };
    if let Some(found) = found.iter().find(named) {
        return Ok(found);
    }
    match found {
        [] => Err(Error::work("there is no tunable in this package").help(NO_TUNABLE)),
        [only] => Ok(only),
        several => {
            let keys = several.iter().map(|found| found.spec.key.text.as_str());
            let keys: Vec<&str> = keys.collect();
            Err(Error::Work(format!(
                "no tunable is called `{}`, as the file's kernel is\n  = help: name the one that it is of by `--only`: {}",
                table.kernel.escape_debug(),
                keys.join(", ")
            )))
        }
    }
}

/// Holds a table against a tunable. Nothing is written.
///
/// # Errors
///
/// The file does not say of which device or problem it is, or lacks a parameter.
pub(crate) fn look(
    env: &Env,
    lock: &Lock,
    found: &Found,
    table: &Table,
    asked: &Asked,
) -> Result<Report, Error> {
    let device = asked.filter.device.as_ref().unwrap_or(&table.device);
    if device.is_empty() {
        return Err("the file does not say on which device it was measured\n  = help: name it by `--device \"NVIDIA A100-PCIE-40GB (sm_80)\"`".into());
    }
    let key = DeviceKey::new(device.clone());
    let facts = facts(lock, &key, found.spec.is_cuda());
    let plan = Plan::new(found.clone(), &env.manifest_dir, &facts)?;
    let problem = problem(&plan, table, &asked.filter)?;
    let bound = Bound::new(&plan.found.spec, &facts, &problem.scope);
    let bound = bound.map_err(|error| Error::Work(error.message))?;
    let columns = columns(&bound, table, &asked.renamed)?;
    let mut timed: Vec<(Config, f64)> = Vec::new();
    let (mut outside, mut failed, mut count) = (0, 0, 0);
    for row in &table.rows {
        let Some(seconds) = row.record.time else {
            failed += usize::from(row.record.status != Status::Missing);
            continue;
        };
        count += 1;
        let told = |error: SpaceError| Error::Work(error.message);
        match config(&bound, &columns, &table.values(row)).map_err(told)? {
            Some(config) => timed.push((config, seconds)),
            None => outside += 1,
        }
    }
    timed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut trials: Vec<Trial> = Vec::new();
    for (config, seconds) in timed {
        if trials.len() < KEPT_TRIALS && !trials.iter().any(|known| known.config == config) {
            trials.push(Trial {
                config,
                seconds: rounded(seconds),
                place: Place::default(),
            });
        }
    }
    let (configs, format) = (table.rows.len(), table.format);
    let from = format!("{format}, {configs} configs, {count} timed, {failed} failed");
    Ok(Report {
        tunable: plan.key().to_string(),
        device: device.clone(),
        problem: problem.key.clone(),
        configs,
        timed: count,
        failed,
        outside,
        kept: trials.len(),
        import: (!trials.is_empty()).then_some(Import { from, trials }),
    })
}

/// Writes what was looked at into the package's `bico.imported`.
///
/// # Errors
///
/// The file is faulty or cannot be written.
pub(crate) fn keep(env: &Env, reports: &mut [Report]) -> Result<(), Error> {
    let mut all = Imported::default();
    for report in reports.iter_mut() {
        let Some(import) = report.import.take() else {
            continue;
        };
        let devices: &mut Map<_, _> = all.or_default(report.tunable.clone());
        let problems: &mut Map<_, _> = devices.or_default(DeviceKey::new(report.device.clone()));
        problems.insert(report.problem.clone(), import);
    }
    if all.is_empty() {
        return Err("nothing was imported: no config of the file that was timed is in the space\n  = help: `--rename THEIRS=OURS` where only a parameter's name differs".into());
    }
    let path = env.manifest_dir.join(lock::IMPORTED);
    lock::keep_imported(&path, &all).map_err(Error::work)
}

/// What is known of the device, or of one of its kind.
fn facts(lock: &Lock, device: &DeviceKey, cuda: bool) -> Facts {
    let kind = |facts: &&Facts| matches!(facts, Facts::Cuda(_)) == cuda;
    let known = lock.devices.get(device).filter(kind);
    let known = known.or_else(|| lock.devices.values().find(kind)).cloned();
    known.unwrap_or_else(|| match cuda {
        true => Facts::Cuda(CudaFacts::typical("a GPU", "", 90)),
        false => bico_device::this_cpu().clone(),
    })
}

fn problem<'p>(plan: &'p Plan, table: &Table, filter: &Filter) -> Result<&'p ProblemPlan, Error> {
    let own = Filter {
        problem: Some(table.problem.clone()),
        device: None,
    };
    let asked = if filter.problem.is_some() {
        filter
    } else {
        &own
    };
    let named = plan.problems.iter().filter(|of| asked.has_problem(&of.key));
    let named: Vec<&ProblemPlan> = named.collect();
    match (named.as_slice(), plan.problems.as_slice()) {
        ([problem], _) => Ok(problem),
        ([], [only]) if filter.problem.is_none() => Ok(only),
        (_, all) => {
            let keys: Vec<String> = all.iter().map(|of| format!("\"{}\"", of.key)).collect();
            Err(Error::Work(format!(
                "which problem of `{}` was measured?\n  = help: name it by `--problem`: {}",
                plan.key(),
                keys.join(", ")
            )))
        }
    }
}

/// For each parameter the column of the table; `None` where a derived one has none.
fn columns(
    bound: &Bound<'_>,
    table: &Table,
    renamed: &[(String, String)],
) -> Result<Vec<Option<usize>>, Error> {
    let theirs = || table.parameters.iter().map(|(name, _)| name.as_str());
    for (from, to) in renamed {
        if !bound.names().contains(to) || !theirs().any(|name| name == from) {
            return Err(Error::Usage(format!(
                "--rename {from}={to}: the file has the parameters {}, the tunable {}",
                listed(theirs()),
                listed(bound.names().iter().map(String::as_str))
            )));
        }
    }
    let column = |(name, domain): (&String, &bico_syntax::bind::Domain)| {
        let other = renamed.iter().find(|(_, to)| to == name);
        let wanted = other.map_or(name.as_str(), |(from, _)| from);
        match theirs().position(|theirs| theirs == wanted) {
            None if !domain.is_derived() => Err(Error::Work(format!(
                "the file has no parameter `{name}`; it has {}\n  = help: `--rename THEIRS={name}` where it is called otherwise",
                listed(theirs())
            ))),
            column => Ok(column),
        }
    };
    let rules = &bound.rules;
    rules.names.iter().zip(&rules.domains).map(column).collect()
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names
        .map(|name| format!("`{}`", name.escape_debug()))
        .collect();
    names.join(", ")
}

/// A row as a config; `None` where it is not in the space.
fn config(
    bound: &Bound<'_>,
    columns: &[Option<usize>],
    row: &[Value],
) -> Result<Option<Config>, SpaceError> {
    let mut values: Vec<Value> = Vec::with_capacity(columns.len());
    let mut allowed = Vec::new();
    for (domain, column) in bound.rules.domains.iter().zip(columns) {
        domain.values(&values, &mut allowed)?;
        let value = match column.map(|column| row[column]) {
            Some(theirs) => allowed.iter().find(|own| same(**own, theirs)),
            None => allowed.first(),
        };
        match value {
            Some(value) => values.push(*value),
            None => return Ok(None),
        }
    }
    if bound.rules.why_not(&values).is_some() {
        return Ok(None);
    }
    let names = bound.names().iter().cloned();
    let values = values.into_iter().map(lock::Value::from);
    Ok(Some(names.zip(values).collect()))
}

/// Whether two values are one in Python, where `True` is 1 and 1.0.
fn same(a: Value, b: Value) -> bool {
    let number = |value| match value {
        Value::Int(value) => Some(value as f64),
        Value::Float(value) => Some(value),
        Value::Bool(value) => Some(f64::from(u8::from(value))),
        Value::Str(_) => None,
    };
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        _ => number(a).is_some() && number(a) == number(b),
    }
}
