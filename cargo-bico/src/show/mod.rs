//! What `cargo bico show` does: results of the lock with what is known of them, and the trails of their searches.

mod text;

pub(crate) use text::{table, trails};

use crate::config::{Values, values};
use crate::out::tell;
use crate::status::{Row, Survey};
use crate::trail::{self, Trail};
use crate::{Error, names};
use bico_build::lock::{Entry, Trial};
use bico_core::device::DeviceKey;
use serde::Serialize;
use std::borrow::Borrow;
use std::path::PathBuf;

/// Which results.
#[derive(clap::Args)]
pub(crate) struct Asked {
    /// Only this device, by its key in bico.lock or a part of that, such as `H100`
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
}

/// A result, or a problem without one.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    #[serde(flatten)]
    pub(crate) row: Row,
    #[serde(flatten)]
    pub(crate) found: Option<Found>,
    /// The tunable's parameters, as its attribute lists them.
    #[serde(skip)]
    pub(crate) parameters: Vec<String>,
}

/// What the lock knows of a result.
#[derive(Debug, Serialize)]
pub(crate) struct Found {
    /// The winner.
    pub(crate) config: Values,
    /// Its time, as `timed` says.
    pub(crate) seconds: f64,
    pub(crate) interval_seconds: [f64; 2],
    pub(crate) timed: Option<String>,
    /// How many times the winner's time the author's reference takes, where the two were measured in turns.
    pub(crate) over_reference: Option<f64>,
    /// How many times the time of the default (else of the first config of the space), and of the top-ranked, is the winner's.
    pub(crate) over_first: Option<f64>,
    pub(crate) over_ranked: Option<f64>,
    pub(crate) evaluations: u64,
    pub(crate) space_size: u64,
    pub(crate) verified: String,
    pub(crate) tested: Option<String>,
    pub(crate) strategy: String,
    pub(crate) toolchain: String,
    pub(crate) source: Option<String>,
}

impl Found {
    fn new(entry: &Entry) -> Found {
        let winner = &entry.winner;
        let over = |other: &Option<Trial>| {
            let other = other.as_ref().filter(|_| winner.seconds > 0.0);
            other.map(|other| match other.config == winner.config {
                true => 1.0,
                false => other.seconds / winner.seconds,
            })
        };
        Found {
            config: values(&winner.config),
            seconds: winner.seconds,
            interval_seconds: entry.interval,
            timed: entry.timed.clone(),
            over_reference: entry
                .ratio
                .filter(|ratio| ratio.to_reference && ratio.value > 0.0)
                .map(|ratio| 1.0 / ratio.value),
            over_first: over(&entry.first),
            over_ranked: over(&entry.ranked),
            evaluations: entry.evaluations,
            space_size: entry.space_size,
            verified: entry.verified.name(entry.rules),
            tested: entry.tested.clone(),
            strategy: entry.strategy.clone(),
            toolchain: entry.toolchain.clone(),
            source: entry.source.clone(),
        }
    }
}

/// The results that are asked for, by tunables and devices.
///
/// # Errors
///
/// There is no such tunable, or not one such device.
pub(crate) fn show(survey: &Survey, only: &[String], asked: &Asked) -> Result<Vec<Shown>, Error> {
    names::known(names::LOCKED, "tunable", only, survey.tunables())?;
    let devices = survey.lock.devices.keys();
    let device = names::device(asked.device.as_deref(), devices.map(Borrow::borrow))?;
    let mut rows = survey.rows()?;
    rows.retain(|row| only.is_empty() || only.contains(&row.tunable));
    rows.retain(|row| device.is_none() || row.device.as_deref() == device);
    let entry = |row: &Row| {
        let device = DeviceKey::new(row.device.clone()?);
        let kernel = survey.lock.kernels.get(&row.tunable)?;
        kernel.get(&device)?.get(&row.problem).map(Found::new)
    };
    let shown = rows.into_iter().map(|row| Shown {
        found: entry(&row),
        parameters: survey.parameters(&row.tunable),
        row,
    });
    Ok(shown.collect())
}

/// The trails that the searches of results left on this machine, by tunables, and their files.
///
/// # Errors
///
/// None is there, or one is faulty.
pub(crate) fn trails_of(survey: &Survey, shown: &[Shown]) -> Result<Vec<Searches>, Error> {
    let mut tunables: Vec<&str> = shown
        .iter()
        .map(|shown| shown.row.tunable.as_str())
        .collect();
    tunables.dedup();
    let mut found = Vec::new();
    for tunable in tunables {
        let path = survey.trail(tunable);
        let Some(mut trails) = trail::read(&path)? else {
            continue;
        };
        trails.retain(|trail| shown.iter().any(|shown| is_of(trail, tunable, &shown.row)));
        let plan = survey.plans.iter().find(|plan| plan.key() == tunable);
        let now = || Some(plan?.hashes.kernel().to_string());
        trail::mark_outdated(&mut trails, &now);
        tell(trails.iter().filter_map(|trail| trail.note(tunable)));
        found.push(Searches {
            tunable: tunable.to_string(),
            path,
            trails,
        });
    }
    if found.is_empty() {
        let folder = survey.env.trail_dir();
        return Err(Error::Work(format!(
            "there is no trail of these results in {}\n  = help: a trail stays beside the build, on the machine that tuned; `cargo bico tune` there writes it",
            folder.display()
        )));
    }
    Ok(found)
}

/// The trails of a tunable.
#[derive(Debug, Serialize)]
pub(crate) struct Searches {
    pub(crate) tunable: String,
    #[serde(skip)]
    pub(crate) path: PathBuf,
    pub(crate) trails: Vec<Trail>,
}

/// Whether a trail is that of a result, or of a problem without one.
fn is_of(trail: &Trail, tunable: &str, row: &Row) -> bool {
    let device = row.device.as_ref();
    row.tunable == tunable
        && row.problem == trail.problem
        && device.is_none_or(|device| *device == trail.device)
}
